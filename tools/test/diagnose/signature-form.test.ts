import { describe, expect, it } from 'vitest'
import { signatureForms } from '../../src/diagnose/signature-form.js'

/** Its first byte is 0x00, it has another byte below 0x10, and its base64 has `+` and `/`. */
const DIGEST = '0087cf99a4636ebd9a0f66eaf98fde8bca977e2a274bc832cc903c3561735e9d'
const SHA_512 = `${DIGEST}${'7d'.repeat(32)}`
const SHA_1 = DIGEST.slice(0, 40)
const bytes = Buffer.from(DIGEST, 'hex')
const base64 = bytes.toString('base64')
const base64url = bytes.toString('base64url')

/** Describes each form that matches the digest: the code, then the differences. */
function formsOf(signature: string, digest = DIGEST): string[] {
  return signatureForms(signature, String)
    .filter(({ lengths, matches }) => lengths.includes(digest.length / 2) && matches(digest))
    .map(({ code, differences }) => `${code}: ${differences.join(', ')}`)
}

const WHOLE: readonly string[] = [
  DIGEST,
  DIGEST.toUpperCase(),
  ` ${DIGEST}\n`,
  `sha256=${DIGEST}`,
  `v1,${DIGEST} v2`,
  `\u00e9=${DIGEST}`,
  `"${DIGEST}"`,
  `0x${DIGEST}`,
  DIGEST.replace(/..(?=.)/g, '$&:'),
  base64,
  base64.slice(0, -1),
  base64url,
  new Int8Array(bytes).join(','),
  JSON.stringify(new Uint8Array(bytes)),
  DIGEST.replace(/../g, (byte) => byte.replace(/^0/, ' ')),
  'ACD47GNEMNXL3GQPM3VPTD66RPFJO7RKE5F4QMWMSA6DKYLTL2OQ====',
  base64.replace(/[+/=]/g, (one) => `&#${one.charCodeAt(0)};`),
  JSON.stringify({ type: 'Buffer', data: [...bytes] }),
  `<Buffer ${DIGEST.replace(/..(?=.)/g, '$& ')}>`,
  DIGEST.replace(/../g, '\\x$&'),
  encodeURIComponent(base64),
  `sha256%3D${DIGEST}`,
  Buffer.from(DIGEST).toString('base64'),
  Buffer.from(`${DIGEST}\n`).toString('base64'),
  Buffer.from(base64).toString('base64'),
  Buffer.from(DIGEST).toString('hex'),
  [...bytes].map((byte) => byte.toString(16)).join(''),
  [...new Int8Array(bytes)].map((byte) => (byte >>> 0).toString(16)).join(''),
  `[${bytes.join(' ')}]`,
  `7b7d${DIGEST}`,
]
const CUT: readonly (readonly [signature: string, digest: string])[] = [
  [SHA_512.slice(0, 64), SHA_512],
  [DIGEST.slice(0, 8), DIGEST],
  [DIGEST.slice(1), DIGEST],
  [DIGEST.slice(-56), `${'0'.repeat(8)}${DIGEST.slice(8)}`],
  [SHA_1.slice(0, 20), SHA_1],
  [base64.slice(0, 20), DIGEST],
]

describe('a digest is read from', () => {
  it.each(WHOLE)('%j', (signature) => {
    const forms = formsOf(signature)
    expect(forms[0]).toMatch(/^signature_format: /)
    expect(forms.join(' | ')).toMatchSnapshot()
  })

  it.each(CUT)('%j, cut', (signature, digest) => {
    const forms = formsOf(signature, digest)
    expect(forms[0]).toMatch(/^signature_truncated: /)
    expect(forms.join(' | ')).toMatchSnapshot()
  })

  it('the digests of other algorithms', () => {
    expect(formsOf(SHA_1, SHA_1)).toEqual(['signature_format: '])
    expect(formsOf(SHA_512, SHA_512)).toEqual(['signature_format: '])
    for (const digest of [SHA_1, SHA_512]) expect(formsOf(`7b${digest}`, digest)).toHaveLength(1)
  })
})

it.each([
  '',
  ` ${DIGEST.slice(0, 4)} `,
  `${DIGEST.slice(0, 2)}:${DIGEST.slice(2, 4)}`,
  DIGEST.slice(0, 7),
  `x${DIGEST.slice(9)}`,
  '%',
  '0x',
  Buffer.from(`x${DIGEST}`).toString('base64'),
  Buffer.from(`${DIGEST}x`).toString('base64'),
  base64.slice(1),
])('no digest is read from %j', (signature) => {
  expect(formsOf(signature)).toEqual([])
})

it.each([
  [`${DIGEST.slice(0, 10)}${DIGEST.slice(13)}`, '3 digits too few, after the first 10'],
  [`${DIGEST.slice(0, 10)}fff${DIGEST.slice(10)}`, '3 digits too many, after the first 10'],
  [`${DIGEST.slice(0, 10)}${DIGEST.slice(14)}`, undefined],
])('at most three digits of %j are missing or added', (signature, description) => {
  const changed = signatureForms(signature, String).find(({ code }) => code === 'signature_changed')
  expect(changed?.describe?.(DIGEST)).toBe(description)
})

it.each([
  [`ff8${DIGEST.slice(3, -1)}e`, 'digit 1 (`f`), digit 2 (`f`) and digit 64 (`e`) are wrong'],
  [`ffff${DIGEST.slice(4)}`, undefined],
  [DIGEST.slice(1), 'one digit too few, after the first 1'],
])('at most three digits of %j are wrong', (signature, description) => {
  const changed = signatureForms(signature, String).find(({ code }) => code === 'signature_changed')
  expect(changed?.matches(DIGEST) ? changed.describe?.(DIGEST) : undefined).toBe(description)
})

it('letters that look like digits are read as these digits', () => {
  const misread = DIGEST.replace('0', 'O').replace('5', 'S')
  expect(formsOf(misread)[0]).toBe('signature_format: `O` for `0` and `S` for `5`')
  expect(signatureForms(misread, String)[0]?.isOfCapture).toBe(true)
})

it('the text around a digest is a difference', () => {
  expect(formsOf(`v1=${DIGEST};x`)[0]).toBe('signature_format: `v1=` before it, `;x` after it')
  const other = 'ab'.repeat(32)
  expect(formsOf(`${other},${DIGEST}`)[0]).toBe('signature_format: one of 2 signatures in the header')
  expect(formsOf(`v0=${other} v1=${DIGEST} v2=${other}`)[0]).toBe(
    'signature_format: one of 3 signatures in the header, `v1=` before it',
  )
})

it('a digest is found in a long header', () => {
  expect(formsOf(`${'no digest '.repeat(1000)}${DIGEST}`)[0]).toMatch(/^signature_format/)
  expect(formsOf(`${'1234567890,'.repeat(100)}${DIGEST}`)[0]).toMatch(/^signature_format/)
  const certificate = Buffer.concat([Buffer.alloc(3000, 'a'), bytes]).toString('base64')
  expect(formsOf(certificate)).toHaveLength(1)
})

it('a header of any length has at most 40 forms', () => {
  const many = Array.from({ length: 100 }, (_, index) => DIGEST.slice(index % 30)).join(',')
  expect(signatureForms(many, String).length).toBeLessThanOrEqual(40)
})
