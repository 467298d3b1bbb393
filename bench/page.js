/**
 * What `npm run bench` measured with one version of Node.
 *
 * @typedef {{
 *   node: string, cpu: string, date: string, versions: Record<string, string>,
 *   handlers: { bodyBytes: number, ratios: Record<string, number> }[],
 *   sizes: { name: string, minified: number, gzipped: number }[],
 * }} Run
 */

/** @param {number} value - grouped as the guides do, with spaces that allow no line break: `1 000 000`. */
const grouped = (value) => value.toLocaleString('en').replaceAll(',', '\u00a0')
/** The baseline has no name of a package. @param {string} name */
const code = (name) => (name.includes(' ') ? name : `\`${name}\``)

/**
 * The tables of docs/trust/benchmarks.md, by the names of their places. Each row is a list of cells, the first one the headings.
 *
 * @type {Readonly<Record<string, (runs: readonly Run[]) => readonly (readonly string[])[]>>}
 */
const TABLES = {
  versions: (runs) => [
    ['Node', 'processor', 'date', 'versions'],
    ...runs.map(({ node, cpu, date, versions }) => [
      node,
      cpu,
      date,
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ]),
  ],
  handlers: (runs) => [
    ['Node', 'handler', ...(runs[0]?.handlers ?? []).map(({ bodyBytes }) => `${bodyBytes / 1024}\u00a0KB`)],
    ...runs.flatMap(({ node, handlers }) =>
      Object.keys(handlers[0]?.ratios ?? {}).map((name) => [
        node,
        code(name),
        ...handlers.map(({ ratios }) => ratios[name]?.toFixed(2) ?? ''),
      ]),
    ),
  ],
  // The newest run: sizes do not depend on Node.
  sizes: (runs) => [
    ['import', 'minified', 'and gzipped'],
    ...(runs.toSorted((one, other) => other.date.localeCompare(one.date))[0]?.sizes ?? []).map(
      ({ name, minified, gzipped }) => [`\`${name}\``, grouped(minified), grouped(gzipped)],
    ),
  ],
}

/**
 * Writes the tables into the page, between `<!-- name -->` and `<!-- /name -->`. Columns of numbers are aligned on the right.
 *
 * @param {string} page
 * @param {readonly Run[]} runs
 */
export function fillTables(page, runs) {
  return page.replace(/<!-- (\w+) -->[\s\S]*?<!-- \/\1 -->/g, (_, name) => {
    const [headings = [], ...rows] = TABLES[name]?.(runs) ?? []
    const isNumber = (/** @type {number} */ column) => rows.every((cells) => /^[\d.\u00a0]+$/.test(cells[column] ?? ''))
    const lines = [headings, headings.map((_, column) => (isNumber(column) ? '---:' : '---')), ...rows]
    return `<!-- ${name} -->\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n<!-- /${name} -->`
  })
}
