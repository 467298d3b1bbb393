import { expect, it } from 'vitest'
import { type HeadersInput, MemoryNonceStore, verify } from '../../src/index.js'
import { headerShapes } from '../support/arbitraries.js'
import { fc } from '../support/fast-check.js'
import { REASONS, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'

const genuine = signedRequest().headers

/** A value of a header that a sender may choose. It is often almost right. */
function valuesNear(right: string) {
  return fc.oneof(
    fc.constant(right),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 300 }),
    fc.constantFrom('', ' ', '\0', `${right}\n`, right.repeat(1000), '9'.repeat(100_000), '__proto__', 'constructor'),
    fc.nat().map((at) => `${right.slice(0, at % right.length)}\u{1f98a}${right.slice(at % right.length)}`),
  )
}

const chosenHeaders = fc
  .record(
    {
      'x-timestamp': valuesNear(TIMESTAMP),
      'x-nonce': valuesNear(genuine['x-nonce']),
      'x-signature': valuesNear(genuine['x-signature']),
      get: fc.string(),
      // biome-ignore lint/suspicious/noThenProperty: a sender may use this name for a header.
      then: fc.string(),
      headers: fc.string(),
      length: fc.string(),
      constructor: fc.string(),
    },
    { requiredKeys: [] },
  )
  .map((headers) =>
    Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  )

const anyShape: fc.Arbitrary<HeadersInput> = fc.oneof(
  chosenHeaders.chain(headerShapes),
  chosenHeaders.chain((headers) =>
    fc
      .tuple(
        ...Object.keys(headers).map((name) =>
          fc.array(fc.string(), { maxLength: 3 }).map((list) => [name, list] as const),
        ),
      )
      .map((lists) => Object.fromEntries(lists)),
  ),
)

it('never throws: every request leads to a result', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyShape,
      fc.uint8Array({ maxLength: 1000 }),
      fc.string({ minLength: 1 }),
      async (headers, body, secret) => {
        const result = await verify({ webhookId: '42', headers, body }, secret, new MemoryNonceStore(), new TestClock())
        if (result.ok) return
        expect(REASONS).toContain(result.reason)
        // The message has nothing that the sender wrote.
        expect(result.message.length).toBeLessThanOrEqual(200)
        expect(result.message).toMatch(/^[\x20-\x7e]+$/)
      },
    ),
  )
})
