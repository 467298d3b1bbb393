import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { publicKeyOf, signEd25519 } from '../../../src/standard-webhooks/ed25519.js'
import { bodies } from '../../../test/support/arbitraries.js'
import { fc } from '../../../test/support/fast-check.js'
import { signatureOf } from '../../../test/support/request.js'
import { ED25519_SIGNATURE, MESSAGE_ID, PUBLIC_KEY } from '../../../test/support/standard-webhooks.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'
import { browserPrimitives } from '../../src/workbench/browser-primitives.js'
import { check } from '../../src/workbench/check.js'

// The page computes the same values as Node.

const SIGNED_HEADERS = {
  'webhook-id': MESSAGE_ID,
  'webhook-timestamp': '1614265330',
  'webhook-signature': ED25519_SIGNATURE,
}
const BROWSER_PRIMITIVES = browserPrimitives()
const parts = fc.array(bodies, { maxLength: 3 })

describe.each(['sha256', 'sha1', 'sha512', 'sha384', 'md5', 'sha3-256'] as const)('%s', (algorithm) => {
  it('is the hash of Node', () => {
    fc.assert(
      fc.property(parts, (parts) => {
        const hash = NODE_PRIMITIVES.hash(algorithm, parts)
        expect(hash).toBeDefined()
        expect(Buffer.from(BROWSER_PRIMITIVES.hash(algorithm, parts) ?? [])).toEqual(hash)
      }),
    )
  })

  it('is the HMAC of Node, also if a key is used again', () => {
    const keys = fc.oneof(bodies, fc.uint8Array({ minLength: 60, maxLength: 200 }))
    fc.assert(
      fc.property(keys, parts, parts, (key, ...messages) => {
        for (const message of messages) {
          const hmac = NODE_PRIMITIVES.hmac(algorithm, key, message)
          expect(hmac).toBeDefined()
          expect(BROWSER_PRIMITIVES.hmac(algorithm, key, message)).toBe(hmac)
        }
      }),
    )
  })
})

it('an Ed25519 signature is checked as by Node', () => {
  const seed = Buffer.alloc(32, 7)
  const publicKey = publicKeyOf(seed)
  fc.assert(
    fc.property(parts, fc.nat({ max: 63 }), fc.nat({ max: 255 }), (parts, at, change) => {
      const signature = Buffer.from(signEd25519(Buffer.concat(parts), seed), 'base64')
      signature[at] = (signature[at] as number) ^ change
      const signatures = [Buffer.alloc(64), signature].map((bytes) => bytes.toString('base64'))
      for (const platform of [NODE_PRIMITIVES, BROWSER_PRIMITIVES]) {
        expect(platform.verify(publicKey, parts, signatures)).toBe(change === 0)
      }
    }),
    { numRuns: 20, examples: [[[Buffer.from('a'), Buffer.from('b')], 0, 0]] },
  )
})

it('the page checks a v1a signature with the public key', () => {
  const headers = Object.entries({ ...SIGNED_HEADERS }).map(([name, value]) => `${name}: ${value}\n`)
  const now = 1_614_265_330_000
  const reportOn = (body: string) => {
    const capture = Buffer.from(`${headers.join('')}\n${body}`)
    return check({ capture, body: undefined, secrets: [PUBLIC_KEY], arrival: String(now), now })
  }
  const statuses = (body: string) => reportOn(body).rules.map(({ status }) => status)
  expect(statuses('{"test": 2432232314}')).toEqual([...Array(5).fill('met'), 'not checked'])
  expect(statuses('{"test": 2432232315}')).toEqual([...Array(4).fill('met'), 'broken', 'not checked'])
  expect(reportOn('{"test": 2432232315}').findings.map(({ code }) => code)).toEqual(['signature_mismatch'])
})

describe.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
] as const)('%s', (format, compress) => {
  const inflateInBoth = (bytes: Uint8Array, maxLength = 100_000) =>
    [NODE_PRIMITIVES, BROWSER_PRIMITIVES].map((primitives) => primitives.inflate(format, bytes, maxLength))

  it('is inflated as by Node', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const [byNode, inBrowser] = inflateInBoth(compress(body))
        expect(byNode).toEqual(Buffer.from(body))
        expect(Buffer.from(inBrowser ?? 'nothing')).toEqual(byNode)
      }),
    )
  })

  it('is not inflated if it is no compressed body, incomplete or too long', () => {
    const whole = compress('a body that is long enough to be cut')
    for (const bytes of [Buffer.from('{"a":1}'), Buffer.alloc(0), whole.subarray(0, -10)]) {
      expect(inflateInBoth(bytes)).toEqual([undefined, undefined])
    }
    expect(inflateInBoth(compress(Buffer.alloc(100_001)))).toEqual([undefined, undefined])
    expect(inflateInBoth(compress(Buffer.alloc(100_000)))).not.toContain(undefined)
  })
})

it.each([
  ['Brotli', brotliCompressSync, /^Content-Encoding is br, but diagnose could not decompress the body\./],
  ['gzip', gzipSync, /^The sender signed /],
] as const)('the page says whether the compression was undone: %s', { timeout: 60_000 }, (_, compress, says) => {
  // It searches everything. Brotli stores this short text as it is, between a few other bytes.
  const text = '{"event":"invoice.paid"}'
  const signature = signatureOf('1700000000', 'abc', text, 'a secret')
  const head = `Content-Encoding: br\nX-Timestamp: 1700000000\nX-Nonce: abc\nX-Signature: ${signature}\n\n`
  const capture = Buffer.concat([Buffer.from(head), compress(text)])
  const now = 1_700_000_000_000
  const { findings } = check({ capture, body: undefined, secrets: ['a secret'], arrival: String(now), now })
  expect(findings[0]).toMatchObject({ code: 'body_compressed', message: expect.stringMatching(says) })
})
