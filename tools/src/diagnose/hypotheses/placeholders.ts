/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
/**
 * How languages and tools put a variable into a text. If nothing fills the variable in, for example between single quotes, the
 * text stays as it is.
 */
export const VARIABLE_FORMS = ['$x', '${x}', '{$x}', '{x}', '{{x}}', '{{ x }}', '#{x}', '%x%'] as const

/** Returns the text of a variable in one of these forms. */
export const inForm = (form: string, name: string) => form.replace('x', () => name)

/** Returns each name in each form, as the variants of a hypothesis. */
export const placeholdersFor = (...names: readonly string[]) => ({
  variants: names
    .flatMap((name) => VARIABLE_FORMS.map((form) => inForm(form, name)))
    .map((text) => ({ detail: text, value: text })),
})

/** Matches a variable that nothing filled in. `$NAME` without braces is left out, because it may be normal text. */
const UNFILLED = /\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}/
/** Matches a value that is only the name of a variable, or of a placeholder. */
const WHOLE =
  /^(?:\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}|\{[A-Za-z_.]+\}|\$[A-Za-z_]{4,}|%[A-Za-z_]{2,}%|<[A-Za-z][A-Za-z _-]*>)$/
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

/** The longest name of a variable that is shown. */
const MAX_SHOWN = 64

/** Returns the first variable in a text that nothing filled in, or `undefined` if there is none. */
export function findUnfilled(text: string): string | undefined {
  const [variable] = UNFILLED.exec(text) ?? []
  return variable === undefined || variable.length > MAX_SHOWN ? undefined : variable
}

/** Returns why a value is still the name of a variable, or `undefined` if it is another text. */
export function describeUnfilled(value: string): string | undefined {
  if (!WHOLE.test(value)) return undefined
  return value.startsWith('$')
    ? 'In single quotes, a program or a shell keeps the name of a variable.'
    : 'Nothing filled in this template.'
}
