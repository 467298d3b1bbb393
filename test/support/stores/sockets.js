// A process that opens and closes one store, as the lines of its input say. It answers each line with the number of its sockets.
// Arguments: the store's kind, its address as JSON, and its timeout in milliseconds.
import { createInterface } from 'node:readline'
import { connectStore } from './connect.js'

const [kind = '', address = '', timeout = ''] = process.argv.slice(2)
/** @type {import('./connect.js').Connected | undefined} */
let store
// The set-up of the guides logs errors. They are expected here.
console.error = () => {}

/** @type {Record<string, () => unknown>} */
const ACTS = {
  async open() {
    store = await connectStore(kind, JSON.parse(address), Number(timeout))
  },
  async close() {
    await store?.close()
    store = undefined
  },
  count() {},
}

// A steady load, as in a server.
let number = 0
async function reserve() {
  await store?.nonceStore.reserve('42', `${process.pid}-${number++}`, 600)
}
setInterval(() => reserve().catch(() => {}), 50)

for await (const line of createInterface({ input: process.stdin })) {
  let outcome = 'done'
  try {
    await ACTS[line]?.()
  } catch (error) {
    outcome = Object(error).code
  }
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  process.stdout.write(`${JSON.stringify({ outcome, sockets })}\n`)
}
process.exit()
