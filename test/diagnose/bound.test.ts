import { expect, it, vi } from 'vitest'
import { MAX_HASHES, MAX_HASHES_LARGE, SMALL_BODY } from '../../src/diagnose/engine.js'
import { diagnose } from '../../src/diagnose/index.js'
import { NOW, SECRET, signatureOf, signedRequest } from '../support/request.js'

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
    createHmac: (...given: Parameters<typeof crypto.createHmac>) => counted(crypto.createHmac(...given)),
    createHash: (...given: Parameters<typeof crypto.createHash>) => counted(crypto.createHash(...given)),
  }
})

const NONSENSE = signatureOf('1', 'b', 'nonsense', 'nonsense')
const EVENT = JSON.stringify({
  id: 123456789012345680000,
  price: 1.5,
  name: 'Zoë </a>\u2028',
  list: [1, { b: true, a: null }],
})

const bodyOf = (bytes: number) => `[${EVENT},"${'x'.repeat(bytes - Buffer.byteLength(EVENT) - 5)}"]`

it.each([
  ['a short body', EVENT, SECRET, MAX_HASHES],
  ['the longest small body', bodyOf(SMALL_BODY), SECRET, MAX_HASHES],
  ['a list of secrets', EVENT, Array.from({ length: 50 }, (_, index) => `${SECRET} ${index}`), MAX_HASHES],
  ['the shortest large body', bodyOf(SMALL_BODY + 1), SECRET, MAX_HASHES_LARGE],
  ['a large body', bodyOf(1_000_000), SECRET, MAX_HASHES_LARGE],
  ['a long secret', EVENT, SECRET.repeat(1000), MAX_HASHES_LARGE],
])('makes at most as many hashes as documented, and not many fewer: %s', async (_, body, secret, most) => {
  hashes = 0
  const { findings } = await diagnose(signedRequest({ body, signature: NONSENSE }), secret, CLOCK)
  expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
  expect(hashes).toBeLessThanOrEqual(most)
  // The longest small body uses up the bytes that may be rewritten before the hashes.
  expect(hashes).toBeGreaterThan(most * 0.15)
})

it('makes one hash for a genuine request', async () => {
  const request = signedRequest()
  hashes = 0
  await diagnose(request, SECRET, CLOCK)
  expect(hashes).toBe(1)
})

it('has the bounds that its documentation names', () => {
  expect([MAX_HASHES, MAX_HASHES_LARGE, SMALL_BODY]).toEqual([20_000, 200, 64 * 1024])
})

it('takes at most as long for a body of 10 MB as two seconds on an idle machine', async () => {
  const rows = Array.from(
    { length: 130_000 },
    (_, id) => `{"id": ${id}, "name": "name ${id}", "price": ${id / 7}, "tags": ["a", "ü"]}`,
  )
  const body = Buffer.from(`[${rows.join(', ')}]`).subarray(0, 10_000_000)
  const before = process.cpuUsage()
  await diagnose(signedRequest({ body, signature: NONSENSE }), SECRET, CLOCK)
  const { user, system } = process.cpuUsage(before)
  // Processor time, because other work on the machine does not increase it. Ten times the usual time, for slow machines.
  expect(user + system).toBeLessThan(10_000_000)
})
