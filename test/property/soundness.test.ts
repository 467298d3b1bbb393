import { describe, expect, it } from 'vitest'
import { type ByteParts, validParts as partsWith, texts } from '../support/arbitraries.js'
import { fc } from '../support/fast-check.js'
import { RecordingStore, TestClock } from '../support/request.js'
import { SCHEMES, type TestScheme } from '../support/schemes.js'

type Signed = ByteParts & { signature: string }

function bytesOf(part: string | Uint8Array): Uint8Array {
  return typeof part === 'string' ? Buffer.from(part, 'latin1') : part
}

/** One change: a byte is changed, removed, added or moved to another part, or the secret is another. */
const changes: fc.Arbitrary<(parts: Signed) => Signed> = fc
  .record({
    part: fc.constantFrom('timestamp' as const, 'nonce' as const, 'signature' as const, 'body' as const),
    edit: fc.constantFrom('flip', 'remove', 'insert'),
    at: fc.nat(),
    byte: fc.integer({ min: 1, max: 255 }),
  })
  .map(({ part, edit, at, byte }) => (parts) => {
    const bytes = [...bytesOf(parts[part])]
    const index = at % (bytes.length + 1)
    if (edit === 'flip') bytes[index] = (bytes[index] ?? 0) ^ byte
    if (edit === 'remove') bytes.splice(index, 1)
    if (edit === 'insert') bytes.splice(index, 0, byte)
    const changed = Buffer.from(bytes)
    return { ...parts, [part]: part === 'body' ? changed : changed.toString('latin1') }
  })

/** The body begins elsewhere. */
const boundaryMoves = ({ besideBody, separator }: TestScheme): fc.Arbitrary<(parts: Signed) => Signed> =>
  fc.nat({ max: 140 }).map((at) => (parts) => {
    const rest = Buffer.concat([Buffer.from(`${parts[besideBody]}${separator}`), parts.body])
    return { ...parts, [besideBody]: rest.toString('latin1', 0, at), body: rest.subarray(at + 1) }
  })

describe.each(SCHEMES)('%s', (_, scheme) => {
  const { headers, message, request, verify } = scheme
  const validParts = partsWith(scheme.nonces)

  it('soundness: no request is accepted whose message was not signed under one of the secrets', async () => {
    const edits = fc.array(fc.oneof({ weight: 4, arbitrary: changes }, boundaryMoves(scheme)), {
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(validParts, edits, async (parts, edit) => {
        const { secret } = parts
        const signed: Signed = { ...parts, signature: request(parts).headers[headers.signature] as string }
        const forged = edit.reduce((changed, change) => change(changed), signed)
        const result = await verify(request(forged), secret, new RecordingStore(), new TestClock())
        if (result.ok) {
          expect(message(forged)).toEqual(message(signed))
          expect(forged.signature.split(' ')).toContain(signed.signature)
        }
      }),
    )
  })

  it('soundness: no request is accepted under another secret', async () => {
    await fc.assert(
      fc.asyncProperty(validParts, fc.array(texts, { minLength: 1, maxLength: 3 }), async (parts, others) => {
        // HMAC pads a short key with zeros (RFC 2104, section 2), so secrets that differ in NULs at the end are one.
        const key = (secret: string) => secret.replace(/\0+$/, '')
        const secrets = others.filter((other) => key(other) !== key(parts.secret))
        fc.pre(secrets.length > 0)
        const result = await verify(request(parts), secrets, new RecordingStore(), new TestClock())
        expect(result).toMatchObject({ reason: 'signature_mismatch' })
      }),
    )
  })

  it('soundness: bytes stay bytes, though they decode to the same text', async () => {
    const replacement = Uint8Array.of(0xef, 0xbf, 0xbd)
    const invalid = fc.constantFrom([0xff], [0xfe], [0xc0], [0x80], [0xf8])
    await fc.assert(
      fc.asyncProperty(validParts, invalid, async ({ body, ...parts }, bytes) => {
        const received = Buffer.concat([body, Uint8Array.from(bytes), Buffer.from('"}')])
        const signed = Buffer.concat([body, replacement, Buffer.from('"}')])
        const decoder = new TextDecoder()
        fc.pre(decoder.decode(received) === decoder.decode(signed))
        const valid = request({ ...parts, body: received })
        const forged = { ...request({ ...parts, body: signed }), body: received }
        expect(await verify(forged, parts.secret, new RecordingStore(), new TestClock())).toMatchObject({
          reason: 'signature_mismatch',
        })
        expect(await verify(valid, parts.secret, new RecordingStore(), new TestClock())).toMatchObject({ ok: true })
      }),
    )
  })
})
