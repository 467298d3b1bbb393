import { fromBase64, fromLatin1, latin1 } from '../bytes.js'
import { anyNameOf, hasSignature } from './headers.js'

// This file reads text that a program put around a request: an export of Burp, and a table in CSV.

/** Returns the first signed request in an export of Burp, or `undefined` for other text. */
export function readBurp(bytes: Uint8Array): Uint8Array | undefined {
  const text = fromLatin1(bytes)
  const opening = /<request base64="(true|false)">\s{0,40}<!\[CDATA\[/g
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const end = text.indexOf(']]>', opening.lastIndex)
    if (end === -1) return undefined
    const content = text.slice(opening.lastIndex, end)
    const request = match[1] === 'true' ? fromBase64(content.replace(/\s+/g, '')) : latin1(content)
    if (request !== undefined && hasSignature(fromLatin1(request))) return request
    opening.lastIndex = end
  }
  return undefined
}

/** The maximum number of rows that are read, because a table can be the log of many requests. */
const MAX_ROWS = 100

/** Matches the first line of a table that has the headers of a request, or the three headers, in columns. */
const COLUMNS = new RegExp(
  `^(?=.*\\b(?:headers|customDimensions|${anyNameOf('signature')})\\b)["\\w [\\]-]+(?:([,;\\t])["\\w [\\]-]+){2,}\\r?$`,
  'i',
)

/** Returns one object per row of a table in CSV, or an empty list for other text. The names of the columns become lowercase. */
export function readTable(text: string): readonly Readonly<Record<string, string>>[] {
  const [, separator] = COLUMNS.exec(text.slice(0, text.indexOf('\n')).slice(0, 2000)) ?? []
  if (separator === undefined) return []
  const cells = new RegExp(`("(?:[^"]|"")*"|[^"${separator}\\n][^${separator}\\n]*|)(${separator}|\\r?\\n|$)`, 'gy')
  const rows: string[][] = [[]]
  for (const [, cell = '', end] of text.matchAll(cells)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell.replace(/\r$/, ''))
    if (end !== separator) rows.push([])
  }
  const [names = [], ...others] = rows
  // After the last newline, the text has one more row, which is empty.
  const signed = others.filter((row) => row.join('') !== '' && [...names, ...row].some(hasSignature))
  return signed
    .slice(0, MAX_ROWS)
    .map((row) => Object.fromEntries(names.map((name, index) => [name.toLowerCase(), row[index] ?? ''])))
}
