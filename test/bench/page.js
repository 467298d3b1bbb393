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

/** What each bar includes. A handler that does more comes first, and its work is named. */
const WORK = {
  'inbound-webhook-auth': 'body, signature, replays',
  stripe: 'body, signature',
  standardwebhooks: 'body, signature',
}

const ROW = 38
const LEFT = 4
const WIDTH = 380
/** The longest bar leaves room for its figure. */
const MAX_BAR = 320

/**
 * Draws what a whole handler costs, with the newest version of Node that was measured. The largest bodies come first.
 *
 * @param {readonly Run[]} runs
 */
export function drawChart(runs) {
  const { node, handlers } = /** @type {Run} */ (runs.at(-1))
  const sizes = handlers.toReversed()
  const largest = Math.max(...sizes.flatMap(({ ratios }) => Object.keys(WORK).map((name) => ratios[name] ?? 0)))
  const x = (/** @type {number} */ ratio) => Math.round((ratio / largest) * MAX_BAR)
  let y = 46
  const groups = sizes.map(({ bodyBytes, ratios }) => {
    y += 20
    const title = `<text class="title" x="${LEFT}" y="${y}">Body of ${bodyBytes / 1024} KB</text>`
    const bars = Object.entries(WORK).map(([name, work]) => {
      const ratio = ratios[name] ?? Number.NaN
      const bar = `<rect class="${name === 'inbound-webhook-auth' ? 'good' : 'box'}" x="${LEFT}" y="${y + 26}" width="${x(ratio)}" height="11"/>`
      const text = `<text x="${LEFT}" y="${y + 21}">${name}: ${work}</text><text x="${LEFT + x(ratio) + 6}" y="${y + 37}">${ratio.toFixed(2)}</text>`
      y += ROW
      return `${bar}\n${text}`
    })
    y += 12
    return [title, ...bars].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" class="diagram" role="img" aria-labelledby="benchmarks-title benchmarks-desc">
<title id="benchmarks-title">Processor time of a whole handler, compared</title>
<desc id="benchmarks-desc">${sizes
    .map(
      ({ bodyBytes, ratios }) =>
        `Body of ${bodyBytes / 1024} KB: ${Object.keys(WORK)
          .map((name) => `${name} ${ratios[name]?.toFixed(2)}`)
          .join(', ')}.`,
    )
    .join(' ')}</desc>
<style>
  .diagram { --diagram-line: #566072; --diagram-text: #1c2330; --diagram-box: #eef1f6; --diagram-good: #14703a; --diagram-good-soft: #d9f2df; }
  @media (prefers-color-scheme: dark) { .diagram { --diagram-line: #a6b0c0; --diagram-text: #e7eaf0; --diagram-box: #2a3240; --diagram-good: #7fd8a0; --diagram-good-soft: #1c4528; } }
  .diagram text { fill: var(--diagram-text); font: 14px system-ui, sans-serif; }
  .diagram .title { font-weight: 600; }
  .diagram .box { fill: var(--diagram-box); stroke: var(--diagram-line); }
  .diagram .good { fill: var(--diagram-good-soft); stroke: var(--diagram-good); }
</style>
<text x="${LEFT}" y="16">Processor time per request, Node ${node.slice(1)}.</text>
<text x="${LEFT}" y="36">1.00 is to read the body and compute one HMAC.</text>
${groups.join('\n')}
</svg>
`
}
