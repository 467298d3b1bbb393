import { describe, expect, it } from 'vitest'
import { verify, type WebhookRequest } from '../../../src/index.js'
import { drawCase } from './cases.js'
import { Choices, randomFrom } from './choices.js'
import { compare, minimise, type Tally } from './compare.js'
import { type FuzzedScheme, SCHEMES, type Verify } from './schemes.js'

// The fuzzer finds faults, makes them small, and repeats them. main.ts uses it for ten minutes.

/** Returns the first case of a seed that shows a disagreement. */
async function findDisagreement(library: Verify, seed: number, scheme?: FuzzedScheme, cases = 2000) {
  const random = randomFrom(seed)
  for (let left = cases; left > 0; left--) {
    const choices = new Choices(random)
    if ((await compare(drawCase(choices, scheme), undefined, library)) !== undefined) return choices.taken
  }
  return undefined
}

it.each(SCHEMES)(
  '$name: verify and the oracle agree on 15 000 requests, with every result among them',
  async (scheme) => {
    const random = randomFrom(7)
    const tally: Tally = new Map()
    for (let requests = 0; requests < 15_000; ) {
      const drawn = drawCase(new Choices(random), scheme)
      requests += drawn.steps.length
      expect(await compare(drawn, tally)).toBeUndefined()
    }
    for (const result of [
      'accepted',
      'ERR_INVALID_ARGUMENT',
      'ERR_NONCE_STORE',
      'invalid_nonce',
      'invalid_timestamp',
      'missing_header',
      'replayed_nonce',
      'signature_mismatch',
      'timestamp_outside_window',
    ]) {
      expect(tally.get(`${scheme.name}: ${result}`), result).toBeGreaterThan(40)
    }
    expect(tally.size).toBe(9)
  },
)

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

const [OWN, STANDARD] = SCHEMES

/** Returns a request with other values of headers, if its headers are a plain record. */
function withValues(
  request: WebhookRequest,
  change: (name: string, value: string) => [string, string],
): WebhookRequest {
  if (Object.getPrototypeOf(request.headers) !== Object.prototype) return request
  const entries = Object.entries(request.headers)
  if (entries.some(([, value]) => typeof value !== 'string')) return request
  return { ...request, headers: Object.fromEntries(entries.map(([name, value]) => change(name, value))) }
}

/** Copies of `verify` of Standard Webhooks, each with one planted fault. */
const STANDARD_FAULTS: [what: string, faulty: Verify][] = [
  [
    'tries the first signature only',
    (request, ...rest) =>
      STANDARD.verify(
        withValues(request, (name, value) => [
          name,
          name === 'webhook-signature' ? (value.split(' ')[0] ?? '') : value,
        ]),
        ...rest,
      ),
  ],
  [
    'mixes the two sets of headers',
    (request, ...rest) =>
      STANDARD.verify(
        withValues(request, (name, value) => [name.replace('svix-', 'webhook-'), value]),
        ...rest,
      ),
  ],
  [
    'uses a text that is not base64 as the key',
    (request, secret, ...rest) =>
      STANDARD.verify(request, secret === 'a secret that is plain text' ? `bytes:${secret}` : secret, ...rest),
  ],
  [
    'accepts an attempt twice',
    (request, secret, _, clock) => STANDARD.verify(request, secret, { reserve: () => true }, clock),
  ],
]

describe.each([
  [OWN, FAULTS],
  [STANDARD, STANDARD_FAULTS],
] as const)('the fuzzer finds a verify that', (scheme, faults) => {
  it.each(faults)('%s', async (_, faulty) => {
    expect(await findDisagreement(faulty, 11, scheme)).toBeDefined()
  })
})

it('the fuzzer makes a disagreement smaller, and its choices repeat it', async () => {
  const faulty: Verify = (request, secret, store) => verify(request, secret, store, Date)
  const found = (await findDisagreement(faulty, 3)) as number[]
  const smallest = await minimise(found, faulty)
  expect(smallest.length).toBeLessThan(30)
  const drawn = drawCase(Choices.of(smallest))
  expect(drawn.steps).toHaveLength(1)
  expect(await compare(drawn, undefined, faulty)).toMatchObject({ index: 0 })
  expect(await compare(drawn)).toBeUndefined()
})
