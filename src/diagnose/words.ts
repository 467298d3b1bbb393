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

/**
 * A number of bytes in words: `1 byte`, `2 bytes`.
 *
 * @internal
 */
export function inBytes(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`
}
