// The chart is as wide as a phone, so that its text can be read there.
const WIDTH = 440
const LABEL_WIDTH = 206
const BAR_HEIGHT = 14
const ROW_HEIGHT = 20
const GROUP_GAP = 14
const TOP = 112
const TICKS = [1, 2, 5, 10, 20]

/** The sizes of `verify` alone in the chart. The page of benchmarks has all. */
const SIZES = [256, 16_384, 262_144]

/**
 * @typedef {{ bodyBytes: number, timings: { name: string, ratio: number }[] }} Group
 */

/**
 * Draws the ratios to the baseline as horizontal bars on a logarithmic scale, with one group per size: whole handlers, then the
 * verifiers alone. It shows the newest version of Node that was measured.
 *
 * @param {readonly { node: string, date: string, versions: Record<string, string>, verification: Group[], handlers: { date: string, sizes: Group[] } }[]} runs
 * @returns {string} SVG that is readable on a light and on a dark background.
 */
export function barChart(runs) {
  const run = runs.at(-1)
  if (run === undefined) throw new Error('No run was measured.')
  /** @type {[heading: string, sizes: Group[]][]} */
  const panels = [
    ['A whole handler, as a multiple of reading and HMAC', run.handlers.sizes],
    [
      'The verifier alone, as a multiple of HMAC',
      run.verification.filter(({ bodyBytes }) => SIZES.includes(bodyBytes)),
    ],
  ]
  let y = TOP
  const groups = panels.flatMap(([heading, sizes]) => {
    const title = `<text x="10" y="${y}" font-weight="600">${heading}</text>`
    y += 10
    const bars = sizes.map(({ bodyBytes, timings }) => group(bodyBytes, timings))
    y += 16
    return [title, ...bars]
  })

  /** @param {number} bodyBytes @param {Group['timings']} timings */
  function group(bodyBytes, timings) {
    const title = `<text x="10" y="${y + 14}">Body of ${sizeOf(bodyBytes)}</text>`
    y += 24
    const bars = timings
      .filter(({ name }) => run?.versions[name] !== undefined)
      .map(({ name, ratio }) => {
        const isOwn = name === 'inbound-webhook-auth'
        const bar =
          `<text x="${LABEL_WIDTH - 8}" y="${y + 12}" text-anchor="end" font-size="13"${isOwn ? ' font-weight="600"' : ''}>${name}</text>` +
          `<rect x="${x(1)}" y="${y}" width="${Math.max(2, x(ratio) - x(1))}" height="${BAR_HEIGHT}" class="${isOwn ? 'own' : 'peer'}"/>` +
          `<text x="${Math.max(x(1) + 2, x(ratio)) + 5}" y="${y + 12}">${ratio.toFixed(2)}</text>`
        y += ROW_HEIGHT
        return bar
      })
    y += GROUP_GAP
    return [title, ...bars].join('\n')
  }
  const height = y + 20
  const lines = TICKS.map(
    (tick) =>
      `<line x1="${x(tick)}" x2="${x(tick)}" y1="${TOP}" y2="${y}" class="line"/>` +
      `<text x="${x(tick)}" y="${y + 16}" text-anchor="middle" class="quiet">${tick}×</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH * 1.25}" height="${height * 1.25}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="title">
<title id="title">Processor time to handle and to verify a request, as a multiple of its HMAC, by library and size of the body</title>
<style>
text { fill: #24292f }
.quiet { fill: #57606a }
.line { stroke: #d0d7de }
.own { fill: #1a7f37 }
.peer { fill: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9198a1 }
  .line { stroke: #3d444d }
  .own { fill: #3fb950 }
  .peer { fill: #656c76 }
}
</style>
<text x="10" y="24" font-size="16" font-weight="600">Processor time per request</text>
<text x="10" y="46" class="quiet">Shorter is better. The scale is logarithmic.</text>
<text x="10" y="64" class="quiet">Only inbound-webhook-auth reserves nonces here.</text>
<text x="10" y="82" class="quiet">Node ${run.node.slice(1)}, ${[...new Set([run.date, run.handlers.date])].join(' and ')}.</text>
${[...lines, ...groups].join('\n')}
</svg>
`
}

/** @param {number} ratio */
function x(ratio) {
  const most = Math.log10(30)
  const width = WIDTH - LABEL_WIDTH - 44
  return Math.round(LABEL_WIDTH + (Math.log10(Math.max(1, ratio)) / most) * width)
}

/** @param {number} bytes */
function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1_048_576 ? `${bytes / 1024} KB` : `${bytes / 1_048_576} MB`
}
