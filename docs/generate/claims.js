// The column `test` of SECURITY.md, from docs/claims.json: each claim by the first cell of its row, with the test that proves it.

/** @typedef {Record<string, { file: string, test: string }>} Claims */

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
    return row.replace(/\| \S* \|$/, `| [test](${claim?.file}) |`)
  })
  return [head, line, ...linked].join('\n')
}
