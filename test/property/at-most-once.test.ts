import { expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, verify, type WebhookRequest } from '../../src/index.js'
import { nonces } from '../support/arbitraries.js'
import { fc } from '../support/fast-check.js'
import {
  NOW,
  type Parts,
  RecordingStore,
  SECRET,
  signatureOf,
  signedRequest,
  TestClock,
  TIMESTAMP,
} from '../support/request.js'
import { SCHEMES, STANDARD, type TestScheme } from '../support/schemes.js'

/** Finds every valid split of a message into timestamp, nonce and body. It tries all. */
function allSplitsOf(message: Buffer): Pick<Parts, 'timestamp' | 'nonce' | 'body'>[] {
  const text = message.toString('latin1')
  const splits = []
  for (let first = 0; first < text.length; first++) {
    for (let second = first + 1; second < text.length; second++) {
      if (text[first] !== ':' || text[second] !== ':') continue
      const [timestamp, nonce] = [text.slice(0, first), text.slice(first + 1, second)]
      if (/^[0-9]+$/.test(timestamp) && /^[!-~]{1,128}$/.test(nonce)) {
        splits.push({ timestamp, nonce, body: message.subarray(second + 1) })
      }
    }
  }
  return splits
}

/** Bodies with many of the bytes that decide where a message can be split. */
const splittableBodies = fc
  .array(fc.constantFrom(...':::ab{}"0123456789 \x7f\xff'), { maxLength: 160 })
  .map((characters) => Buffer.from(characters.join(''), 'latin1'))

const parts = (nonce: fc.Arbitrary<string>) =>
  fc.record({
    nonce,
    body: fc.oneof(
      splittableBodies,
      fc.json().map((text) => Buffer.from(text)),
    ),
  })

const SECRETS = [SECRET, 'another secret']

/** Returns each request that somebody without the secret can make of a signed message: each split, or each list of its signatures. */
function variantsOf(scheme: TestScheme, { nonce, body }: { nonce: string; body: Buffer }): WebhookRequest[] {
  if (scheme === STANDARD) {
    const signed = SECRETS.map((secret) => scheme.request({ nonce, body, secret }).headers['webhook-signature'])
    return [signed.join(' '), ...signed].map((signature = '') => scheme.request({ nonce, body, signature }))
  }
  const signature = signatureOf(TIMESTAMP, nonce, body, SECRET)
  return allSplitsOf(scheme.message({ timestamp: TIMESTAMP, nonce, body })).map((split) =>
    signedRequest({ ...split, signature }),
  )
}

/** Real clocks return the exact time, whole milliseconds, or steps of five microseconds. */
const ticks = fc.constantFrom<(milliseconds: number) => number>(
  (milliseconds) => milliseconds,
  Math.floor,
  (milliseconds) => Math.floor(milliseconds * 200) / 200,
)

/** Milliseconds between two events. They often end at or after an edge of the window or of a reservation. */
const advances = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  fc.constantFrom(0.25, 0.999, 1, 299_999.5, 300_000, 300_000.5, 599_999, 600_000, 600_000.5),
  fc.double({ min: 0, max: 700_000, noNaN: true }),
)

it.each(SCHEMES)(
  'at most once: one of all variants and copies of a message, in any interleaving over a slow store (%s)',
  async (_, scheme) => {
    const setting = fc.record({
      signed: parts(scheme.nonces),
      start: fc.constantFrom(NOW - 300_000, NOW - 299_999.75, NOW - 1, NOW + 299_000),
      serverTick: ticks,
      storeTick: ticks,
      copies: fc.integer({ min: 1, max: 3 }),
      schedule: fc.scheduler(),
      moves: fc.infiniteStream(advances),
    })
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(setting, async ({ signed, start, serverTick, storeTick, copies, schedule, moves }) => {
        let time = start
        const later = async (event: string) => {
          await schedule.schedule(Promise.resolve(), event)
          time += moves.next().value ?? 0
        }
        const memory = new MemoryNonceStore({ clock: { now: () => storeTick(time) } })
        const slowStore: NonceStore = {
          async reserve(...reservation) {
            await later('reaches the store')
            const answer = memory.reserve(...reservation)
            await later('answer arrives')
            return answer
          },
        }
        const variants = variantsOf(scheme, signed).slice(0, 6)
        const requests = variants.flatMap((variant) => Array.from({ length: copies }, () => variant))
        const results = requests.map(async (request) => {
          await later('request arrives')
          return scheme.verify(request, SECRETS, slowStore, { now: () => serverTick(time) })
        })
        const verified = await schedule.waitFor(Promise.all(results))
        const count = verified.filter(({ ok }) => ok).length
        accepted += count
        expect(count).toBeLessThanOrEqual(1)
      }),
    )
    // The property would also hold if nothing were accepted.
    expect(accepted).toBeGreaterThan(0)
  },
)

it.each(SCHEMES)('at most once: exactly one over a fast store, whichever variant is first (%s)', async (_, scheme) => {
  await fc.assert(
    fc.asyncProperty(parts(scheme.nonces), fc.nat(), async (signed, seed) => {
      const variants = variantsOf(scheme, signed)
      const first = seed % variants.length
      const store = new MemoryNonceStore()
      const verified = []
      for (const request of [...variants.slice(first), ...variants.slice(0, first)]) {
        verified.push(await scheme.verify(request, SECRETS, store, new TestClock()))
      }
      expect(verified.map((result) => result.ok || result.reason)).toEqual([
        true,
        ...Array.from({ length: variants.length - 1 }, () => 'replayed_nonce'),
      ])
    }),
  )
})

it('at most once: the signature is reserved exactly when the message can be split differently', async () => {
  const counts = new Set<number>()
  await fc.assert(
    fc.asyncProperty(parts(nonces), async ({ nonce, body }) => {
      const signature = signatureOf(TIMESTAMP, nonce, body, SECRET)
      const splits = allSplitsOf(Buffer.concat([Buffer.from(`${TIMESTAMP}:${nonce}:`), body]))
      for (const split of splits) {
        const store = new RecordingStore()
        expect(await verify(signedRequest({ ...split, signature }), SECRET, store, new TestClock())).toMatchObject({
          ok: true,
        })
        expect(store.keys).toEqual(splits.length > 1 ? [split.nonce, `signature ${signature}`] : [split.nonce])
      }
      counts.add(splits.length)
    }),
  )
  expect(counts).toContain(1)
  expect(counts).toContain(2)
})
