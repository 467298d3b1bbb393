import { expect, it } from 'vitest'
import { type HeadersInput, MemoryNonceStore } from '../../src/index.js'
import { anyText, headerShapes } from '../support/arbitraries.js'
import { fc } from '../support/fast-check.js'
import { REASONS, TestClock } from '../support/request.js'
import { SCHEMES, type TestScheme } from '../support/schemes.js'

/** A value of a header that a sender may choose. It is often almost right. */
function valuesNear(right: string) {
  return fc.oneof(
    fc.constant(right),
    anyText({ maxLength: 300 }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 300 }),
    fc.constantFrom('', ' ', '\0', `${right}\n`, right.repeat(1000), '9'.repeat(100_000), '__proto__', 'constructor'),
    fc.nat().map((at) => `${right.slice(0, at % right.length)}\u{1f98a}${right.slice(at % right.length)}`),
  )
}

const chosenHeaders = ({ headers, request }: TestScheme) =>
  fc
    .record(
      {
        ...Object.fromEntries(
          Object.values(headers).map((name) => [name, valuesNear(request().headers[name] as string)]),
        ),
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

const anyShape = (scheme: TestScheme): fc.Arbitrary<HeadersInput> =>
  fc.oneof(
    chosenHeaders(scheme).chain(headerShapes),
    chosenHeaders(scheme).chain((headers) =>
      fc
        .tuple(
          ...Object.keys(headers).map((name) =>
            fc.array(fc.string(), { maxLength: 3 }).map((list) => [name, list] as const),
          ),
        )
        .map((lists) => Object.fromEntries(lists)),
    ),
  )

it.each(SCHEMES)('never throws: every request leads to a result (%s)', async (_, scheme) => {
  await fc.assert(
    fc.asyncProperty(
      anyShape(scheme),
      fc.uint8Array({ maxLength: 1000 }),
      fc.string({ minLength: 1 }),
      async (headers, body, secret) => {
        const result = await scheme.verify(
          { webhookId: '42', headers, body },
          secret,
          new MemoryNonceStore(),
          new TestClock(),
        )
        if (result.ok) return
        expect(REASONS).toContain(result.reason)
        // The message has nothing that the sender wrote.
        expect(result.message.length).toBeLessThanOrEqual(200)
        expect(result.message).toMatch(/^[\x20-\x7e]+$/)
      },
    ),
  )
})
