import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodies, nonces, texts } from '../../../test/support/arbitraries.js'
import { fc } from '../../../test/support/fast-check.js'
import { NOW, SECRET, signatureOf, signedRequest } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'

const CLOCK = { now: () => NOW }
const NONSENSE = signatureOf('1', 'b', 'nonsense', 'nonsense')

const values = fc.oneof(
  texts,
  nonces,
  fc.constantFrom(
    ' ',
    ...'," % %zz t= 1700000000 1700000000123 2023-11-14T22:13:20Z 1e400 99999999999999999999'.split(/[ ,]/),
  ),
  fc.stringMatching(/^[0-9a-f]{64}$/),
  fc.base64String({ minLength: 44, maxLength: 88 }),
)
const names = fc.oneof(
  fc.constantFrom(
    ...'x-timestamp x-nonce x-signature X-Timestamp X_Nonce http_x_signature date content-length __proto__'.split(' '),
  ),
  texts,
)

it('never throws because of what a sender sent', async () => {
  const requests = fc.record({
    webhookId: texts,
    headers: fc.array(fc.tuple(names, fc.oneof(values, fc.array(values, { maxLength: 3 }))), { maxLength: 6 }),
    body: fc.oneof(bodies, texts, fc.json(), fc.webQueryParameters()),
  })
  const clocks = fc.oneof(fc.constant(NOW), fc.constantFrom(0, -1, 8.64e15, 1e300))
  await fc.assert(
    fc.asyncProperty(requests, texts, clocks, async (request, secret, now) => {
      const { valid, findings } = await diagnose(request, secret, { now: () => now })
      expect(findings.length > 0).toBe(!valid)
    }),
    { numRuns: 50 },
  )
}, 120_000)

// processor-time.js has bodies that are nested.
describe('ends without an exception for', () => {
  const bomb = Buffer.alloc(50_000_000)
  it.each<[string, string | Uint8Array]>([
    ['a million numbers', `[${'1,'.repeat(2_000_000)}1]`],
    ['a string that does not end', '{"a":"b'],
    ['one long run of spaces', ' '.repeat(65_000)],
    ['one long run of quotes', '"'.repeat(65_000)],
    ['one long form', 'a=+&'.repeat(16_000)],
    ['names that are not valid', '{"__proto__":{"a":1},"constructor":1,"a":1,"a":2,"":3,"toString":null}'],
    ['strings that are not quite JSON', '{"a":"\\x","b":"\n","c":"\\ud800"}'],
    ['a bomb of gzip', gzipSync(bomb)],
    ['a bomb of deflate', deflateSync(bomb)],
    ['a bomb of brotli', brotliCompressSync(bomb)],
    ['bytes of every value', Uint8Array.from({ length: 65_536 }, (_, index) => index * 7)],
  ])(
    '%s',
    async (_, body) => {
      const { findings } = await diagnose(signedRequest({ body, signature: NONSENSE }), SECRET, CLOCK)
      expect(findings).toMatchObject([{ code: 'signature_mismatch' }])
    },
    60_000,
  )

  it.each(['x-timestamp', 'x-nonce', 'x-signature', 'x-request-id', 'X_Nonce'])(
    'a long %s',
    async (name) => {
      for (const unit of ['a', '0', ' ', '%', 'é', ', ', '-']) {
        const { headers, body } = signedRequest({ signature: NONSENSE })
        const long = { ...headers, [name]: unit.repeat(131_072 / unit.length) }
        const { findings } = await diagnose({ webhookId: '42', headers: long, body }, SECRET, CLOCK)
        expect(findings.length).toBeGreaterThan(0)
        expect(JSON.stringify(findings).length).toBeLessThan(10_000)
      }
    },
    60_000,
  )
})
