import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, verify } from '../../src/index.js'
import { nonces } from '../support/arbitraries.js'
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

/** Every way to cut a message into timestamp, nonce and body that meets the format rules, found by trying all. */
function allCutsOf(message: Buffer): Pick<Parts, 'timestamp' | 'nonce' | 'body'>[] {
  const text = message.toString('latin1')
  const cuts = []
  for (let first = 0; first < text.length; first++) {
    for (let second = first + 1; second < text.length; second++) {
      if (text[first] !== ':' || text[second] !== ':') continue
      const [timestamp, nonce] = [text.slice(0, first), text.slice(first + 1, second)]
      if (/^[0-9]+$/.test(timestamp) && /^[!-~]{1,128}$/.test(nonce)) {
        cuts.push({ timestamp, nonce, body: message.subarray(second + 1) })
      }
    }
  }
  return cuts
}

/** Bodies dense with what a cut depends on. */
const cuttableBodies = fc
  .array(fc.constantFrom(...':::ab{}"0123456789 \x7f\xff'), { maxLength: 160 })
  .map((characters) => Buffer.from(characters.join(''), 'latin1'))

const messages = fc
  .record({
    nonce: nonces,
    body: fc.oneof(
      cuttableBodies,
      fc.json().map((text) => Buffer.from(text)),
    ),
  })
  .map(({ nonce, body }) => ({
    message: Buffer.concat([Buffer.from(`${TIMESTAMP}:${nonce}:`), body]),
    signature: signatureOf(TIMESTAMP, nonce, body, SECRET),
  }))

/** What real clocks do with one moment: keep it, floor it to a whole millisecond, or to five microseconds. */
const ticks = fc.constantFrom<(milliseconds: number) => number>(
  (milliseconds) => milliseconds,
  Math.floor,
  (milliseconds) => Math.floor(milliseconds * 200) / 200,
)

/** How far time moves between two events, often just to or past an edge of the window or of a reservation. */
const advances = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  fc.constantFrom(0.25, 0.999, 1, 299_999.5, 300_000, 300_000.5, 599_999, 600_000, 600_000.5),
  fc.double({ min: 0, max: 700_000, noNaN: true }),
)

it('at most once: one of all the cuts and copies of a message, in any interleaving over a late store', async () => {
  const setting = fc.record({
    signed: messages,
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
      const lateStore: NonceStore = {
        async reserve(...reservation) {
          await later('reaches the store')
          const answer = memory.reserve(...reservation)
          await later('answer arrives')
          return answer
        },
      }
      const cuts = allCutsOf(signed.message).slice(0, 6)
      const requests = cuts.flatMap((cut) => Array.from({ length: copies }, () => cut))
      const results = requests.map(async (cut) => {
        await later('request arrives')
        const request = signedRequest({ ...cut, signature: signed.signature })
        return verify(request, SECRET, lateStore, { now: () => serverTick(time) })
      })
      const verdicts = await schedule.waitFor(Promise.all(results))
      const count = verdicts.filter(({ ok }) => ok).length
      accepted += count
      expect(count).toBeLessThanOrEqual(1)
    }),
  )
  // A property that accepts nothing would hold as well.
  expect(accepted).toBeGreaterThan(0)
})

it('at most once: exactly one where nothing is late, whichever cut is first', async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.nat(), async ({ message, signature }, seed) => {
      const cuts = allCutsOf(message)
      const first = seed % cuts.length
      const store = new MemoryNonceStore()
      const verdicts = []
      for (const cut of [...cuts.slice(first), ...cuts.slice(0, first)]) {
        verdicts.push(await verify(signedRequest({ ...cut, signature }), SECRET, store, new TestClock()))
      }
      expect(verdicts.map((verdict) => verdict.ok || verdict.reason)).toEqual([
        true,
        ...Array.from({ length: cuts.length - 1 }, () => 'replayed_nonce'),
      ])
    }),
  )
})

it('re-cuts: the signature is reserved exactly when the message has another cut', async () => {
  const counts = new Set<number>()
  await fc.assert(
    fc.asyncProperty(messages, async ({ message, signature }) => {
      const cuts = allCutsOf(message)
      for (const cut of cuts) {
        const store = new RecordingStore()
        expect(await verify(signedRequest({ ...cut, signature }), SECRET, store, new TestClock())).toMatchObject({
          ok: true,
        })
        expect(store.keys).toEqual(cuts.length > 1 ? [cut.nonce, `signature ${signature}`] : [cut.nonce])
      }
      counts.add(cuts.length)
    }),
  )
  expect(counts).toContain(1)
  expect(counts).toContain(2)
})
