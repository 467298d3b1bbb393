import { describe, expect, it } from 'vitest'
import { suspectSecrets } from '../../../src/diagnose/checks/secret.js'

describe('a secret may be wrong', () => {
  const textOf = (secret: string) => suspectSecrets([secret])[0]?.message

  it.each([
    [' a', 'The secret contains U+0020 (space).'],
    ['"ab"', 'The secret is between quotes.'],
    ["'a\n'", 'The secret contains U+000A (line feed).'],
    ['`a`', 'The secret is between quotes.'],
  ])('%j', (secret, message) => {
    expect(textOf(secret)).toBe(message)
  })

  it.each([
    ...['$2b$12$a', '$argon2id$v=19', '$scrypt$a', '$6$a', '$y$a', 'pbkdf2_sha256$a', 'scrypt:32768', '{SSHA}a'],
  ])('is a password hash: %s', (secret) => {
    expect(textOf(secret)).toBe('The secret is a password hash, not the secret itself.')
  })

  it.each(['****', 'whsec_****abcd', '••••abcd', 'whsec_ab...', 'xxxxxxxx'])('is masked: %s', (secret) => {
    expect(textOf(secret)).toBe('The secret is a masked copy from a page or a log, not the secret itself.')
  })

  it.each([
    ...['undefined', 'None', 'FALSE', 'secret', 'change_me', '[object Object]', 'process.env.A', 'os.environ["A"]'],
    ...['$(cat a)', 'MY_WEBHOOK_SECRET', '{{secret}}', '<secret>'],
  ])('is a placeholder: %s', (secret) => {
    expect(textOf(secret)).toBe('The secret looks like a placeholder or the name of a variable.')
  })

  it.each([
    ...['a"b"', '"a', '$3$a', 'a$2b$12$a', 'scrypt', '***a', 'a...b', 'xxxxxxx', 'nulla', 'secrets', 'a_b', 'A_b'],
  ])('but nothing is said about %s', (secret) => {
    expect(suspectSecrets([secret])).toEqual([])
  })

  it('and is named by its place in a list', () => {
    const found = suspectSecrets(['a', ' b', '"c"', '$2b$12$d', '****', 'null'])
    expect(found.map(({ code, fix, side }) => [code, fix, side])).toEqual([
      ['secret_whitespace', 'trim_secret', 'receiver'],
      ['secret_quotes', 'unquote_secret', 'receiver'],
      ['secret_hashed', 'store_secret', 'receiver'],
      ['secret_placeholder', 'read_secret', 'receiver'],
      ['secret_placeholder', 'read_secret', 'receiver'],
    ])
    expect(found.map(({ message }) => message.split(' ')[0])).toEqual(
      [1, 2, 3, 4, 5].map((index) => `secret[${index}]`),
    )
  })
})
