const PANEL_WIDTH = 470
const LABEL_WIDTH = 190
const BAR_HEIGHT = 13
const ROW_HEIGHT = 17
const GROUP_GAP = 30
const TICKS = [1, 2, 5, 10, 20]

/**
 * Draws the ratios to the baseline as horizontal bars on a logarithmic scale, with one panel per run and one group per size.
 *
 * @param {{ node: string, date: string, verification: { bodyBytes: number, timings: { name: string, ratio: number }[] }[] }[]}
 * runs
 * @returns {string} SVG that is readable on a light and on a dark background.
 */
export function barChart(runs) {
  const panels = runs.map((run) => panel(run))
  const height = Math.max(...panels.map((one) => one.height)) + 90
  const width = Math.max(PANEL_WIDTH * runs.length, 600) + 20
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-labelledby="title">
<title id="title">Time to verify a request, as a multiple of its HMAC and comparison alone, by library and size of the body</title>
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
<text x="10" y="24" font-size="15" font-weight="600">Time to verify, as a multiple of the HMAC and its comparison alone</text>
<text x="10" y="44" class="quiet">Shorter is better; logarithmic scale. Only inbound-webhook-auth remembers the nonces: each request makes one or two reservations.</text>
${panels.map(({ svg }, index) => `<g transform="translate(${10 + index * PANEL_WIDTH} 70)">${svg}</g>`).join('\n')}
</svg>
`
}

/** @param {Parameters<typeof barChart>[0][number]} run */
function panel({ node, date, verification }) {
  const rows = verification.map(({ timings }) => timings.length - 1)
  const height = rows.reduce((sum, count) => sum + count * ROW_HEIGHT + GROUP_GAP, 30)
  const lines = TICKS.map(
    (tick) =>
      `<line x1="${x(tick)}" x2="${x(tick)}" y1="12" y2="${height - 20}" class="line"/>` +
      `<text x="${x(tick)}" y="${height - 4}" text-anchor="middle" class="quiet">${tick}×</text>`,
  )
  let y = 14
  const groups = verification.map(({ bodyBytes, timings }) => {
    const title = `<text x="0" y="${y + 12}" font-weight="600">${sizeOf(bodyBytes)}</text>`
    y += 18
    const bars = timings.slice(1).map(({ name, ratio }) => {
      const isOwn = name === 'inbound-webhook-auth'
      const bar =
        `<text x="${LABEL_WIDTH - 8}" y="${y + 10}" text-anchor="end"${isOwn ? ' font-weight="600"' : ''}>${name}</text>` +
        `<rect x="${x(1)}" y="${y}" width="${Math.max(2, x(ratio) - x(1))}" height="${BAR_HEIGHT}" class="${isOwn ? 'own' : 'peer'}"/>` +
        `<text x="${Math.max(x(1) + 2, x(ratio)) + 5}" y="${y + 10}">${ratio.toFixed(2)}</text>`
      y += ROW_HEIGHT
      return bar
    })
    y += GROUP_GAP - 18
    return [title, ...bars].join('\n')
  })
  const title = `<text x="0" y="4" class="quiet">Node ${node.slice(1)}, ${date}</text>`
  return { height, svg: [title, ...lines, ...groups].join('\n') }
}

/** @param {number} ratio */
function x(ratio) {
  const most = Math.log10(30)
  const width = PANEL_WIDTH - LABEL_WIDTH - 50
  return Math.round(LABEL_WIDTH + (Math.log10(Math.max(1, ratio)) / most) * width)
}

/** @param {number} bytes */
function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1_048_576 ? `${bytes / 1024} KB` : `${bytes / 1_048_576} MB`
}
