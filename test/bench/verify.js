// `npm run bench` compares `verify` with its HMAC alone and with other verifiers, in one process and in turns. It also measures
// rejected requests, whole handlers in a server, the time of the import, and the size of a bundle. It writes
// docs/benchmarks.json and the tables of docs/trust/benchmarks.md, with one run per major version of Node.
// `npm run bench -- handlers` measures only the handlers again, and keeps the other figures of this version of Node.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { MemoryNonceStore, verify } from '../../dist/index.js'
import { installPackages } from '../nightly/packages/packages.js'
import { bundled } from '../support/bundled.js'
import { drawChart } from './chart.js'
import { importTimes } from './import-time.js'
import { inTurns } from './rounds.js'
import { handlers } from './server-load.js'
import { fillTables } from './tables.js'
import { baseline, bodyOf, own, PEERS, SECRET, signed, stripeRejections } from './verifiers.js'

installPackages()

const SIZES = [256, 1024, 16_384, 262_144, 1_048_576]
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 201)
const RESULTS = new URL('../../docs/benchmarks.json', import.meta.url)
const PAGE = new URL('../../docs/trust/benchmarks.md', import.meta.url)
const CHART = new URL('../../docs/benchmarks.svg', import.meta.url)

/** @param {number} size */
function callsFor(size) {
  // Short rounds: other work on the machine then disturbs few of them, and the median is of those that it leaves alone.
  return Math.max(5, Math.round(8_000_000 / (size + 16_000)))
}

async function verification() {
  const verifiers = [baseline(), own(), ...(await Promise.all(PEERS.map((peer) => peer())))]
  const versions = Object.fromEntries(verifiers.slice(1).map(({ name, version }) => [name, version]))
  const results = []
  for (const size of SIZES) {
    const body = bodyOf(size)
    const contestants = verifiers.map((verifier) => contestant(verifier, body))
    results.push({ bodyBytes: size, timings: await inTurns(contestants, { rounds: ROUNDS, calls: callsFor(size) }) })
  }
  return { versions, results }
}

/**
 * @param {import('./verifiers.js').Verifier} verifier
 * @param {Buffer} body
 * @returns {import('./rounds.js').Contestant}
 */
function contestant({ name, received, isAcceptance }, body) {
  return { name, prepare: () => received(body), isRight: isAcceptance }
}

/** Measures rejected requests: forged and malformed ones, and a replay. */
async function rejections() {
  const body = bodyOf(1024)
  const nonceStore = new MemoryNonceStore()
  const stale = String(Math.floor(Date.now() / 1000) - 3600)
  const replayed = signed(body)
  await verify(replayed, SECRET, nonceStore)
  /** @type {[string, () => import('../../dist/index.js').WebhookRequest][]} */
  const broken = [
    ['forged: signature_mismatch', () => signed(body, { signature: '0'.repeat(64) })],
    ['no signature by its form: signature_mismatch', () => signed(body, { signature: 'sha256=0' })],
    ['stale: timestamp_outside_window', () => signed(body, { timestamp: stale })],
    ['malformed: invalid_timestamp', () => signed(body, { timestamp: '2026-11-21T00:00:00Z' })],
    ['without headers: missing_header', () => ({ webhookId: 'billing', headers: { host: 'hooks.example.com' }, body })],
    ['replayed: replayed_nonce', () => replayed],
  ]
  const contestants = [
    contestant(baseline(), body),
    ...broken.map(([name, request]) => ({
      name,
      prepare() {
        const received = request()
        return () => verify(received, SECRET, nonceStore)
      },
      /** @param {unknown} result */
      isRight: (result) => name.endsWith(Object(result).reason),
    })),
    ...stripeRejections(body),
  ]
  return inTurns(contestants, { rounds: ROUNDS, calls: 500 })
}

/** Returns the size of each entry of the package, and of the imports that a handler needs. */
async function entrySizes() {
  const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const entries = Object.keys(exports).filter((path) => typeof exports[path] === 'object')
  const programs = [
    { name: 'verify', source: "import { verify } from './index.js'; verify()" },
    {
      name: 'verify and MemoryNonceStore',
      source: "import { verify, MemoryNonceStore } from './index.js'; verify(new MemoryNonceStore())",
    },
    ...entries.map((path) => ({
      name: path.replace('.', 'inbound-webhook-auth'),
      source: `export * from '${exports[path].import.default.replace('./dist/', './')}'`,
    })),
  ]
  const folder = fileURLToPath(new URL('../../dist', import.meta.url))
  return Promise.all(programs.map(async ({ name, source }) => ({ name, ...(await bundled(source, folder)) })))
}

/** @param {import('./rounds.js').Timing[]} timings */
function print(timings) {
  for (const { name, nanoseconds, ratio, spread } of timings) {
    const [low, high] = spread.map((bound) => bound.toFixed(2))
    console.log(
      `  ${name.padEnd(46)} ${(nanoseconds / 1000).toFixed(2).padStart(10)} µs  ${ratio.toFixed(2).padStart(6)}  (${low} to ${high})`,
    )
  }
}

const major = process.version.split('.')[0]
/** @type {import('./tables.js').Run[]} */
const earlier = JSON.parse(readFileSync(RESULTS, 'utf8'))
const before = earlier.find(({ node }) => node.split('.')[0] === major)
const others = earlier.filter((one) => one !== before)
const rest = process.argv[2] === 'handlers' && before !== undefined ? before : await measured()

const date = new Date().toISOString().slice(0, 10)
const run = { ...rest, handlers: { date, sizes: await handlers() } }
for (const { bodyBytes, timings } of run.handlers.sizes) {
  console.log(`\nA node:http server, ${bodyBytes} bytes per request, 32 connections: processor time per request`)
  print(timings)
}

const runs = [...others, run].sort((one, other) => one.node.localeCompare(other.node, 'en', { numeric: true }))
writeFileSync(RESULTS, `${JSON.stringify(runs, undefined, 2)}\n`)
writeFileSync(PAGE, fillTables(readFileSync(PAGE, 'utf8'), runs))
writeFileSync(CHART, drawChart(runs))
console.log('\nWritten: docs/benchmarks.json, docs/trust/benchmarks.md, docs/benchmarks.svg')

/** Measures everything but whole handlers. @returns {Promise<Omit<import('./tables.js').Run, 'handlers'>>} */
async function measured() {
  const { versions, results } = await verification()
  for (const { bodyBytes, timings } of results) {
    console.log(`\nA genuine request of ${bodyBytes} bytes: median, ratio to the baseline (quartiles)`)
    print(timings)
  }

  const rejected = await rejections()
  console.log('\nA rejected request of 1024 bytes')
  print(rejected)

  const imports = importTimes()
  console.log('\nImport, in a new process')
  for (const { name, milliseconds } of imports)
    console.log(`  ${name.padEnd(46)} ${milliseconds.toFixed(1).padStart(6)} ms`)

  const sizes = await entrySizes()
  console.log('\nBundled and minified: bytes, gzipped')
  for (const { name, minified, gzipped } of sizes) {
    console.log(`  ${name.padEnd(46)} ${String(minified).padStart(7)} ${String(gzipped).padStart(7)}`)
  }

  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
    command: 'npm run bench',
    versions,
    verification: results,
    rejections: rejected,
    imports,
    sizes,
  }
}
