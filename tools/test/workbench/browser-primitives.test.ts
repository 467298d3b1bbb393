import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodies } from '../../../test/support/arbitraries.js'
import { fc } from '../../../test/support/fast-check.js'
import { signatureOf } from '../../../test/support/request.js'
import { NODE_PRIMITIVES } from '../../src/node-primitives.js'
import { browserPrimitives } from '../../src/workbench/browser-primitives.js'
import { check } from '../../src/workbench/check.js'

// The page computes the same values as Node.

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
  // It searches everything.
  const text = `{"event":"invoice.paid","lines":"${'line '.repeat(50)}"}`
  const signature = signatureOf('1700000000', 'abc', text, 'a secret')
  const head = `Content-Encoding: br\nX-Timestamp: 1700000000\nX-Nonce: abc\nX-Signature: ${signature}\n\n`
  const capture = Buffer.concat([Buffer.from(head), compress(text)])
  const now = 1_700_000_000_000
  const { findings } = check({ capture, body: undefined, secrets: ['a secret'], arrival: String(now), now })
  const compressed = findings.filter(({ code }) => code === 'body_compressed').map(({ message }) => message)
  expect(compressed).toEqual([expect.stringMatching(says)])
})
