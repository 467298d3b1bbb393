// `npm run bench:scale` measures how the cost of a reservation in memory grows with the number of live nonces and webhooks. It
// measures a Map too, and whether memory stays constant. It writes docs/scale.json and docs/scale.svg, with one run per major
// version of Node.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { lineChart } from './line-chart.js'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const RESULTS = new URL('../../docs/scale.json', import.meta.url)
const CHART = new URL('../../docs/scale.svg', import.meta.url)

/** Returns the JSON that a script prints in its own process. @param {string} script @param {string[]} args */
function measured(script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  // With these sizes, V8's young generation does not grow during the measurement.
  const flags = ['--expose-gc', '--max-old-space-size=8192', '--min-semi-space-size=16', '--max-semi-space-size=16']
  return JSON.parse(execFileSync(process.execPath, [...flags, path, ...args], { encoding: 'utf8' }))
}

/**
 * Returns the round with the shortest time, because other processes can only make it longer.
 *
 * @param {{ store: string, live: number, webhooks: number }} figure
 */
function best(figure) {
  const rounds = Array.from({ length: figure.live > 1_000_000 ? 1 : ROUNDS }, () =>
    measured('live-nonces.js', JSON.stringify(figure)),
  )
  const [one] = rounds.sort((a, b) => a.nanosecondsEach.p50 - b.nanosecondsEach.p50)
  console.log(
    [
      figure.store.padEnd(8),
      figure.live.toLocaleString('en').padStart(12),
      figure.webhooks.toLocaleString('en').padStart(9),
      one.bytesEach.toFixed(0).padStart(9),
      one.nanosecondsEach.p50.toFixed(0).padStart(8),
      one.nanosecondsSteady.toFixed(0).padStart(8),
      (one.nanosecondsEach.p999 / 1000).toFixed(1).padStart(8),
      one.longestPauseMilliseconds.toFixed(1).padStart(9),
      one.fullCollectionMilliseconds.toFixed(0).padStart(9),
      one.bytesLeft.toFixed(1).padStart(8),
    ].join(' '),
  )
  return one
}

console.log(`Node ${process.version}; times in ns, except p99.9 (µs), pause and collection (ms)\n`)
console.log('store            live  webhooks     bytes   median     mean    p99.9     pause    full GC   left')
const sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 2e7].map((live) => best({ store: 'memory', live, webhooks: 1 }))
const map = [1e3, 1e4, 1e5, 1e6, 8e6].map((live) => best({ store: 'map', live, webhooks: 1 }))
const webhooks = [1, 1e2, 1e4, 1e5].map((count) => best({ store: 'memory', live: 1e6, webhooks: count }))
const soak = measured('soak.js')
console.log(
  `\n${soak.hours} hours at ${soak.reservationsASecond} a second: ${soak.residentMegabytes[1]} MB after 2, ${soak.residentMegabytes.at(-1)} MB at the end`,
)

const run = {
  node: process.version,
  cpu: cpus()[0]?.model,
  date: new Date().toISOString().slice(0, 10),
  command: 'npm run bench:scale',
  sizes,
  map,
  webhooks,
  soak,
}
const major = process.version.split('.')[0]
/** @type {(typeof run)[]} */
const earlier = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : []
const others = earlier.filter(({ node }) => node.split('.')[0] !== major)
const runs = [...others, run].sort((one, other) => one.node.localeCompare(other.node, 'en', { numeric: true }))
writeFileSync(RESULTS, `${JSON.stringify(runs, undefined, 2)}\n`)
writeFileSync(CHART, lineChart(runs))
console.log('\nWritten: docs/scale.json, docs/scale.svg')
