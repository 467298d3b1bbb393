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
 * @param {readonly import('./tables.js').Run[]} runs
 */
export function drawChart(runs) {
  const { node, handlers } = /** @type {import('./tables.js').Run} */ (runs.at(-1))
  const sizes = [...handlers.sizes].reverse()
  const largest = Math.max(...sizes.flatMap(({ timings }) => Object.keys(WORK).map((name) => ratioOf(timings, name))))
  const x = (/** @type {number} */ ratio) => Math.round((ratio / largest) * MAX_BAR)
  let y = 46
  const groups = sizes.map(({ bodyBytes, timings }) => {
    y += 20
    const title = `<text class="title" x="${LEFT}" y="${y}">Body of ${bodyBytes / 1024} KB</text>`
    const bars = Object.entries(WORK).map(([name, work]) => {
      const ratio = ratioOf(timings, name)
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
      ({ bodyBytes, timings }) =>
        `Body of ${bodyBytes / 1024} KB: ${Object.keys(WORK)
          .map((name) => `${name} ${ratioOf(timings, name).toFixed(2)}`)
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

/** @param {readonly import('./rounds.js').Timing[]} timings @param {string} name */
function ratioOf(timings, name) {
  const found = timings.find((one) => one.name === name)
  if (found === undefined) throw new Error(`docs/benchmarks.json has no handler "${name}". Run: npm run bench`)
  return found.ratio
}
