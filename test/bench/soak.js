// Uses a MemoryNonceStore for 30 simulated hours at a steady rate. Run: node --expose-gc soak.js. It prints the resident memory
// of the process after each hour, as JSON.
import { randomFillSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryNonceStore } from '../../dist/index.js'

const HOURS = 30
const RESERVATIONS_A_SECOND = 200
const WEBHOOKS = 1000

const clock = { milliseconds: 0, now: () => clock.milliseconds }
const nonceStore = new MemoryNonceStore({ clock })
const random = new Uint8Array(16)
const residentMegabytes = []
for (let hour = 1; hour <= HOURS; hour++) {
  for (let count = 0; count < 3600 * RESERVATIONS_A_SECOND; count++) {
    clock.milliseconds += 1000 / RESERVATIONS_A_SECOND
    const nonce = Buffer.from(randomFillSync(random).buffer).toString('hex')
    if (!nonceStore.reserve(`webhook ${count % WEBHOOKS}`, nonce, 600))
      throw new Error('the store rejected a new nonce')
  }
  globalThis.gc?.()
  await sleep(50)
  residentMegabytes.push(Math.round(process.memoryUsage().rss / 1e5) / 10)
}
console.log(JSON.stringify({ hours: HOURS, reservationsASecond: RESERVATIONS_A_SECOND, residentMegabytes }))
