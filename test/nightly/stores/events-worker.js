// A process of the storm of events: handles the requests that its parent sends over a nonce store, until it is killed.
// Arguments: the client, its address as JSON, the file of effects, `once` if the events have an ID, and the time of the work, which then
// never fails.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { handle, refusal } from '../../../dist/index.js'
import { connectStore } from './connect.js'

const [kind = '', address = '', file = '', mode, milliseconds] = process.argv.slice(2)
const { nonceStore } = await connectStore(kind, JSON.parse(address), 1000)
// The set-ups log each connection that is lost.
console.error = () => {}

/** @param {string} id */
async function work(id) {
  await sleep(milliseconds === undefined ? 5 + Math.random() * 100 : Number(milliseconds))
  if (milliseconds === undefined && Math.random() < 0.1) throw new Error('the work fails')
  // One line is one write, which a kill does not cut.
  appendFileSync(file, `${JSON.stringify({ id, pid: process.pid, at: Date.now() })}\n`)
}

process.on(
  'message',
  async (/** @type {{ number: number, headers: Record<string, string>, body: string }} */ message) => {
    const { number, headers, body } = message
    const request = { headers, body: Buffer.from(body) }
    const source = {
      webhookId: '42',
      request,
      ...(mode === 'once' ? { eventId: () => String(JSON.parse(body).id) } : {}),
    }
    let status = 204
    try {
      await handle(source, 'the secret of webhook 42', nonceStore, () => work(JSON.parse(body).id))
    } catch (error) {
      status = refusal(error, { log() {} }).status
    }
    process.send?.({ number, status })
  },
)
process.on('uncaughtException', (error) => process.stderr.write(`uncaught: ${error.message}\n`))
process.send?.('ready')
