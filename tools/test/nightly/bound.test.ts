import { createHmac } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { NOW, SECRET, signatureOf, signedRequest } from '../../../test/support/request.js'
import { MAX_HASHES } from '../../src/diagnose/engine.js'
import { diagnose } from '../../src/diagnose/index.js'

const CLOCK = { now: () => NOW }

/** Counts every digest, of an HMAC or another hash. */
let hashes = 0

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  const counted = <H extends { digest(): unknown }>(hash: H): H => {
    const digest = hash.digest.bind(hash)
    hash.digest = (...encoding: []) => {
      hashes++
      return digest(...encoding)
    }
    return hash
  }
  return {
    ...crypto,
    // An HMAC of a short message is two of them.
    hash: (...given: Parameters<typeof crypto.hash>) => {
      hashes += 0.5
      return crypto.hash(...given)
    },
    createHmac: (...given: Parameters<typeof crypto.createHmac>) => counted(crypto.createHmac(...given)),
    createHash: (...given: Parameters<typeof crypto.createHash>) => counted(crypto.createHash(...given)),
  }
})

const MANY = Array.from({ length: 50 }, (_, index) => `${SECRET} ${index}`)
const NONSENSE = signatureOf('1', 'b', 'nonsense', 'nonsense')
const EVENT = '{"id":123456789012345680000,"price":1.5,"name":"Zoë </a>\u2028","list":[1,{"b":true,"a":null}]}'

const bodyOf = (bytes: number) => `[${EVENT},"${'x'.repeat(bytes - Buffer.byteLength(EVENT) - 5)}"]`

it.each([
  ['a short body', EVENT, SECRET],
  ['a body of 64 KB', bodyOf(65_536), SECRET],
  ['a list of secrets', EVENT, MANY],
  ['a large body', bodyOf(1_000_000), SECRET],
  ['a long secret', EVENT, SECRET.repeat(1000)],
])('makes at most as many hashes as documented, and says if this was too few: %s', async (_, body, secret) => {
  hashes = 0
  const { findings } = await diagnose(signedRequest({ body, signature: NONSENSE }), secret, CLOCK)
  expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
  // A key of more than 64 bytes is hashed once, besides the hashes of its messages.
  expect(hashes).toBeLessThanOrEqual(1.01 * MAX_HASHES)
  const isComplete = body === EVENT && typeof secret === 'string' && secret.length < 100
  expect(hashes > 10_000 || !isComplete).toBe(true)
})

/** How much of a search was not done, as the evidence says it. */
const notTried = async (body: string | Uint8Array, secret: string | string[] = SECRET) => {
  const { findings } = await diagnose(signedRequest({ body, signature: NONSENSE }), secret, CLOCK)
  return /^Not all changes.*$/m.exec(findings.at(-1)?.evidence ?? '')?.[0]
}

it('a search that was cut short says what it did not try', async () => {
  expect(await notTried(EVENT)).toBeUndefined()
  expect(await notTried(bodyOf(20_000))).toBeUndefined()
  expect(await notTried(new Uint8Array(5_000_000))).toContain('secret')
  expect(await notTried(EVENT, MANY)).toBeDefined()
})

it.each([70_000, 1_000_000, 4_300_000])('finds the usual layouts with a body of %i bytes', async (size) => {
  const body = Buffer.alloc(size, '{"a": 1},\n')
  for (const before of ['1700000000.', '', '1700000000:', 'abc:1700000000:', '1700000000\nabc\n']) {
    const signature = createHmac('sha256', SECRET).update(before).update(body).digest('hex')
    const { findings } = await diagnose(signedRequest({ nonce: 'abc', body, signature }), SECRET, CLOCK)
    expect(findings).toMatchObject([{ code: 'message_layout' }])
  }
})

it('makes one hash for a valid request', async () => {
  const request = signedRequest()
  hashes = 0
  await diagnose(request, SECRET, CLOCK)
  expect(hashes).toBe(1)
})

it('has the bound that its documentation names', () => {
  expect(MAX_HASHES).toBe(24_000)
})
