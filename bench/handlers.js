// `npm run bench` measures the processor time per request of whole handlers, and the size of each entry of the package. It writes
// docs/benchmarks.json and the tables of docs/trust/benchmarks.md, with one run per major version of Node.
import { fork } from 'node:child_process'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, PACKAGES, requirePackage } from '../test/nightly/packages/packages.js'
import { bundled } from '../test/support/bundled.js'
import { ROOT } from '../test/support/packed.js'
import { fillTables } from './page.js'

installPackages()

const CONNECTIONS = 32
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 21)
const WARM_UP = 4

/** The sizes of the body in bytes, and how many requests are sent in a turn. */
const SIZES = [
  [1024, 3000],
  [16_384, 1500],
  [262_144, 400],
]

const SECRET = randomBytes(32).toString('base64url')

/** @typedef {(body: Buffer) => Record<string, string>} Sign */

/** @type {Sign} */
const signOwn = (body) => {
  const [timestamp, nonce] = [seconds(), randomUUID()]
  return { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': hmac(`${timestamp}:${nonce}:`, body, 'hex') }
}

/** @type {Sign} */
const signStripe = (body) => {
  const timestamp = seconds()
  return { 'stripe-signature': `t=${timestamp},v1=${hmac(`${timestamp}.`, body, 'hex')}` }
}

/** @type {Sign} */
const signStandard = (body) => {
  const [id, timestamp] = [randomUUID(), seconds()]
  const signature = `v1,${hmac(`${id}.${timestamp}.`, body, 'base64')}`
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

const seconds = () => String(Math.floor(Date.now() / 1000))

/** @param {string} prefix @param {Buffer} body @param {'hex' | 'base64'} encoding */
const hmac = (prefix, body, encoding) => createHmac('sha256', SECRET).update(prefix).update(body).digest(encoding)

/**
 * The handlers: the name, the way of server.js, and how a request is signed. The first is the baseline.
 *
 * @type {readonly (readonly [name: string, way: string, sign: Sign])[]}
 */
const HANDLERS = [
  ['baseline: reading and HMAC', 'hmac', signOwn],
  ['reading alone', 'reading', signOwn],
  ['receive', 'receive', signOwn],
  ['handle', 'handle', signOwn],
  ['stripe', 'stripe', signStripe],
  ['standardwebhooks', 'standardwebhooks', signStandard],
]

/** Measures servers in processes of their own, in turns. Shared machines are noisy, so times are only compared within a round. */
async function measureHandlers() {
  const servers = await Promise.all(HANDLERS.map(start))
  try {
    const sizes = []
    for (const [bodyBytes = 0, requests = 0] of SIZES) {
      const frame = JSON.stringify({ event: 'invoice.paid', text: '' })
      const body = Buffer.from(frame.replace('""', `"${'x'.repeat(bodyBytes - frame.length)}"`))
      sizes.push({ bodyBytes, ratios: await measureInRounds(servers, body, requests) })
    }
    return sizes
  } finally {
    for (const { child } of servers) child.kill()
  }
}

/** @typedef {Awaited<ReturnType<typeof start>>} Started */

/** @param {(typeof HANDLERS)[number]} handler */
async function start([name, way, sign]) {
  const child = fork(fileURLToPath(new URL('server.js', import.meta.url)), [SECRET, way])
  const [port] = await once(child, 'message')
  return { name, sign, child, port: Number(port) }
}

/**
 * Returns the time of each server divided by the time of the first one, in the median round.
 *
 * @param {readonly Started[]} servers
 * @param {Buffer} body
 * @param {number} requests
 * @returns {Promise<Record<string, number>>}
 */
async function measureInRounds(servers, body, requests) {
  const times = servers.map(() => /** @type {number[]} */ ([]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Each round begins with another server.
    for (let turn = 0; turn < servers.length; turn++) {
      const index = (turn + round + WARM_UP) % servers.length
      const server = /** @type {Started} */ (servers[index])
      const texts = Array.from({ length: requests }, () => bytesOf(body, server.sign(body)))
      const before = await processorTime(server)
      await Promise.all(Array.from({ length: CONNECTIONS }, () => send(server.port, texts)))
      if (round >= 0) times[index]?.push((await processorTime(server)) - before)
    }
  }
  const [baseline = []] = times
  return Object.fromEntries(
    servers.map(({ name }, index) => [name, median(times[index]?.map((time, round) => time / (baseline[round] ?? 0)))]),
  )
}

/** @param {readonly number[] | undefined} values */
function median(values = []) {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

/** Returns the processor time of a server until now, in microseconds. @param {Started} server */
async function processorTime({ child }) {
  child.send('')
  const [{ user, system }] = await once(child, 'message')
  return user + system
}

/** The headers that most requests have. */
const USUAL = {
  host: 'hooks.example.com',
  'user-agent': 'Sender/1.0',
  accept: '*/*',
  'content-type': 'application/json',
  'accept-encoding': 'gzip',
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
}

/** @param {Buffer} body @param {Record<string, string>} headers */
function bytesOf(body, headers) {
  const lines = Object.entries({ ...USUAL, ...headers, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), body])
}

/**
 * Sends requests on one connection, one at a time. The connections share the list, from which each removes what it sends.
 *
 * @param {number} port
 * @param {Buffer[]} requests
 * @returns {Promise<void>}
 */
function send(port, requests) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const next = () => {
      const request = requests.pop()
      if (request !== undefined) return socket.write(request)
      socket.destroy()
      return resolve()
    }
    socket.setNoDelay(true).once('connect', next).once('error', reject)
    socket.on('data', (answer) => {
      if (!answer.toString('latin1', 0, 12).endsWith('204')) return reject(new Error(`not accepted: ${answer}`))
      next()
    })
  })
}

/** Returns the size of `verify` alone and of each entry of the package. */
async function measureSizes() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const entries = Object.keys(exports).filter((path) => typeof exports[path] === 'object')
  const programs = [
    ['verify', "import { verify } from './dist/index.js'; verify()"],
    ...entries.map((path) => [
      path.replace('.', 'inbound-webhook-auth'),
      `export * from '${exports[path].import.default}'`,
    ]),
  ]
  return Promise.all(
    programs.map(async ([name = '', source = '']) => {
      const { minified, gzipped } = await bundled(source, ROOT)
      return { name, minified, gzipped }
    }),
  )
}

/** @param {string} name */
const versionOf = (name) => requirePackage(join(PACKAGES, name, 'package.json')).version

const run = {
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  date: new Date().toISOString().slice(0, 10),
  versions: { stripe: versionOf('stripe'), standardwebhooks: versionOf('standardwebhooks') },
  handlers: await measureHandlers(),
  sizes: await measureSizes(),
}

const RESULTS = join(ROOT, 'docs/benchmarks.json')
const PAGE = join(ROOT, 'docs/trust/benchmarks.md')
const major = (/** @type {string} */ version) => version.split('.')[0]
/** @type {import('./page.js').Run[]} */
const earlier = JSON.parse(readFileSync(RESULTS, 'utf8'))
const runs = [...earlier.filter(({ node }) => major(node) !== major(run.node)), run].sort((one, other) =>
  one.node.localeCompare(other.node, 'en', { numeric: true }),
)
writeFileSync(RESULTS, `${JSON.stringify(runs, undefined, 2)}\n`)
writeFileSync(PAGE, fillTables(readFileSync(PAGE, 'utf8'), runs))
console.log('Written: docs/benchmarks.json, docs/trust/benchmarks.md')
