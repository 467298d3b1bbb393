import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handle, type NonceStore, receive, sign, withTimeout } from '../../src/index.js'
import { isInstalled } from '../support/programs.js'
import { RedisServer } from '../support/servers.js'
import { connect } from '../support/stores/source.js'

// A client keeps a reservation while Redis is down, and sends it when Redis is back. The sender repeats its request all the time.

const SECRET = 'the secret of the late reservations'
const TIMEOUT = 200

/** Resolves to `accepted`, or to the code of the error. */
async function deliver(store: NonceStore, text: string, headers: object, work: 'receive' | 'handle'): Promise<string> {
  const source = {
    webhookId: '42',
    request: new Request('http://localhost', { method: 'POST', headers: { ...headers }, body: text }),
  }
  try {
    if (work === 'receive') await receive(source, SECRET, store)
    else await handle(source, SECRET, store, () => {})
    return 'accepted'
  } catch (error) {
    return Object(error).code
  }
}

describe.runIf(isInstalled('redis-server'))('a retry of a request whose reservation comes late', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server.stop())

  const stores: [string, (store: NonceStore) => NonceStore][] = [
    ['', (store) => store],
    [', of a store with a long time-out in withTimeout', (store) => withTimeout(store, TIMEOUT)],
  ]

  for (const kind of ['redis', 'ioredis'] as const) {
    for (const work of ['receive', 'handle'] as const) {
      it.each(stores)(`gets 503 or is accepted, with ${work} and ${kind}%s`, async (description, wrap) => {
        const nonceStore = await connect[kind](server.url, { timeout: description === '' ? TIMEOUT : 10_000 })
        const store = wrap(nonceStore)
        const texts = Array.from({ length: 10 }, (_, index) => `{"event":${index}}`)
        const requests = texts.map((text) => [text, sign(text, SECRET)] as const)
        await server.kill()

        const outcomes = requests.map(() => [] as string[])
        const deliveries = requests.map(async ([text, headers], index) => {
          // Each sender begins at another time, so that some retries are in flight when Redis is back.
          await sleep(7 * index)
          while (outcomes[index]?.at(-1) !== 'accepted' && (outcomes[index]?.length ?? 0) < 400) {
            outcomes[index]?.push(await deliver(store, text, headers, work))
            await sleep(10)
          }
        })
        await sleep(1000)
        await server.restart()
        await Promise.all(deliveries)

        for (const list of outcomes) {
          expect(new Set(list)).toEqual(new Set(['ERR_NONCE_STORE', 'accepted']))
        }
        for (const [text, headers] of requests) {
          expect(await deliver(store, text, headers, work)).toBe('ERR_WEBHOOK_REJECTED')
        }
        await nonceStore.close()
      })
    }
  }
})
