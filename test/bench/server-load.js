import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { shuffled, timingsOf } from './rounds.js'
import { bodyOf, SECRET, signed, standardWebhookHeaders, stripeHeaders } from './verifiers.js'

const CONNECTIONS = 32
const ROUNDS = 21
const WARM_UP = 4

/** The sizes of the body in bytes, and how many requests are sent in a turn. */
const SIZES = [
  [1024, 3000],
  [16_384, 1500],
  [262_144, 400],
]

const ownHeaders = (/** @type {Buffer} */ body) => signed(body).headers

/**
 * The servers: the name, the way of server.js, and the headers that it verifies. The first is the baseline.
 *
 * @type {readonly (readonly [name: string, way: string, headers: (body: Buffer) => Record<string, string>])[]}
 */
const SERVERS = [
  ['baseline: reading and HMAC', 'hmac', ownHeaders],
  ['reading alone', 'reading', ownHeaders],
  ['inbound-webhook-auth', 'receive', ownHeaders],
  ['readBody and verify', 'parts', ownHeaders],
  ['stripe', 'stripe', stripeHeaders],
  ['standardwebhooks', 'standardwebhooks', standardWebhookHeaders],
]

/**
 * Measures the processor time per request of servers in other processes, in turns. Times are only compared within a round.
 *
 * @returns {Promise<{ bodyBytes: number, timings: import('./rounds.js').Timing[] }[]>}
 */
export async function handlers() {
  const servers = await Promise.all(SERVERS.map(started))
  try {
    const results = []
    for (const [bodyBytes = 0, requests = 0] of SIZES) {
      results.push({ bodyBytes, timings: await inRounds(servers, bodyOf(bodyBytes), requests) })
    }
    return results
  } finally {
    for (const { child } of servers) child.kill()
  }
}

/** @typedef {Awaited<ReturnType<typeof started>>} Started */

/** @param {(typeof SERVERS)[number]} way */
async function started([name, way, headersOf]) {
  const child = fork(fileURLToPath(new URL('server.js', import.meta.url)), [SECRET, way])
  const [port] = await once(child, 'message')
  return { name, headersOf, child, port: Number(port) }
}

/**
 * @param {readonly Started[]} servers
 * @param {Buffer} body
 * @param {number} requests
 * @returns {Promise<import('./rounds.js').Timing[]>}
 */
async function inRounds(servers, body, requests) {
  const times = servers.map(() => /** @type {number[]} */ ([]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const turn of shuffled(servers.length)) {
      const server = /** @type {Started} */ (servers[turn])
      const texts = Array.from({ length: requests }, () => bytesOf(body, server.headersOf(body)))
      const before = await processorTime(server)
      await sent(texts, server.port)
      const time = (1000 * ((await processorTime(server)) - before)) / requests
      if (round >= 0) times[turn]?.push(time)
    }
  }
  return timingsOf(servers, times)
}

/** Returns the processor time of a server until now, in microseconds. @param {Started} server */
async function processorTime({ child }) {
  child.send('')
  const [{ user, system }] = await once(child, 'message')
  return user + system
}

/** @param {Buffer} body @param {Record<string, string>} headers */
function bytesOf(body, headers) {
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), body])
}

/**
 * Sends one request at a time on each connection.
 *
 * @param {Buffer[]} requests - the function removes them.
 * @param {number} port
 */
async function sent(requests, port) {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sentOn(connect(port, '127.0.0.1'), requests)))
}

/**
 * @param {import('node:net').Socket} socket
 * @param {Buffer[]} requests
 * @returns {Promise<void>}
 */
function sentOn(socket, requests) {
  return new Promise((resolve, reject) => {
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
