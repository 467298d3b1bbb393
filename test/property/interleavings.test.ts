import { describe, expect, it } from 'vitest'
import {
  MemoryNonceStore,
  type NonceStore,
  NonceStoreError,
  type Secret,
  type WebhookRequest,
} from '../../src/index.js'
import { inEveryOrder, type Steps } from '../support/every-order.js'
import { SECRET, signatureOf, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'
import { OWN, SCHEMES, STANDARD, type TestScheme } from '../support/schemes.js'

// Checks at most once in every order of the steps of a store, not only in random orders.

interface Sent {
  request: WebhookRequest
  secret?: Secret
  /** Of all requests of one group, exactly one is accepted. */
  group: string
}

const signature = signatureOf(TIMESTAMP, 'a', 'b:c:d', SECRET)
/** One message, split at its first, second and third colon. */
const ONE = signedRequest({ nonce: 'a', body: 'b:c:d', signature })
const TWO = signedRequest({ nonce: 'a:b', body: 'c:d', signature })
const THREE = signedRequest({ nonce: 'a:b:c', body: 'd', signature })

function copies(count: number, request: WebhookRequest, group = 'one'): Sent[] {
  return Array.from({ length: count }, () => ({ request, group }))
}

type Scenario = [what: string, sent: Sent[]]

const OF_BOTH = ({ request }: TestScheme): Scenario[] => [
  ['four copies', copies(4, request())],
  ['four messages with one nonce', ['1', '2', '3', '4'].map((body) => ({ request: request({ body }), group: 'one' }))],
  [
    'two copies on each of two webhooks',
    ['a', 'b'].flatMap((webhookId) => copies(2, request({ webhookId }), webhookId)),
  ],
  [
    'copies to servers that have the old secret, the new one, or both',
    [SECRET, [SECRET], [SECRET, 'new'], ['new', SECRET]].map((secret) => ({
      request: request({ nonce: 'a', body: 'b:c:d' }),
      secret,
      group: 'one',
    })),
  ],
  [
    'one nonce signed with the old secret and with the new one',
    [SECRET, 'new', SECRET, 'new'].map((secret) => ({
      request: request({ secret }),
      secret: ['new', SECRET],
      group: 'one',
    })),
  ],
]

const OF_SPLITS: Scenario[] = [['one split twice, and another twice', [...copies(2, ONE), ...copies(2, TWO)]]]

/** The first three requests are those of the scenario above. */
const THREE_SPLITS: Scenario = [
  'three splits, one of them twice',
  [...copies(2, ONE), ...copies(1, TWO), ...copies(1, THREE)],
]

const [OLD = '', NEW = ''] = [SECRET, 'new'].map((secret) => STANDARD.request({ secret }).headers['webhook-signature'])

const OF_LISTS: Scenario[] = [
  [
    'a message with two signatures, and copies without one of them',
    [`${OLD} ${NEW}`, OLD, NEW, `${NEW} ${OLD}`].map((signature) => ({
      request: STANDARD.request({ signature }),
      secret: ['new', SECRET],
      group: 'one',
    })),
  ],
]

const scenariosOf = (scheme: TestScheme) => [...OF_BOTH(scheme), ...(scheme === OWN ? OF_SPLITS : OF_LISTS)]

/** Each call is one step of the store. With `answers`, its answer is a second step. */
function inSteps(store: NonceStore, { turn }: Steps, answers: boolean): NonceStore {
  return {
    async reserve(...call) {
      await turn()
      const answer = store.reserve(...call)
      if (answers) await turn()
      return answer
    },
  }
}

/** Reserves all keys in one step. */
function atOnce({ turn }: Steps): NonceStore {
  const taken = new Set<string>()
  return {
    reserve: () => Promise.reject(new Error('not called for these messages')),
    async reserveAll(webhookId, keys) {
      await turn()
      const names = keys.map((key) => `${webhookId} ${key}`)
      if (names.some((name) => taken.has(name))) return false
      for (const name of names) taken.add(name)
      return true
    },
  }
}

/** Sends all requests at once. Returns how many requests of each group were accepted. */
async function send(sent: readonly Sent[], store: NonceStore, scheme = OWN): Promise<Map<string, number>> {
  const accepted = new Map(sent.map(({ group }) => [group, 0]))
  await Promise.all(
    sent.map(async ({ request, secret = SECRET, group }) => {
      try {
        const result = await scheme.verify(request, secret, store, new TestClock())
        if (result.ok) accepted.set(group, (accepted.get(group) ?? 0) + 1)
        else if (result.reason !== 'replayed_nonce') throw new Error(`rejected with ${result.reason}`)
      } catch (error) {
        if (!(error instanceof NonceStoreError)) throw error
      }
    }),
  )
  return accepted
}

const memory = new MemoryNonceStore({ maxEntries: 1_000_000 })
let stores = 0

/** Returns a store without entries. All use the same memory, under other names of webhooks: to make it takes longer than a run. */
function newStore(): NonceStore {
  const name = `${stores++} `
  return { reserve: (webhookId, ...rest) => memory.reserve(name + webhookId, ...rest) }
}

/** Throws unless one request of each group was accepted. `expect` would take as long as the run. */
function expectOne(accepted: ReadonlyMap<string, number>): void {
  for (const [group, count] of accepted)
    if (count !== 1) throw new Error(`${count} of the group ${group} were accepted`)
}

describe.each(SCHEMES)(
  'at most once: in every order of the steps of a store, exactly one is accepted of (%s)',
  (_, scheme) => {
    const scenarios = scenariosOf(scheme)
    it.each(scheme === OWN ? [...scenarios, THREE_SPLITS] : scenarios)('%s', async (_, sent) => {
      const runs = await inEveryOrder(async (steps) => {
        expectOne(await send(sent, inSteps(newStore(), steps, false), scheme))
      })
      expect(runs).toBeGreaterThanOrEqual(24)
    })

    // Two webhooks share no key, and this case would take a minute.
    it.each(scenarios.filter(([, sent]) => sent.every(({ group }) => group === 'one')))(
      '%s, if answers are slow too (three requests)',
      async (_, sent) => {
        const three = sent.slice(0, 3)
        const runs = await inEveryOrder(async (steps) => {
          expectOne(await send(three, inSteps(newStore(), steps, true), scheme))
        })
        expect(runs).toBeGreaterThanOrEqual(90)
      },
    )
  },
)

describe('at most once: in every order, in a store that reserves all keys in one step, exactly one is accepted of', () => {
  it.each([...scenariosOf(OWN), THREE_SPLITS].filter(([, sent]) => sent.every(({ request }) => isSplittable(request))))(
    '%s',
    async (_, sent) => {
      const runs = await inEveryOrder(async (steps) => {
        expectOne(await send(sent, atOnce(steps)))
      })
      expect(runs).toBe(24)
    },
  )
})

it('at most once: in every order, a message is accepted once though another message uses the nonce of one of its splits', async () => {
  const other = signedRequest({ nonce: 'a:b', body: 'other' })
  const sent = [...copies(1, ONE), ...copies(2, TWO), ...copies(1, other, 'other')]
  await inEveryOrder(async (steps) => {
    const accepted = await send(sent, inSteps(newStore(), steps, false))
    expect(accepted.get('one')).toBe(1)
    expect(accepted.get('other')).toBeLessThanOrEqual(1)
  })
})

function isSplittable({ body }: WebhookRequest): boolean {
  return typeof body === 'string' && body.includes(':')
}

describe.each(SCHEMES)(
  'at most once: in every order, with every set of answers lost, at most one is accepted of (%s)',
  (_, scheme) => {
    it.each(scenariosOf(scheme))('%s (three requests)', async (_, sent) => {
      const three = sent.slice(0, 3)
      const totals = new Set<number>()
      await inEveryOrder(async (steps) => {
        const store = newStore()
        const losing: NonceStore = {
          async reserve(...call) {
            await steps.turn()
            const answer = store.reserve(...call)
            if (steps.choose(2) === 1) throw new Error('the answer is lost')
            return answer
          },
        }
        const counts = [...(await send(three, losing, scheme)).values()]
        for (const count of counts) expect(count).toBeLessThanOrEqual(1)
        totals.add(counts.reduce((sum, count) => sum + count))
      })
      expect(totals).toContain(0)
      expect(totals).toContain(1)
    })
  },
)
