import { describe, expect, it } from 'vitest'
import { type Reading, readSignature } from '../../../src/diagnose/checks/signature.js'

/** Its first byte is 0x00, it has another byte below 0x10, and its base64 has `+` and `/`. */
const DIGEST = '0087cf99a4636ebd9a0f66eaf98fde8bca977e2a274bc832cc903c3561735e9d'
const SHA_512 = `${DIGEST}${'7d'.repeat(32)}`
const SHA_1 = DIGEST.slice(0, 40)
const bytes = Buffer.from(DIGEST, 'hex')
const base64 = bytes.toString('base64')
const base64url = bytes.toString('base64url')

/** Describes each reading that matches the digest: the code, then the differences. */
function readings(signature: string, digest = DIGEST): string[] {
  return readSignature(signature)
    .filter(({ lengths, matches }) => lengths.includes(digest.length / 2) && matches(digest))
    .map(({ code, differences }: Reading) => `${code}: ${differences.join(', ')}`)
}

describe('a digest is read from', () => {
  it.each([
    [DIGEST, ''],
    [DIGEST.toUpperCase(), 'uppercase hex instead of lowercase'],
    [` ${DIGEST}\n`, 'white space around it'],
    [`sha256=${DIGEST}`, '`sha256=` before it'],
    [`v1,${DIGEST} v2`, '`v1,` before it, ` v2` after it'],
    [`v1_${base64}`, '`v1_` before it, base64 instead of lowercase hex'],
    [`"${DIGEST}"`, '`"` before it, `"` after it'],
    [`\u00e9=${DIGEST}`, '`?=` before it'],
    [`${'k'.repeat(16)}=,${DIGEST}`, '`…,` before it'],
    [`${'k,'.repeat(30)}${DIGEST}`, `\`${'k,'.repeat(20)}…\` before it`],
    [`0x${DIGEST}`, '`0x` before it'],
    [`0X${DIGEST}`, '`0X` before it'],
    [DIGEST.replace(/..(?=.)/g, '$&:'), 'separators between the bytes'],
    [
      DIGEST.toUpperCase().replace(/..(?=.)/g, '$&-'),
      'separators between the bytes, uppercase hex instead of lowercase',
    ],
    [DIGEST.replace(/..(?=.)/g, '$& '), 'separators between the bytes'],
    [base64, 'base64 instead of lowercase hex'],
    [base64.slice(0, -1), 'base64 without its padding instead of lowercase hex'],
    [base64url, 'base64url instead of lowercase hex'],
    [encodeURIComponent(base64), 'percent-encoded, base64 instead of lowercase hex'],
    [`sha256%3D${DIGEST}`, 'percent-encoded, `sha256=` before it'],
    [Buffer.from(DIGEST).toString('base64'), 'base64 of the hex text'],
    [Buffer.from(`${DIGEST}\n`).toString('base64'), 'base64 of the hex text'],
    [Buffer.from(DIGEST.toUpperCase()).toString('base64'), 'base64 of the uppercase hex text'],
    [Buffer.from(base64).toString('base64'), 'base64 of the base64 text'],
    [Buffer.from(DIGEST).toString('hex'), 'hex of the hex text'],
    [Buffer.from(base64).toString('hex'), 'hex of the base64 text'],
    [[...bytes].map((byte) => byte.toString(16)).join(''), 'hex without the zero before a single digit'],
    [
      [...new Int8Array(bytes)].map((byte) => (byte >>> 0).toString(16)).join(''),
      'hex of bytes that were taken for signed numbers (ffffff…)',
    ],
    [`[${bytes.join(' ')}]`, 'a list of decimal numbers instead of hex'],
    [`[${new Int8Array(bytes).join(', ')}]`, 'a list of decimal numbers instead of hex'],
    [`[${bytes.join(', ')}]`, 'a list of decimal numbers instead of hex'],
    [`7b7d${DIGEST}`, 'other bytes before the digest, in the same encoding'],
  ])('%j', (signature, differences) => {
    expect(readings(signature)[0]).toBe(`signature_format: ${differences}`)
  })

  it.each([
    [SHA_512.slice(0, 64), SHA_512, 'the first 64 hex digits only'],
    [DIGEST.slice(0, 8), DIGEST, 'the first 8 hex digits only'],
    [DIGEST.slice(0, 40), DIGEST, 'the first 40 hex digits only'],
    [DIGEST.slice(1), DIGEST, 'without the zeros at its start, as a number is printed'],
    [DIGEST.slice(-56), `${'0'.repeat(8)}${DIGEST.slice(8)}`, 'without the zeros at its start, as a number is printed'],
    [DIGEST.slice(-55), DIGEST, 'the last 55 hex digits only'],
    [DIGEST.slice(-16), DIGEST, 'the last 16 hex digits only'],
    [SHA_1.slice(0, 20), SHA_1, 'the first 20 hex digits only'],
    [base64.slice(0, 20), DIGEST, 'base64 instead of lowercase hex, the first 30 hex digits only'],
  ])('%j, cut', (signature, digest, difference) => {
    expect(readings(signature, digest)[0]).toBe(`signature_truncated: ${difference}`)
  })

  it('other algorithms', () => {
    expect(readings(SHA_1, SHA_1)).toEqual(['signature_format: '])
    expect(readings(SHA_512, SHA_512)).toEqual(['signature_format: '])
    for (const digest of [SHA_1, SHA_512]) {
      expect(readings(`7b${digest}`, digest)).toEqual([
        'signature_format: other bytes before the digest, in the same encoding',
      ])
    }
  })
})

it.each([
  '',
  ` ${DIGEST.slice(0, 4)} `,
  `${DIGEST.slice(0, 2)}:${DIGEST.slice(2, 4)}`,
  DIGEST.slice(0, 7),
  `${DIGEST}0`,
  `x${DIGEST.slice(9)}`,
  `[${bytes.join('  ')}]`,
  '%',
  '0x',
  `${DIGEST.replace(/..(?=.)/g, '$&:')}:0`,
  `0:${DIGEST.replace(/..(?=.)/g, '$&:')}`,
  Buffer.from(`x${DIGEST}`).toString('base64'),
  Buffer.from(`${DIGEST}x`).toString('base64'),
  base64.slice(1),
])('no digest is read from %j', (signature) => {
  expect(readings(signature)).toEqual([])
})

it('a digest is found in a long header', () => {
  expect(readings(`${'no digest '.repeat(1000)}${DIGEST}`)).toHaveLength(1)
  expect(readings(`${'1234567890,'.repeat(100)}${DIGEST}`)).toHaveLength(1)
  const certificate = Buffer.concat([Buffer.alloc(3000, 'a'), bytes]).toString('base64')
  expect(readings(certificate)).toEqual([
    'signature_format: base64 instead of lowercase hex, other bytes before the digest, in the same encoding',
  ])
})

it('64 hex digits are not base64, and may be the start of a longer digest', () => {
  const both = [[], ['the first 64 hex digits only'], ['the last 64 hex digits only']]
  expect(readSignature(DIGEST).map(({ differences }) => differences)).toEqual(both)
  expect(readSignature(`0x${DIGEST}`).map(({ differences }) => differences.slice(1))).toEqual(both)
})

it('a header of any length has at most 40 readings', () => {
  const many = Array.from({ length: 100 }, (_, index) => DIGEST.slice(index % 30)).join(',')
  expect(readSignature(many).length).toBeLessThanOrEqual(40)
})
