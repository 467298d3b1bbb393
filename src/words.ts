/**
 * Words as a list: `a`, `a and b`, `a, b and c`.
 *
 * @internal
 */
export function inList(words: readonly string[], conjunction: 'and' | 'or'): string {
  const all = [...words]
  const last = all.splice(-2).join(` ${conjunction} `)
  return [...all, last].join(', ')
}
