// The column `test` of SECURITY.md, from docs/claims.json: each claim by the first cell of its row, with the tests that prove it. A claim
// with a `page` is text of that page instead.

/** @typedef {{ file: string, test: string, page?: string }} Proof */
/** @typedef {Record<string, Proof | readonly Proof[]>} Claims */

/** The first cell of a row. */
const CLAIM = /^\| (.+?) \|/

/**
 * Returns the page with a link to its test in the last cell of each row of the tables that have a column `test`.
 *
 * @param {string} page
 * @param {Claims} claims
 */
export function linkTests(page, claims) {
  return page
    .split('\n\n')
    .map((block) => (/^\|.*\| test \|\n/.test(block) ? linkRows(block, claims) : block))
    .join('\n\n')
}

/**
 * @param {string} table
 * @param {Claims} claims
 */
function linkRows(table, claims) {
  const [head = '', line = '', ...rows] = table.split('\n')
  const linked = rows.map((row) => {
    const claim = claims[CLAIM.exec(row)?.[1] ?? '']
    if (row !== '' && claim === undefined) throw new Error(`docs/claims.json has no test for this row: ${row}`)
    const files = [...new Set([claim ?? []].flat().map(({ file }) => file))]
    const links = files.map((file, index) => `[${index === 0 ? 'test' : index + 1}](${file})`)
    return row.replace(/\| \S*(, \S*)* \|$/, `| ${links.join(', ')} |`)
  })
  return [head, line, ...linked].join('\n')
}
