import { describe, expect, it } from 'vitest'
import { checkNonce } from '../../../src/diagnose/checks/nonce.js'
import { schemeOf, X_SIGNATURE } from '../../../src/schemes.js'

// Each text of the request is shown in `<` and `>` by the mask.
const mask = (text: string) => `<${text}>`
const STANDARD = schemeOf([['webhook-signature', '']])

describe('a nonce', () => {
  it.each([
    ['', X_SIGNATURE, 'X-Nonce has 0 characters, but a nonce has 1 to 128.'],
    ['a'.repeat(129), X_SIGNATURE, 'X-Nonce has 129 characters, but a nonce has 1 to 128.'],
    ['a'.repeat(257), STANDARD, 'X-Nonce has 257 characters, but a nonce has 1 to 256.'],
  ])('is too short or too long: %j', (nonce, scheme, message) => {
    const [draft] = checkNonce(nonce, mask, scheme)
    expect(draft).toMatchObject({ code: 'nonce_length', message, fix: 'send_nonce' })
    expect(draft?.evidence?.[0]?.[0]).toBe('X-Nonce')
  })

  const OTHERS = 'X-Nonce has characters other than visible ASCII (0x21 to 0x7E)'
  it.each([
    ['a b', X_SIGNATURE, `${OTHERS}: U+0020 (space).`],
    ['a.b é', STANDARD, `${OTHERS} without the full stop: U+002E, U+0020 (space) and U+00E9.`],
    [`é${'a'.repeat(128)}`, X_SIGNATURE, `${OTHERS}: U+00E9. It has 129 characters, and at most 128 are allowed.`],
  ])('has wrong characters: %j', (nonce, scheme, message) => {
    const evidence = [['X-Nonce', expect.stringContaining('<')]]
    expect(checkNonce(nonce, mask, scheme)).toEqual([
      { code: 'nonce_characters', message, fix: 'send_nonce', evidence },
    ])
  })

  it('was wrapped by the program that wrote a capture', () => {
    const fixOf = (nonce: string, isCaptured?: boolean) => checkNonce(nonce, mask, X_SIGNATURE, isCaptured)[0]?.fix
    expect([fixOf('a b', true), fixOf('a  b', true)]).toEqual(['whole_value', 'whole_value'])
    expect([fixOf('a b'), fixOf(' a', true), fixOf('a ', true), fixOf('é', true)]).toEqual(Array(4).fill('send_nonce'))
  })
})
