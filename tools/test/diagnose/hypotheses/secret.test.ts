/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SECRET_HYPOTHESES } from '../../../src/diagnose/hypotheses/secret.js'
import { CONTEXT, rowNamed, valuesOf, variantsOf } from './proposals.js'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')
const values = (what: string, secret: string) => valuesOf(SECRET_HYPOTHESES, what, secret)

const WITHOUT_LF = 'the text whose base64 is the secret, without the line feed (LF) at its end'
const SKIPPED = 'the secret decoded from base64 without its `-` and `_`, which a decoder skipped'
const STOPPED = 'the start of the secret decoded from base64, where a decoder stopped at `-` or `_`'
const STANDARD = 'the secret with `+` and `/` for its `-` and `_`, and with `=` at its end'
const VARIABLE = 'the secret without the part that a shell reads as a variable (`$…`)'
const COMMENT = 'the secret up to a `#`, which begins a comment in a .env file'

it.each([
  ['the secret without <detail>', ' a\u200b\n', ['a']],
  ['the text whose base64 is the secret', base64('secret'), ['secret']],
  ['the text whose base64 is the secret', base64('secret\n'), ['secret\n']],
  ['the text whose base64 is the secret', 'no base64!', []],
  ['the text whose hex is the secret', hex('secret'), ['secret']],
  [WITHOUT_LF, base64('secret\n'), ['secret']],
  ['the secret decoded from base64 or base64url', '-_-_', ['hex:fbffbf']],
  [SKIPPED, 'ab-cd_ef', ['hex:69b71d79']],
  [SKIPPED, 'abcd', []],
  [STOPPED, 'abcd-fgh', ['hex:69b71d']],
  ['the secret decoded from base64 to text', Buffer.of(0xff, 0x61).toString('base64'), ['ÿa']],
  ['the secret without its prefix, decoded from base64', `whsec_${base64('a')}`, ['a']],
  ['the secret without its prefix', 'v1,whsec_abc', ['abc']],
  ['the secret without its prefix', 'sk_live_abc', ['abc']],
  ['the secret and `<detail>` before it', 'a', ['whsec_a', 'v1,whsec_a', 'v1,a', 'sk_a', 'Bearer a']],
  ['the value after `NAME=` in the secret', 'export A_1="abcdef";', ['abcdef']],
  ['the value after `NAME=` in the secret', "  set 'a.b' = abcdef ", ['abcdef']],
  ['the value after `NAME=` in the secret', 'secret: abcdef;\n', ['abcdef']],
  ['the secret in Latin-1 or Windows-1252', 'Zoë€', ['hex:5a6feb80']],
  ["the bytes of the secret's SHA-256", 'abc', [`hex:${createHash('sha256').update('abc').digest('hex')}`]],
  ["the secret's SHA-256 in hex", 'abc', ['ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad']],
  ['the secret without the `=` at its end', 'a=b==', ['a=b']],
  ['the secret without the quotes or brackets around it', 'x"abc"', []],
  [COMMENT, 'ab#c\nd', ['ab']],
  [VARIABLE, 'a${BC}d$@e$%$f', ['ade$%']],
  [STANDARD, 'a-_', ['a+/=']],
  ['the secret with one `$` for each `$$`, as Docker Compose reads it', 'a$$b$', ['a$b$']],
  ['the secret with `$$` for each `$`', 'a$b', ['a$$b']],
  ['the secret without its hyphens', 'a-b-', ['ab']],
  ['the secret with the hyphens of a UUID', 'A'.repeat(32), ['AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA']],
  ['the secret without its last character', 'abc', ['ab']],
  ['the secret without its first character', 'abc', ['bc']],
  ['the whole line `WEBHOOK_SECRET=…`', 'a', ['WEBHOOK_SECRET=a']],
  ['a value in the JSON that is the secret', '{"a":"b","c":1,"d":"e"}', ['b', 'e']],
  ['<detail> of the secret', 'abc', ['a', 'c', 'ab', 'bc']],
  ['a value in the JSON that is the secret', '["a"]', []],
  ['the text `${WEBHOOK_SECRET}` as the secret', 'a', ['${WEBHOOK_SECRET}']],
  ['the secret and a CRLF (carriage return and line feed) after it', 'a', ['a\r\n']],
  ['the secret between single quotes', 'a', ["'a'"]],
  ['the secret without the quotes or brackets around it', '"a"', ['a']],
  ['the secret in uppercase', 'aB', ['AB']],
  ['the text `undefined` in the place of the secret', 'a', ['undefined']],
  ['the secret in base64', 'a', ['YQ==']],
])('%s: %j is %j', (what, secret, expected) => {
  expect(values(what, secret)).toEqual(expected)
})

it('a secret in JSON has each usual key, in four forms', () => {
  const json = values('the whole JSON of the secret (with the key `<detail>`)', 'a')
  expect(json.slice(0, 4)).toEqual([
    '{"WEBHOOK_SECRET":"a"}',
    '{"WEBHOOK_SECRET": "a"}',
    '{\n  "WEBHOOK_SECRET": "a"\n}',
    "{'WEBHOOK_SECRET': 'a'}",
  ])
  expect(json).toHaveLength(4 * 10)
  expect(json).toContain('{"password":"a"}')
})

describe('a hash of the secret', () => {
  const all = (secret: string) =>
    variantsOf(
      rowNamed(
        SECRET_HYPOTHESES.filter(({ what }) => what === '<detail>'),
        '',
      ),
      secret,
      CONTEXT,
    )
  const digest = createHash('sha1').update('c3a9').digest()

  it('has each form, with its name', () => {
    const hashed = all('c3a9').filter(({ detail }) => detail.startsWith('the SHA-1 of the secret, '))
    expect(
      hashed.map(({ detail, value }) => [detail.slice(25), typeof value === 'string' ? value : Buffer.from(value)]),
    ).toEqual([
      ['in hex', digest.toString('hex')],
      ['in uppercase hex', digest.toString('hex').toUpperCase()],
      ['in base64', digest.toString('base64')],
      ['in base64url without padding', digest.toString('base64url')],
      ['as bytes', digest],
      ['in hex, cut to 32 digits', digest.toString('hex').slice(0, 32)],
      ['as bytes, cut to 16', digest.subarray(0, 16)],
    ])
  })
})
