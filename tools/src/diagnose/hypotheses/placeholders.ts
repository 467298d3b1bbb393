/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
/**
 * How languages and tools put a variable into a text. If the variable is not replaced by a value, for example in single quotes, the text
 * stays unchanged.
 */
export const VARIABLE_FORMS = ['$x', '${x}', '{$x}', '{x}', '{{x}}', '{{ x }}', '#{x}', '%x%'] as const

/** Returns the text of a variable in one of these forms. */
export const inForm = (form: string, name: string) => form.replace('x', () => name)

/** Returns every name in every form, as the variants of a hypothesis. */
export const placeholdersFor = (...names: readonly string[]) => ({
  variants: names
    .flatMap((name) => VARIABLE_FORMS.map((form) => inForm(form, name)))
    .map((text) => ({ detail: text, value: text })),
})

/** Matches a variable that was not replaced by a value. `$NAME` without braces is left out, because it may be normal text. */
const UNFILLED = /\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}/
/** Matches a value that is only the name of a variable, or of a placeholder. */
const WHOLE =
  /^(?:\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}|\{[A-Za-z_.]+\}|\$[A-Za-z_]{4,}|%[A-Za-z_]{2,}%|<[A-Za-z][A-Za-z _-]*>)$/
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

/** The maximum length of a variable name that is shown. */
const MAX_SHOWN = 64

/** Returns the first variable in a text that was not replaced by a value, or `undefined` if there is none. */
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
