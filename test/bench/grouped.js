/**
 * Groups the digits of a number as the guides do: `1 000 000`. The spaces allow no line break.
 *
 * @param {number} value
 */
export function grouped(value) {
  return value.toLocaleString('en').replaceAll(',', '\u00a0')
}
