import type { HeadersInput } from '../../src/index.js'
import { fc } from './fast-check.js'
import { NOW, type Parts, TIMESTAMP } from './request.js'

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))

/** Any character but a lone surrogate. The unit `binary` of fast-check is the same, but needs a second for each thread. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10_ffff }))
  .map((point) => String.fromCodePoint(point))

/** Any well-formed text. */
const anyText = (constraints: fc.StringSharedConstraints = {}) => fc.string({ ...constraints, unit: character })

/** Any nonce of the specification, often with a `:` and often at an edge of its length. */
export const nonces = fc.oneof(
  fc.uuid(),
  fc.string({ unit: visible, minLength: 1, maxLength: 128 }),
  fc.string({ unit: fc.constantFrom('a', ':'), minLength: 1, maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', 'b', ':'), minLength: 126, maxLength: 128 }),
)

/** Any bytes, often with a place where a message can be split differently. */
export const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json().map((text) => new TextEncoder().encode(text)),
  fc.array(fc.constantFrom(0x3a, 0x61, 0x20, 0x7f, 0xff), { maxLength: 150 }).map((bytes) => Uint8Array.from(bytes)),
)

/** Any well-formed, non-empty text. */
export const texts = fc.oneof(anyText({ minLength: 1, maxLength: 100 }), fc.string({ minLength: 1, maxLength: 100 }))

/** Any timestamp within the window around {@link NOW}, some with leading zeros. */
const timestamps = fc
  .tuple(fc.integer({ min: -300, max: 300 }), fc.nat({ max: 3 }))
  .map(([seconds, zeros]) => '0'.repeat(zeros) + String(Number(TIMESTAMP) + seconds))

/** {@link Parts} whose body is bytes. */
type ByteParts = Omit<Parts, 'body'> & { body: Uint8Array }

/** The parts of a request that is accepted at {@link NOW}. */
export function validParts(nonce: fc.Arbitrary<string>): fc.Arbitrary<ByteParts> {
  return fc.record({ webhookId: texts, timestamp: timestamps, nonce, body: bodies, secret: texts })
}

/** Moments at which a timestamp of {@link NOW} is accepted, in milliseconds, many at the window's edges. */
export const momentsInWindow = fc.oneof(
  fc.double({ min: NOW - 300_000, max: NOW + 300_000, noNaN: true }),
  fc.constantFrom(NOW - 300_000, NOW - 299_999.5, NOW, NOW + 299_999.5, NOW + 300_000),
)

/** The same headers in each of the shapes that `verify` takes, names in any case. */
export function headerShapes(headers: Record<string, string>): fc.Arbitrary<HeadersInput> {
  return fc
    .tuple(
      ...Object.entries(headers).map(([name, value]) =>
        fc.mixedCase(fc.constant(name)).map((cased) => [cased, value] as const),
      ),
    )
    .chain((pairs) =>
      fc.constantFrom<HeadersInput>(
        Object.fromEntries(pairs),
        Object.fromEntries(pairs.map(([name, value]) => [name, [value]])),
        new Map(pairs),
        pairs,
        { get: (name) => new Map(pairs.map(([cased, value]) => [cased.toLowerCase(), value])).get(name) ?? null },
      ),
    )
}
