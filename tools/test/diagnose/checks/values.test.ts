import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/bytes.js'
import type { Header } from '../../../src/capture/headers.js'
import { checkLeakedSecret } from '../../../src/diagnose/checks/leaked-secret.js'
import { checkNonce, checkUnfilledNonce } from '../../../src/diagnose/checks/nonce.js'
import { suspectSecrets } from '../../../src/diagnose/checks/secret.js'
import { checkSignatureFormat } from '../../../src/diagnose/checks/signature.js'
import { ASYMMETRIC } from '../../../src/diagnose/standard-webhooks.js'
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
    [`é${'a'.repeat(127)}`, X_SIGNATURE, `${OTHERS}: U+00E9.`],
    [`é${'a'.repeat(128)}`, X_SIGNATURE, `${OTHERS}: U+00E9. It has 129 characters, and at most 128 are allowed.`],
  ])('has wrong characters: %j', (nonce, scheme, message) => {
    const evidence = [['X-Nonce', expect.stringContaining('<')]]
    expect(checkNonce(nonce, mask, scheme)).toEqual([
      { code: 'nonce_characters', message, fix: 'send_nonce', evidence },
    ])
  })

  it('was wrapped by the program that wrote a capture', () => {
    const fixOf = (nonce: string, isCaptured?: boolean) => checkNonce(nonce, mask, X_SIGNATURE, isCaptured)[0]?.fix
    expect([fixOf('a b', true), fixOf('a  b', true)]).toEqual(['whole_header', 'whole_header'])
    expect([fixOf('a b'), fixOf(' a', true), fixOf('a ', true), fixOf('é', true)]).toEqual(Array(4).fill('send_nonce'))
  })

  it('is absent, or right', () => {
    expect([undefined, 'a', 'a'.repeat(128)].flatMap((nonce) => checkNonce(nonce, mask, X_SIGNATURE))).toEqual([])
    expect(['a', 'a'.repeat(256)].flatMap((nonce) => checkNonce(nonce, mask, STANDARD))).toEqual([])
  })

  it('is a placeholder', () => {
    const why = 'The placeholder was not replaced by a value.'
    const message =
      'X-Nonce is the text `<{{nonce}}>`, not a value, so every request has the same nonce and only the first is accepted.'
    expect(checkUnfilledNonce('{{nonce}}', mask)).toEqual([
      { code: 'message_nonce', message, fix: 'fill_in_value', evidence: [why] },
    ])
    expect([undefined, 'nonce'].flatMap((nonce) => checkUnfilledNonce(nonce, mask))).toEqual([])
  })
})

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
    ...['$2$a', '$2b$12$a', '$2y$12$a', '$argon2id$v=19', '$scrypt$a', '$s0$a', '$1$a', '$5$a', '$6$a', '$y$a'],
    ...['$pbkdf2-sha256$a', 'pbkdf2_sha256$a', 'scrypt:32768', 'bcrypt$a', 'argon2$a', '{SSHA}a', '{SHA256}a'],
  ])('is a password hash: %s', (secret) => {
    expect(textOf(secret)).toBe('The secret is a password hash, not the secret itself.')
  })

  it.each(['****', 'whsec_****abcd', '••••abcd', 'whsec_ab…', 'whsec_ab...', 'xxxxxxxx', 'XXXXXXXXX'])(
    'is masked: %s',
    (secret) => {
      expect(textOf(secret)).toBe('The secret is a masked copy from a page or a log, not the secret itself.')
    },
  )

  it.each([
    ...['undefined', 'null', 'None', 'nil', 'NaN', 'true', 'FALSE', 'secret', 'changeme', 'change_me', 'change-me'],
    ...[
      '[object Object]',
      'process.env.A',
      'os.environ["A"]',
      '$(cat a)',
      'A_B',
      'MY_WEBHOOK_SECRET',
      '{{secret}}',
      '<secret>',
    ],
  ])('is a placeholder: %s', (secret) => {
    expect(textOf(secret)).toBe('The secret looks like a placeholder or the name of a variable.')
  })

  it.each([
    ...[
      'a"b"',
      '"a"b',
      '"a',
      '"a\'',
      '$3$a',
      '$2bcd$a',
      'a$2b$12$a',
      'apbkdf2_sha256$a',
      'scrypt',
      'a{SHA}',
      '***a',
      'a…b',
      'a...b',
    ],
    ...[
      'xxxxxxx',
      'axxxxxxxx',
      'xxxxxxxxa',
      'nulla',
      'anull',
      'secrets',
      'a_b',
      'SECRET1',
      'aA_B',
      'A_B1',
      'A_b',
      'a process.env.A',
    ],
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

describe('a secret that leaked', () => {
  const SECRET = 'q7Rk2vT9xLm4WcZ8'
  const placesOf = (headers: readonly Header[], body = '', secret = SECRET) =>
    checkLeakedSecret(headers, utf8(body), [secret], mask)[0]?.message.replace(
      /^The secret itself is in (.*)\. Replace .*$/,
      '$1',
    )

  it.each<[readonly Header[], string, string | undefined]>([
    [[[':path', `/?key=${SECRET}`]], '', 'the URL'],
    [[['a', SECRET]], '', '<a>'],
    [
      [
        ['a', SECRET],
        ['b', `"${SECRET}"`],
        ['a', `is ${SECRET}`],
      ],
      SECRET,
      '<a>, <b> and the body',
    ],
    [[['authorization', `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`]], '', '<authorization>'],
    [[['cookie', `a=${Buffer.from(SECRET).toString('hex')}; b=c`]], '', '<cookie>'],
    [[[`x-${SECRET.toLowerCase()}`, 'a']], '', 'the name of a header'],
    [[], `{"a":"${SECRET}"}`, 'the body'],
    [[['a', SECRET.toLowerCase()]], SECRET.slice(1), undefined],
  ])('is in %j and %j: %s', (headers, body, places) => {
    expect(placesOf(headers, body)).toBe(places)
  })

  it.each([
    ['is in a URL', 'a/b+c=d&e', '/?a=a%2Fb%2Bc%3Dd%26e'],
    ['without the white space around it', ' q7Rk2v\n', '/q7Rk2v'],
    ['without its prefix', `whsec_${SECRET}`, `/${SECRET}`],
  ])('%s', (_, secret, path) => {
    expect(placesOf([[':path', path]], '', secret)).toBe('the URL')
  })

  it.each([
    ['five characters', 'q7Rk2', '/q7Rk2'],
    ['a prefix before fewer than 16 characters', `whsec_${SECRET.slice(1)}`, `/${SECRET.slice(1)}`],
    ['another prefix', `ABC_${SECRET}`, `/${SECRET}`],
  ])('is not searched: %s', (_, secret, path) => {
    expect(placesOf([[':path', path]], '', secret)).toBeUndefined()
  })

  it('is searched in names from 16 characters on', () => {
    expect(placesOf([[`x-${SECRET.slice(1).toLowerCase()}`, 'a']], '', SECRET.slice(1))).toBeUndefined()
  })
})
