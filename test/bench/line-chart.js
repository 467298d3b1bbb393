import { grouped } from './grouped.js'

// One panel below the other, so that a phone shows the text at a size that can be read.
const WIDTH = 310
const HEIGHT = 180
const GAP = 70
const LEFT = 50
const RIGHT = 80
const TOP = 136

/**
 * @typedef {{ live: number, webhooks: number, bytesEach: number, nanosecondsEach: { p50: number } }} Figure
 * @typedef {{ node: string, date: string, sizes: Figure[], map: Figure[], webhooks: Figure[], soak: { hours: number, reservationsASecond: number, residentMegabytes: number[] } }} ScaleRun
 * @typedef {{ name: string, points: [number, number][], isPeer?: boolean }} Line
 */

/**
 * Draws four panels, one below the other: the time and the bytes of a reservation by the number of live nonces, the time by the number of webhooks,
 * and the memory per hour.
 *
 * @param {readonly ScaleRun[]} runs - one line per run, and one for the Map of the last run.
 * @returns {string} SVG that is readable on a light and on a dark background.
 */
export function lineChart(runs) {
  const last = runs.slice(-1)
  /** @param {(run: ScaleRun) => [number, number][]} pointsOf @returns {Line[]} */
  const own = (pointsOf) =>
    runs.map((run) => ({ name: `Node ${run.node.slice(1).split('.')[0]}`, points: pointsOf(run) }))
  /** @param {(figure: Figure) => number} figureOf @returns {Line[]} */
  const withMap = (figureOf) => [
    ...own(({ sizes }) => sizes.map((figure) => point(figure.live, figureOf(figure)))),
    ...last.map((run) => ({ name: 'Map', points: run.map.map((figure) => point(figure.live, figureOf(figure))) })),
  ]
  const panels = [
    panel(
      'Median time of a reservation, ns',
      'live nonces',
      withMap(({ nanosecondsEach }) => nanosecondsEach.p50),
    ),
    panel(
      'Bytes per nonce, from 100\u00a0000 nonces on',
      'live nonces',
      withMap(({ bytesEach }) => bytesEach).map(({ name, points }) => ({
        name,
        points: points.filter(([live]) => live >= 1e5),
      })),
    ),
    panel(
      'The same time with 1\u00a0000\u00a0000 live nonces, ns',
      'webhooks',
      own(({ webhooks }) => webhooks.map((figure) => point(figure.webhooks, figure.nanosecondsEach.p50))),
    ),
    panel(
      `MB in ${last[0]?.soak.hours} hours of ${last[0]?.soak.reservationsASecond} reservations per second`,
      'hours',
      own(({ soak }) => soak.residentMegabytes.map((megabytes, hour) => point(hour + 1, megabytes))),
      false,
    ),
  ]
  const legend = [
    ...runs.map(({ node, date }, index) => `${index === 0 ? 'Lower is better. ' : ''}Node ${node.slice(1)}, ${date}.`),
    'A Map holds at most 16.7 million entries.',
  ]
  const title =
    'Time and memory of a reservation in MemoryNonceStore, by the number of live nonces, by the number of webhooks, and over time'
  return chart(title, 'Time and memory of MemoryNonceStore', legend, panels)
}

/**
 * @typedef {{ accepted: number }} Load
 * @typedef {{ client: string, server: string, capacity: number, loads: { times: number, connected: Load, without: Load }[] }} OverloadedClient
 */

/**
 * Draws a panel per server: what its clients accept by what they are offered, with their connect functions and without.
 *
 * @param {{ node: string, date: string, clients: readonly OverloadedClient[] }} run
 * @returns {string} SVG that is readable on a light and on a dark background.
 */
export function overloadChart({ node, date, clients }) {
  const servers = [...new Set(clients.map(({ server }) => server))]
  const panels = servers.map((server) => {
    const own = clients.filter((client) => client.server === server)
    /** @param {'connected' | 'without'} variant @returns {Line[]} */
    const lines = (variant) =>
      own.map(({ client, capacity, loads }) => ({
        name: client,
        isPeer: variant === 'without',
        points: loads.map((load) => point(load.times, (100 * load[variant].accepted) / capacity)),
      }))
    return panel(
      `${server}: accepted, in % of what it can do`,
      'offered, as a multiple of what it can do',
      [...lines('connected'), ...lines('without')],
      false,
      [1, 2, 4, 8],
    )
  })
  const legend = [
    'Higher is better. Green and blue: with the connect',
    'function. Grey: the same client without it.',
    `Node ${node.slice(1)}, ${date}.`,
  ]
  return chart('What each client accepts under overload', 'Accepted requests under overload', legend, panels, 95)
}

/**
 * @param {string} title
 * @param {string} heading
 * @param {readonly string[]} legend
 * @param {readonly string[]} panels
 * @param {number} right - the room for the names of the lines.
 */
function chart(title, heading, legend, panels, right = RIGHT) {
  const width = LEFT + WIDTH + right
  const height = TOP + panels.length * (HEIGHT + GAP) - GAP + 20
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
text { fill: #24292f }
.quiet { fill: #57606a }
.line { stroke: #d0d7de }
.own { stroke: #1a7f37; fill: #1a7f37 }
.earlier { stroke: #54aeff; fill: #54aeff }
.peer { stroke: #8c959f; fill: #8c959f }
path { fill: none !important; stroke-width: 2 }
text.own, text.earlier, text.peer { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9198a1 }
  .line { stroke: #3d444d }
  .own { stroke: #3fb950; fill: #3fb950 }
  .earlier { stroke: #388bfd; fill: #388bfd }
  .peer { stroke: #9198a1; fill: #9198a1 }
}
</style>
<text x="10" y="24" font-size="16" font-weight="600">${heading}</text>
${legend.map((line, index) => `<text x="10" y="${46 + 18 * index}" class="quiet">${line}</text>`).join('\n')}
${panels.map((svg, index) => `<g transform="translate(${LEFT} ${TOP + index * (HEIGHT + GAP)})">${svg}</g>`).join('\n')}
</svg>
`
}

/** @param {number} x @param {number} y @returns {[number, number]} */
function point(x, y) {
  return [x, y]
}

/**
 * @param {string} title
 * @param {string} unit - the unit of the horizontal axis.
 * @param {Line[]} lines
 */
function panel(title, unit, lines, isLogarithmic = true, marks = [1, 10, 20, 30]) {
  const all = lines.flatMap(({ points }) => points)
  const scale = isLogarithmic ? Math.log10 : Number
  const [least, most] = [Math.min(...all.map(([x]) => scale(x))), Math.max(...all.map(([x]) => scale(x)))]
  const step = stepFor(Math.max(...all.map(([, y]) => y)))
  const top = Math.ceil(Math.max(...all.map(([, y]) => y)) / step) * step
  /** @param {number} value */
  const x = (value) => Math.round(((scale(value) - least) / (most - least)) * WIDTH)
  /** @param {number} value */
  const y = (value) => Math.round(HEIGHT - 30 - (value / top) * (HEIGHT - 30))
  const rows = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step).map(
    (value) =>
      `<line x1="0" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}" class="line"/>` +
      `<text x="-8" y="${y(value) + 4}" text-anchor="end" class="quiet">${grouped(value)}</text>`,
  )
  const ticks = isLogarithmic
    ? Array.from({ length: Math.floor(most) - Math.ceil(least) + 1 }, (_, index) => 10 ** (Math.ceil(least) + index))
    : marks
  const columns = ticks.map(
    (value) => `<text x="${x(value)}" y="${HEIGHT - 12}" text-anchor="middle" class="quiet">${short(value)}</text>`,
  )
  const drawn = lines.map((line, index) => {
    const { points } = line
    const kind = kindOf(line, index)
    const path = points.map(([a, b], at) => `${at === 0 ? 'M' : 'L'}${x(a)} ${y(b)}`).join(' ')
    const dots =
      points.length > 10 ? [] : points.map(([a, b]) => `<circle cx="${x(a)}" cy="${y(b)}" r="3" class="${kind}"/>`)
    return [`<path d="${path}" class="${kind}"/>`, ...dots].join('')
  })
  let free = Number.NEGATIVE_INFINITY
  const names = lines
    .map((line, index) => ({ name: line.name, kind: kindOf(line, index), end: line.points.at(-1) ?? point(0, 0) }))
    .sort((one, other) => y(one.end[1]) - y(other.end[1]))
    .map(({ name, kind, end }) => {
      // The labels are placed from the highest to the lowest, so that no label covers another one.
      const at = Math.max(y(end[1]), free)
      free = at + 16
      return `<text x="${x(end[0]) + 8}" y="${at + 4}" class="${kind}">${name}</text>`
    })
  return [
    `<text x="${-LEFT + 10}" y="-16" font-weight="600">${title}</text>`,
    ...rows,
    ...columns,
    `<text x="${WIDTH}" y="${HEIGHT + 8}" text-anchor="end" class="quiet">${unit}</text>`,
    ...drawn,
    ...names,
  ].join('\n')
}

/** @param {Line} line @param {number} index */
function kindOf({ name, isPeer = name === 'Map' }, index) {
  if (isPeer) return 'peer'
  return index === 0 ? 'own' : 'earlier'
}

/** Returns a step of 1, 2 or 5 times a power of ten, for about four rows. @param {number} most */
function stepFor(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 5) ?? most
}

/** @param {number} value */
function short(value) {
  if (value >= 1e6) return `${value / 1e6}M`
  return value >= 1e4 ? `${value / 1e3}k` : grouped(value)
}
