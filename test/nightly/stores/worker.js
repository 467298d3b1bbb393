// One of several processes. It sends requests to a shared store, and prints the outcomes as JSON.
// Arguments: the store's kind, its address as JSON, and what to do.
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { handle, sign, verify } from '../../../dist/index.js'
import { connectStore } from './connect.js'

const [kind = '', address = '', task = '', ...args] = process.argv.slice(2)
const { WEBHOOK_SECRET = '' } = process.env
/**
 * The time-out in milliseconds. Under faults it is that of the guide. Otherwise it is long, for a machine under load.
 */
const timeout = task === 'load' ? 1000 : 60_000
// The set-ups log each connection that is lost.
if (timeout <= 1000) console.error = () => {}
// postgres.js logs the notices of the server.
console.log = () => {}
const connect = () => connectStore(kind, JSON.parse(address), timeout)
const { nonceStore, close } = await (timeout <= 1000 ? warmUp() : connect())

/** Connects and makes the first call, which is slow. On a machine under load, this may need several attempts. */
async function warmUp() {
  for (let attempt = 1; ; attempt++) {
    try {
      const connected = await connect()
      await connected.nonceStore.reserve('the first call', randomUUID(), 1)
      return connected
    } catch (error) {
      if (attempt === 10) throw error
    }
  }
}

/** @type {Record<string, (...args: string[]) => Promise<void>>} */
const TASKS = {
  /** Opens the store, and does nothing else. */
  async open() {},

  /**
   * Sends new requests at a fixed rate, whether the store answers or not, until it reads `stop`. All processes send the same
   * signed messages, but each process splits them in its own way into nonce and body. Then it reads numbers, and sends the
   * requests with these numbers again. It prints the outcome of each. With `events`, each request has an event.
   */
  async load(seed = '', interval = '', split = '', events = '') {
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
    process.stdout.write('ready\n')
    const start = Number((await lines.next()).value)
    const timestamp = Math.floor(start / 1000)

    /** @param {number} number */
    async function send(number) {
      const parts = [`${seed}-${number}`, '{"event"', '"invoice.paid"}']
      const nonce = parts.slice(0, Number(split)).join(':')
      const body = parts.slice(Number(split)).join(':')
      const headers = sign(body, WEBHOOK_SECRET, { nonce, timestamp })
      const startedAt = Date.now()
      const clock = performance.now()
      const source = { webhookId: '42', request: { headers, body: Buffer.from(body) }, eventId: () => number }
      const accept = events
        ? () => handle(source, WEBHOOK_SECRET, nonceStore, () => 'accepted')
        : async () => {
            const result = await verify({ webhookId: '42', headers, body }, WEBHOOK_SECRET, nonceStore)
            return result.ok ? 'accepted' : result.reason
          }
      const outcome = await accept().then(
        (accepted) => accepted ?? 'repeated',
        (error) => error.reason ?? `${error.code}: ${error.cause?.message || error.cause?.code || error.cause}`,
      )
      return { number, startedAt, milliseconds: performance.now() - clock, outcome }
    }

    let stopped = false
    const stop = lines.next().then(() => {
      stopped = true
    })
    let longestPause = 0
    let last = performance.now()
    const pauses = setInterval(() => {
      longestPause = Math.max(longestPause, performance.now() - last - 10)
      last = performance.now()
    }, 10)
    const attempts = []
    for (let number = 0; !stopped; number++) {
      await sleep(Math.max(0, start + number * Number(interval) - Date.now()))
      attempts.push(send(number))
    }
    await stop
    clearInterval(pauses)
    process.stdout.write(`${JSON.stringify({ attempts: await Promise.all(attempts), longestPause })}\n`)

    const again = []
    for (const number of JSON.parse((await lines.next()).value ?? '[]')) again.push(await send(number))
    process.stdout.write(`${JSON.stringify(again)}\n`)
  },

  /** Reserves one nonce after the other until it is killed, and prints each confirmed nonce. */
  async reserve() {
    for (let index = 0; ; index++) {
      const headers = sign('', WEBHOOK_SECRET, { nonce: `${process.pid}-${index}` })
      const result = await verify({ webhookId: '42', headers, body: '' }, WEBHOOK_SECRET, nonceStore)
      if (result.ok) process.stdout.write(`${result.nonce}\n`)
    }
  },
}

const act = TASKS[task]
if (act === undefined) throw new Error(`no task ${task}`)
await act(...args)
await close()
process.exit()
