import { describe, expect, it } from 'vitest'
import { checkSignatureFormat } from '../../../src/diagnose/checks/signature.js'
import { ASYMMETRIC } from '../../../src/diagnose/standard-webhooks.js'
import { schemeOf, X_SIGNATURE } from '../../../src/schemes.js'

// Each text of the request is shown in `<` and `>` by the mask.
const mask = (text: string) => `<${text}>`
const STANDARD = schemeOf([['webhook-signature', '']])

describe('a signature', () => {
  const digest = 'ab'.repeat(32)
  const standard = `v1,${Buffer.alloc(32).toString('base64')}`

  it('is right', () => {
    expect([checkSignatureFormat(digest, mask, X_SIGNATURE), checkSignatureFormat(standard, mask, STANDARD)]).toEqual([
      [],
      [],
    ])
  })

  it.each([
    ['{{signature}}', 'fill_in_value', ['The placeholder was not replaced by a value.']],
    ['no signature', 'send_hex', []],
  ])('is no digest: %s', (signature, fix, more) => {
    const evidence = [['X-Signature', `"<${signature}>"`], ...more]
    const message = `X-Signature is not 64 lowercase hex digits: it is "<${signature}>".`
    expect(checkSignatureFormat(signature, mask, X_SIGNATURE)).toEqual([
      { code: 'signature_format', message, fix, evidence },
    ])
  })

  it.each([
    ['eyJhbGciOiJ.eyJp.c2ln', 'a JSON Web Token (JWT), which does not sign this request.'],
    ['Bearer eyJhbGciOiJ.eyJp.', 'a JSON Web Token (JWT), which does not sign this request.'],
    ['eyJhbGciOi.eyJp.c2ln', '"<eyJhbGciOi.eyJp.c2ln>".'],
    ['aeyJhbGciOiJ.eyJp.c2ln', '"<aeyJhbGciOiJ.eyJp.c2ln>".'],
    ['eyJhbGciOiJ.eyJp.c2ln.', '"<eyJhbGciOiJ.eyJp.c2ln.>".'],
    ['eyJhbGciOiJ.e.c2ln', '"<eyJhbGciOiJ.e.c2ln>".'],
  ])('may be a token: %s', (signature, what) => {
    expect(checkSignatureFormat(signature, mask, X_SIGNATURE)[0]?.message.split('it is ')[1]).toBe(what)
  })

  it('may be asymmetric in Standard Webhooks alone', () => {
    const formOf = (signature: string, scheme: typeof STANDARD) =>
      checkSignatureFormat(signature, mask, scheme)[0]?.message.split('it is ')[1]
    expect(formOf('v1a,YWJj', STANDARD)).toBe(`${ASYMMETRIC}.`)
    expect(formOf('v1a,YWJj', X_SIGNATURE)).toBe('"<v1a,YWJj>".')
    expect(formOf('v2,YWJj', STANDARD)).toBe('"<v2,YWJj>".')
  })
})
