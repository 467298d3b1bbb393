import { describe, expect, it } from 'vitest'
import { verify } from '../../../src/index.js'
import { drawCase } from './cases.js'
import { Choices, randomFrom } from './choices.js'
import { compare, minimise, type Tally, type Verify } from './compare.js'

// The fuzzer finds faults, makes them small, and repeats them. main.ts uses it for ten minutes.

/** Returns the first case of a seed that shows a disagreement. */
async function findDisagreement(library: Verify, seed: number, cases = 2000) {
  const random = randomFrom(seed)
  for (let left = cases; left > 0; left--) {
    const choices = new Choices(random)
    if ((await compare(library, drawCase(choices))) !== undefined) return choices.taken
  }
  return undefined
}

it('verify and the oracle agree on 15 000 requests, with every result among them', async () => {
  const random = randomFrom(7)
  const tally: Tally = new Map()
  for (let requests = 0; requests < 15_000; ) {
    const drawn = drawCase(new Choices(random))
    requests += drawn.steps.length
    expect(await compare(verify, drawn, tally)).toBeUndefined()
  }
  const results = [
    'accepted',
    'ERR_INVALID_ARGUMENT',
    'ERR_NONCE_STORE',
    'invalid_nonce',
    'invalid_timestamp',
    'missing_header',
    'replayed_nonce',
    'signature_mismatch',
    'timestamp_outside_window',
  ]
  expect([...tally.keys()].sort((one, other) => one.localeCompare(other))).toEqual(results)
  for (const result of results) expect(tally.get(result)).toBeGreaterThan(100)
})

/** Copies of `verify`, each with one planted fault. */
const FAULTS: [what: string, faulty: Verify][] = [
  [
    'ignores the case of a signature',
    (request, ...rest) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [
          name,
          name === 'x-signature' && typeof value === 'string' ? value.toLowerCase() : value,
        ]),
      )
      const isPlain = Object.getPrototypeOf(request.headers) === Object.prototype
      return verify(isPlain ? { ...request, headers } : request, ...rest)
    },
  ],
  [
    'rounds its clock down to seconds',
    (request, secret, store, clock = Date) =>
      verify(request, secret, store, { now: () => Math.floor(clock.now() / 1000) * 1000 }),
  ],
  [
    'does not reserve signatures',
    (request, secret, store, clock) => {
      const reserve: typeof store.reserve = (webhookId, key, ttlSeconds) =>
        key.startsWith('signature ') || store.reserve(webhookId, key, ttlSeconds)
      return verify(request, secret, { reserve }, clock)
    },
  ],
  [
    'shares nonces between webhooks',
    (request, secret, store, clock) => {
      const reserve: typeof store.reserve = (_, key, ttlSeconds) => store.reserve('all', key, ttlSeconds)
      return verify(request, secret, { reserve }, clock)
    },
  ],
  [
    'keeps a nonce for one millisecond too few',
    (request, secret, store, clock) => {
      const reserve: typeof store.reserve = (webhookId, key) => store.reserve(webhookId, key, 599.999)
      return verify(request, secret, { reserve }, clock)
    },
  ],
  [
    'tries the first secret only',
    (request, secret, ...rest) => verify(request, secret[0]?.[1] ? [secret[0]] : secret, ...rest),
  ],
  [
    'accepts when the store is down',
    (request, secret, store, clock) =>
      verify(request, secret, store, clock).catch((error) => {
        if (error.code !== 'ERR_NONCE_STORE') throw error
        return { ok: true, webhookId: request.webhookId, timestamp: 0, nonce: '', secretIndex: 0 }
      }),
  ],
]

describe('the fuzzer finds a verify that', () => {
  it.each(FAULTS)('%s', async (_, faulty) => {
    const found = await findDisagreement(faulty, 11)
    expect(found).toBeDefined()
  })
})

it('the fuzzer makes a disagreement smaller, and its choices repeat it', async () => {
  const faulty: Verify = (request, secret, store) => verify(request, secret, store, Date)
  const found = (await findDisagreement(faulty, 3)) as number[]
  const smallest = await minimise(faulty, found)
  expect(smallest.length).toBeLessThan(30)
  const drawn = drawCase(Choices.of(smallest))
  expect(drawn.steps).toHaveLength(1)
  expect(await compare(faulty, drawn)).toMatchObject({ index: 0 })
  expect(await compare(verify, drawn)).toBeUndefined()
})
