import { createHmac } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { NONCE, NOW, SECRET, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { diagnoseBriefly } from './brief-search.js'

/** The hashes of OpenSSL's FIPS provider that Node lists. */
const APPROVED = ['RSA-SHA256', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha512-256']

// The usual builds of Node have no FIPS provider, so this test imitates one.
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  const approved = (algorithm: string) => {
    if (APPROVED.includes(algorithm)) return algorithm
    throw Object.assign(new Error('digital envelope routines::unsupported'), { code: 'ERR_OSSL_EVP_UNSUPPORTED' })
  }
  return {
    ...crypto,
    getHashes: () => APPROVED,
    createHash: (algorithm: string) => crypto.createHash(approved(algorithm)),
    createHmac: (algorithm: string, key: string) => crypto.createHmac(approved(algorithm), key),
  }
})

it.each([
  ['a'.repeat(64), ['signature_mismatch']],
  ['a'.repeat(32), ['signature_format', 'signature_mismatch']],
  ['sha1', ['signature_algorithm']],
  ['sha384', ['signature_algorithm']],
])('skips hashes that FIPS mode lacks: %s', async (one, codes) => {
  const message = `${TIMESTAMP}:${NONCE}:a body`
  const signature = one.startsWith('sha') ? createHmac(one, SECRET).update(message).digest('hex') : one
  const { findings } = await diagnoseBriefly(signedRequest({ signature }), SECRET, { now: () => NOW })
  expect(findings.map(({ code }) => code)).toEqual(codes)
})
