import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isGuessable } from '../src/secret-strength.js'

it.each([
  'secret',
  'WEBHOOK_SECRET',
  'correct-horse-battery-staple',
  'my-super-secret-webhook-signing-key-2024',
  'SuperSecretSuperSecretSuperSecretSuperSecret',
  'a'.repeat(64),
  '0123456789abcdef0123456789abcdef',
  'abcabcabcabcabcabcabcabcabcabcabcabc',
  '4b1f0c9e77a3',
  // This secret has nine words of eight letters.
  'Bakelodi-Gumekilo-Pugarifo-Xolupale-Mivobuka-Renipaku-Fatobeli-Lukamena-Guretibo',
  '\0'.repeat(32),
  '\u00e9'.repeat(40),
])('a secret can be guessed: %j', (secret) => {
  expect(isGuessable(secret)).toBe(true)
})

describe('a secret cannot be guessed', () => {
  it.each([
    'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE',
    'whsec_6FF6G8BJv4E9r/xWj/Lz2DDxa3BSxWKI',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    // Only letters with a vowel count as a word. A long word counts once per eight letters.
    'baketodisunofemilopugaridexotuzalemivobukareniposufatobedilukomenaguretibosalopefikunadume',
    'this is a very long passphrase that nobody would ever guess, right?',
  ])('%j', (secret) => {
    expect(isGuessable(secret)).toBe(false)
  })

  it('if it is 32 random bytes', () => {
    const secrets = Array.from({ length: 2000 }, (_, seed) => {
      const bytes = createHash('sha256').update(`seed ${seed}`).digest()
      return (['base64url', 'hex', 'base64'] as const).map((encoding) => bytes.toString(encoding))
    })
    expect(secrets.flat().filter(isGuessable)).toEqual([])
  })
})
