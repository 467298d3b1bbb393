import { describe, expect, it } from 'vitest'
import { checkSignatureFormat } from '../../../src/diagnose/checks/signature.js'
import { ASYMMETRIC } from '../../../src/diagnose/standard-webhooks.js'
import { schemeOf, X_SIGNATURE } from '../../../src/schemes.js'

// Each text of the request is shown in `<` and `>` by the mask.
const mask = (text: string) => `<${text}>`
const STANDARD = schemeOf([['webhook-signature', '']])

describe('a signature', () => {
  const digest = 'ab'.repeat(32)
  const standard = `v1,${Buffer.alloc(32, 9).toString('base64')}`

  it.each([
    ['eyJhbGciOiJ.eyJp.c2ln', 'a JSON Web Token (JWT), which does not sign this request.'],
    ['Bearer eyJhbGciOiJ.eyJp.', 'a JSON Web Token (JWT), which does not sign this request.'],
  ])('may be a token: %s', (signature, what) => {
    expect(checkSignatureFormat(signature, mask, X_SIGNATURE)[0]?.message.split('it is ')[1]).toBe(what)
  })

  it.each([
    [X_SIGNATURE, digest.toUpperCase(), 'uppercase hex instead of lowercase hex'],
    [X_SIGNATURE, Buffer.alloc(32, 9).toString('base64'), 'base64 instead of lowercase hex'],
    [STANDARD, `v1,${digest}`, 'hex instead of base64'],
    [STANDARD, `v1,${digest.toUpperCase()}`, 'uppercase hex instead of base64'],
    [STANDARD, digest, 'no `v1,` before it, hex instead of base64'],
    [STANDARD, standard.slice(3), 'no `v1,` before it'],
    [STANDARD, standard.replace(',', '='), '`v1=` instead of `v1,`'],
    [STANDARD, standard.replace(',', ', '), '`v1, ` instead of `v1,`'],
    [STANDARD, standard.slice(0, -1), 'base64 without its padding instead of base64'],
    [STANDARD, `v1,${Buffer.alloc(32, 0xff).toString('base64url')}`, 'base64url instead of base64'],
    [STANDARD, `"${standard}"`, 'quotes around it'],
    [STANDARD, `sha256=${standard.slice(3)}`, 'no `v1,` before it, `<sha256=>` before it'],
  ])('is described by the rules of its own scheme: %#', (scheme, signature, form) => {
    expect(checkSignatureFormat(signature, mask, scheme)[0]?.message.split(': it has ')[1]).toBe(`${form}.`)
  })

  it('may be asymmetric in Standard Webhooks alone', () => {
    const formOf = (signature: string, scheme: typeof STANDARD) =>
      checkSignatureFormat(signature, mask, scheme)[0]?.message.split('it is ')[1]
    expect(formOf('v1a,YWJj', STANDARD)).toBe(`${ASYMMETRIC}.`)
    expect(formOf('v1a,YWJj', X_SIGNATURE)).toBe('"<v1a,YWJj>".')
    expect(formOf('v2,YWJj', STANDARD)).toBe('"<v2,YWJj>".')
  })
})
