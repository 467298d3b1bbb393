// One of several processes: verifies requests against a shared store and prints what came of them, as JSON.
// Arguments: the store's kind, its address as JSON, and what to do.
import { readFileSync } from 'node:fs'
import { sign, verify } from '../../../dist/index.js'
import { STORES } from './connect.js'

const [kind = '', address = '', task = '', ...args] = process.argv.slice(2)
const { WEBHOOK_SECRET = '' } = process.env
const { nonceStore, close } = await /** @type {NonNullable<typeof STORES[string]>} */ (STORES[kind])(
  JSON.parse(address),
)

/** @type {Record<string, (...args: string[]) => Promise<void>>} */
const TASKS = {
  /** Opens the store, and that is all. */
  async open() {},

  /** Verifies the requests of a file, in an order of its own, so many at a time, and counts the outcomes. */
  async verify(file = '', inFlight = '') {
    /** @type {import('../../../dist/index.js').WebhookRequest[]} */
    const requests = JSON.parse(readFileSync(file, 'utf8'))
    requests.sort(() => Math.random() - 0.5)
    process.stdout.write('ready\n')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    /** @type {Record<string, number>} */
    const counts = {}
    let next = 0
    await Promise.all(
      Array.from({ length: Number(inFlight) }, async () => {
        for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
          const outcome = await verify(request, WEBHOOK_SECRET, nonceStore).then(
            (verdict) => (verdict.ok ? 'accepted' : verdict.reason),
            (error) => `${error.code}: ${error.cause}`,
          )
          counts[outcome] = (counts[outcome] ?? 0) + 1
        }
      }),
    )
    process.stdout.write(JSON.stringify(counts))
  },

  /** Reserves nonce after nonce and prints each that is confirmed, until it is killed. */
  async reserve() {
    for (let index = 0; ; index++) {
      const headers = sign('', WEBHOOK_SECRET, { nonce: `${process.pid}-${index}` })
      const verdict = await verify({ webhookId: '42', headers, body: '' }, WEBHOOK_SECRET, nonceStore)
      if (verdict.ok) process.stdout.write(`${verdict.nonce}\n`)
    }
  },
}

const act = TASKS[task]
if (act === undefined) throw new Error(`no task ${task}`)
await act(...args)
await close()
process.exit()
