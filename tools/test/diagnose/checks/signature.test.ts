import { describe, expect, it } from 'vitest'
import { checkSignatureFormat } from '../../../src/diagnose/checks/signature.js'
import { ASYMMETRIC } from '../../../src/diagnose/standard-webhooks.js'
import { schemeOf, X_SIGNATURE } from '../../../src/schemes.js'

// Each text of the request is shown in `<` and `>` by the mask.
const mask = (text: string) => `<${text}>`
const STANDARD = schemeOf([['webhook-signature', '']])

describe('a signature', () => {
  it.each([
    ['eyJhbGciOiJ.eyJp.c2ln', 'a JSON Web Token (JWT), which does not sign this request.'],
    ['Bearer eyJhbGciOiJ.eyJp.', 'a JSON Web Token (JWT), which does not sign this request.'],
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
