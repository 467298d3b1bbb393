import { describe, expect, it } from 'vitest'
import type { NonceStore } from '../../src/index.js'
import { fc } from '../support/fast-check.js'
import { SECRET, TestClock } from '../support/request.js'
import { SCHEMES } from '../support/schemes.js'

// Copies of one request arrive at two processes that share a store. Their steps happen in any order.

const BODY = Buffer.from('{"event":"invoice.paid"}')
const FAILURE = new Error('the work failed')

/** A shared store whose calls arrive, and are answered, when `step` says so. */
class SharedStore {
  readonly owners = new Map<string, string | undefined>()

  constructor(readonly step: (name: string) => Promise<unknown>) {}

  /** Returns the store of one process. */
  connect(): NonceStore {
    const reserveAll = async (webhookId: string, keys: readonly string[], _ttlSeconds: number, owner?: string) => {
      await this.step('the reservation arrives')
      const names = keys.map((key) => `${webhookId} ${key}`)
      const isFree = names.every((name) => !this.owners.has(name))
      if (isFree) for (const name of names) this.owners.set(name, owner)
      await this.step('the answer arrives')
      return isFree
    }
    return {
      reserve: (webhookId, key, ttlSeconds, owner) => reserveAll(webhookId, [key], ttlSeconds, owner),
      reserveAll,
      release: async (webhookId, keys, owner) => {
        await this.step('the release arrives')
        for (const key of keys) {
          const name = `${webhookId} ${key}`
          if (this.owners.get(name) === owner) this.owners.delete(name)
        }
        await this.step('the release is answered')
      },
    }
  }
}

describe.each(SCHEMES)('nothing lost, and nothing done twice (%s)', (_, { handle, request }) => {
  const { headers } = request({ body: BODY })
  const attempts = fc.array(fc.record({ process: fc.nat({ max: 1 }), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  })

  it('at most one copy does its work, and the next one is accepted if none did', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), attempts, async (scheduler, list) => {
        const shared = new SharedStore((name) => scheduler.schedule(Promise.resolve(), name))
        let [running, done] = [0, 0]
        const processes = [shared.connect(), shared.connect()]
        const attempt = (process: number, fails: boolean) =>
          handle(
            { webhookId: '42', request: { headers, body: BODY } },
            SECRET,
            processes[process] as NonceStore,
            async () => {
              expect(++running).toBe(1)
              await scheduler.schedule(Promise.resolve(), 'the work')
              running--
              if (fails) throw FAILURE
              done++
            },
            new TestClock(),
          ).then(
            () => 'done',
            (error: unknown) => (error === FAILURE ? 'failed' : (Object(error).reason ?? Object(error).code)),
          )

        const outcomes = Promise.all(
          list.map(async (one) => {
            await scheduler.schedule(Promise.resolve(), 'a copy arrives')
            return attempt(one.process, one.fails)
          }),
        )
        await scheduler.waitFor(outcomes)
        for (const outcome of await outcomes) seen.add(outcome)
        expect(done).toBeLessThanOrEqual(1)

        // A sender sends the same bytes again until it gets 2xx.
        const expected = done === 1 ? 'replayed_nonce' : 'done'
        const again = await scheduler.waitFor(attempt(0, false))
        seen.add(`then ${again}`)
        expect([again, done]).toEqual([expected, 1])
      }),
    )
    expect([...seen].sort()).toEqual([
      'ERR_WEBHOOK_IN_PROGRESS',
      'done',
      'failed',
      'replayed_nonce',
      'then done',
      'then replayed_nonce',
    ])
  })
})
