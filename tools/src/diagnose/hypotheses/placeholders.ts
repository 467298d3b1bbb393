/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
/** How languages and tools write a variable in text. In single quotes, for example, the variable is not replaced by its value. */
export const VARIABLE_FORMS = ['x', '$x', '${x}', '{$x}', '{x}', '{{x}}', '{{ x }}', '#{x}', '%x%'] as const

export const inForm = (form: string, name: string) => form.replace('x', () => name)

/** Returns the variants of a hypothesis: each name in each form. */
export const placeholdersFor = (...names: readonly string[]) => ({
  variants: names
    .flatMap((name) => VARIABLE_FORMS.map((form) => inForm(form, name)))
    .map((text) => ({ detail: text, value: text })),
})

/** Matches a variable that was not replaced by its value. `$NAME` does not match, because it can be normal text. */
const UNFILLED = /\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}/
/** Matches a value that is only a variable or a placeholder, such as `$NONCE` or `<nonce>`. */
const WHOLE =
  /^(?:\{\{ *[$\w][\w.$-]* *\}\}|[$#]\{\w[\w.]*\}|\{[A-Za-z_.]+\}|\$[A-Za-z_]{4,}|%[A-Za-z_]{2,}%|<[A-Za-z][A-Za-z _-]*>)$/
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */

const MAX_SHOWN = 64

/** Returns the first variable that was not replaced by its value, or `undefined` if there is none. */
export function findUnfilled(text: string): string | undefined {
  const [variable] = UNFILLED.exec(text) ?? []
  return variable === undefined || variable.length > MAX_SHOWN ? undefined : variable
}

/** Explains a value that is only a variable or a placeholder. Returns `undefined` for other values. */
export function describeUnfilled(value: string): string | undefined {
  if (!WHOLE.test(value)) return undefined
  return value.startsWith('$')
    ? 'A shell does not expand variables in single quotes.'
    : 'The placeholder was never filled in.'
}
