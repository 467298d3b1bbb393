import { grouped } from './grouped.js'

/**
 * What `npm run bench` measured with one version of Node.
 *
 * @typedef {{
 *   node: string, cpu: string, date: string, command: string, versions: Record<string, string>,
 *   verification: { bodyBytes: number, timings: Timing[] }[],
 *   rejections: Timing[],
 *   handlers: { date: string, sizes: { bodyBytes: number, timings: Timing[] }[] },
 *   imports: { name: string, milliseconds: number }[],
 *   sizes: { name: string, minified: number, gzipped: number, later: number }[],
 * }} Run
 * @typedef {import('./rounds.js').Timing} Timing
 */

/**
 * The tables of docs/trust/benchmarks.md, by the names of their places.
 *
 * @type {Readonly<Record<string, (runs: readonly Run[]) => string>>}
 */
const TABLES = {
  versions: (runs) =>
    table(
      ['Node', 'processor', 'date', 'versions'],
      runs.map(({ node, cpu, date, versions, handlers }) => [
        node,
        cpu,
        handlers.date === date ? date : `${date}, handlers ${handlers.date}`,
        Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', '),
      ]),
    ),
  verification: (runs) =>
    table(
      ['Node', 'library', ...(runs[0]?.verification ?? []).map(({ bodyBytes }) => size(bodyBytes))],
      runs.flatMap(({ node, verification }) =>
        names(verification, ({ timings }) => timings).map((name) => [
          node,
          code(name),
          ...verification.map(({ timings }) => ratioOf(name, timings)),
        ]),
      ),
    ),
  rejections: (runs) =>
    table(
      ['request', ...runs.map(({ node }) => `Node ${node}`)],
      names(runs, ({ rejections }) => rejections).map((name) => [
        name,
        ...runs.map(({ rejections }) => ratioOf(name, rejections)),
      ]),
    ),
  handlers: (runs) =>
    table(
      ['Node', 'handler', ...(runs[0]?.handlers.sizes ?? []).map(({ bodyBytes }) => size(bodyBytes))],
      runs.flatMap(({ node, handlers }) =>
        names(handlers.sizes, ({ timings }) => timings).map((name) => [
          node,
          code(name),
          ...handlers.sizes.map(({ timings }) => ratioOf(name, timings)),
        ]),
      ),
    ),
  imports: (runs) =>
    table(
      ['library', ...runs.map(({ node }) => `Node ${node}`)],
      names(runs, ({ imports }) => imports).map((name) => [
        code(name),
        ...runs.map(({ imports }) => `${imports.find((one) => one.name === name)?.milliseconds.toFixed(0)}\u00a0ms`),
      ]),
    ),
  // The newest run: sizes do not depend on Node.
  sizes: (runs) =>
    table(
      ['import', 'minified', 'and gzipped'],
      [...runs]
        .sort((one, other) => other.date.localeCompare(one.date))
        .slice(0, 1)
        .flatMap(({ sizes }) =>
          sizes.map(({ name, minified, gzipped }) => [`\`${name}\``, grouped(minified), grouped(gzipped)]),
        ),
    ),
}

/**
 * Writes the tables into the page, between `<!-- name -->` and `<!-- /name -->`.
 *
 * @param {string} page
 * @param {readonly Run[]} runs
 */
export function fillTables(page, runs) {
  return page.replace(/<!-- (\w+) -->[\s\S]*?<!-- \/\1 -->/g, (_, name) => {
    const write = TABLES[name]
    if (write === undefined)
      throw new Error(`There is no table "${name}". Name one of: ${Object.keys(TABLES).join(', ')}.`)
    return `<!-- ${name} -->\n${write(runs)}\n<!-- /${name} -->`
  })
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => readonly { name: string }[]} rowsOf
 */
function names(items, rowsOf) {
  return [...new Set(items.flatMap((item) => rowsOf(item).map(({ name }) => name)))]
}

/** The baseline has no name of a package. @param {string} name */
const code = (name) => (name.includes(' ') ? name : `\`${name}\``)
/** @param {string} name @param {readonly Timing[]} timings */
const ratioOf = (name, timings) => timings.find((one) => one.name === name)?.ratio.toFixed(2) ?? ''
/** @param {number} count */
const size = (count) =>
  count < 1024 ? `${count}\u00a0B` : count < 2 ** 20 ? `${count / 1024}\u00a0KB` : `${count / 2 ** 20}\u00a0MB`

/** Numbers are on the right. @param {readonly string[]} headings @param {readonly (readonly string[])[]} rows */
function table(headings, rows) {
  const isNumber = (/** @type {number} */ column) =>
    rows.every((cells) => /^([\d.\u00a0]+(ms)?)?$/.test(cells[column] ?? ''))
  return [headings, headings.map((_, column) => (isNumber(column) ? '---:' : '---')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
