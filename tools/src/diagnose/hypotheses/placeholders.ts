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

/** Matches a variable that nothing filled in. A lowercase shell variable such as `$id` is left out, because it may be normal text. */
const UNFILLED = /\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}|\$[A-Z][A-Z0-9_]+\b/
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

/** The longest name of a variable that is shown. */
const MAX_SHOWN = 64

/** Returns the first variable that nothing filled in and why it is still there, or `undefined` if the text has none. */
export function findUnfilled(text: string): { readonly variable: string; readonly why: string } | undefined {
  const variable = UNFILLED.exec(text)?.[0]
  if (variable === undefined || variable.length > MAX_SHOWN) return undefined
  const why = variable.startsWith('$')
    ? 'In single quotes, a program or a shell keeps the name of a variable.'
    : 'Nothing filled in this template.'
  return { variable, why }
}
