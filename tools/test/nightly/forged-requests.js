// Prints how many explanations 10 000 forged requests to a handler get, and how much processor time a request takes with `explain`, compared
// with a request without it. Run: node tools/test/nightly/forged-requests.js
// It is a program of its own, because the processor time of a process includes that of all tests that run in it.
import { once } from 'node:events'
import { Agent, createServer, request as send } from 'node:http'
import { receive, refuse } from '../../../dist/index.js'
import { explain } from '../../dist/index.js'

const SECRET = 'the signing secret of webhook 42'
const ROUNDS = 200
const REQUESTS = 25
const BODY = JSON.stringify({ event: 'invoice.paid', id: 42, name: 'Zoë' })
let explanations = 0
/** @param {{ message: string }} entry */
const log = ({ message }) => {
  if (message.includes(' (signature_mismatch) ')) explanations++
}
const store = { reserve: () => true }
const server = createServer(async (request, response) => {
  try {
    await receive({ webhookId: '42', request }, SECRET, store)
  } catch (error) {
    refuse(response, error, { log: request.url === '/explained' ? explain(SECRET, { log }) : log })
  }
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const agent = new Agent({ keepAlive: true })

/** Sends forged requests, and returns their processor time in microseconds. @param {string} path @param {number} requests */
async function forge(path, requests) {
  const before = process.cpuUsage()
  for (let number = 0; number < requests; number++) {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = { 'x-timestamp': timestamp, 'x-nonce': `nonce-${number}`, 'x-signature': 'ab'.repeat(32) }
    const sent = send({ port, host: '127.0.0.1', method: 'POST', path, headers, agent }).end(BODY)
    const [response] = await once(sent, 'response')
    if (response.statusCode !== 401) throw new Error(`The status is ${response.statusCode}.`)
    await once(response.resume(), 'end')
  }
  const { user, system } = process.cpuUsage(before)
  return user + system
}

// The first request is explained. The others come after the explanation, which is no part of their time.
await forge('/explained', 1)
while (explanations === 0) await new Promise(setImmediate)
/** @type {number[]} */
const ratios = []
for (let round = 0; round < ROUNDS; round++) {
  const explained = await forge('/explained', REQUESTS)
  const usual = (await forge('/usual-log', REQUESTS)) + (await forge('/usual-log', REQUESTS))
  ratios.push((explained + (await forge('/explained', REQUESTS))) / usual)
}
server.close()
agent.destroy()
// Neighbouring requests are compared, because the speed of a machine changes.
const ratio = ratios.toSorted((one, other) => one - other)[ROUNDS / 2]
console.log(JSON.stringify({ explanations, ratio }))
