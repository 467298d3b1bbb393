/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { SECRET_HYPOTHESES } from '../../../src/diagnose/hypotheses/secret.js'
import { rowNamed, valuesOf, variantsOf } from './proposals.js'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')
const values = (what: string, secret: string) => valuesOf(SECRET_HYPOTHESES, what, secret)

const WITHOUT_LF = 'the text whose base64 is the secret, without the line feed (LF) at its end'
const SKIPPED = 'the secret decoded from base64 without its `-` and `_`, which a decoder skipped'
const STOPPED = 'the start of the secret decoded from base64, where a decoder stopped at `-` or `_`'
const STANDARD = 'the secret with `+` and `/` for its `-` and `_`, and with `=` at its end'
const numbers = (text: string) => text.split(' ')
const NUMBER = 'the secret printed as a number, <detail>'
const VARIABLE = 'the secret without the part that a shell reads as a variable (`$…`)'
const COMMENT = 'the secret up to a `#`, which begins a comment in a .env file'

it.each([
  ['the secret without <detail>', ' a\u200b\n', ['a']],
  ['the text whose base64 is the secret', base64('secret'), ['secret']],
  ['the text whose base64 is the secret', base64('secret\n'), ['secret\n']],
  ['the text whose base64 is the secret', 'no base64!', []],
  ['the text whose hex is the secret', hex('secret'), ['secret']],
  [WITHOUT_LF, base64('secret\n'), ['secret']],
  ['the secret decoded from base64', '-_-_', ['hex:fbffbf']],
  [SKIPPED, 'ab-cd_ef', ['hex:69b71d79']],
  [SKIPPED, 'abcd', []],
  [SKIPPED, 'whsec_ab-cd_ef', ['hex:c21b1e71a6dc75e7', 'hex:69b71d79']],
  [
    NUMBER,
    '00012345678901234567',
    numbers(
      '12345678901234567 1.23457E+16 1.23E+16 12345678901234500 12345678901234600 12345678901234568 1.2345678901234568e+16 1.2345678901234568E16',
    ),
  ],
  [
    NUMBER,
    '3141592653589793238462643383',
    numbers(
      '3141592653589793238462643383 3.14159E+27 3.14E+27 3141592653589790000000000000 3141592653589790000000000000 3.1415926535897935e+27 3.1415926535897935e+27 3.1415926535897935E27',
    ),
  ],
  [
    NUMBER,
    '12345678901e23',
    numbers('12345678901e23 1.23457E+33 1.23E+33 1.2345678901e+33 1.2345678901e+33 1.2345678901E33'),
  ],
  [NUMBER, '12345', []],
  [NUMBER, '1e999999', []],
  [NUMBER, 'a1234567', []],
  [STOPPED, 'abcd-fgh', ['hex:69b71d']],
  ['the secret decoded from base64 to text', Buffer.of(0xff, 0x61).toString('base64'), ['ÿa']],
  ['the secret without its prefix, decoded from base64', `whsec_${base64('a')}`, ['a']],
  ['the secret without its prefix', 'v1,whsec_abc', ['abc']],
  ['the secret without its prefix', 'sk_live_abc', ['abc']],
  ['the secret prefixed with `<detail>`', 'a', ['whsec_a', 'v1,whsec_a', 'v1,a', 'sk_a', 'Bearer a']],
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
  ['a value inside the JSON secret', '{"a":"b","c":1,"d":"e"}', ['b', 'e']],
  ['<detail> of the secret', 'abc', ['a', 'c', 'ab', 'bc']],
  ['a value inside the JSON secret', '["a"]', []],
  ['the text `${WEBHOOK_SECRET}` as the secret', 'a', ['${WEBHOOK_SECRET}']],
  ['the secret in UTF-8 twice (é as Ã©)', 'é-Ñ', ['Ã©-Ã\x91', 'Ã©-Ã‘', 'Ã\x83Â©-Ã\x83Â\x91']],
  ['the secret in UTF-8 twice (é as Ã©)', 'e', []],
])('%s: %j is %j', (what, secret, expected) => {
  expect(values(what, secret)).toEqual(expected)
})

it('a secret in JSON has each usual key, in four forms', () => {
  const json = values('the whole JSON object that has the secret as its `<detail>`', 'a')
  expect(json.slice(0, 4)).toEqual([
    '{"WEBHOOK_SECRET":"a"}',
    '{"WEBHOOK_SECRET": "a"}',
    '{\n  "WEBHOOK_SECRET": "a"\n}',
    "{'WEBHOOK_SECRET': 'a'}",
  ])
  expect(json).toHaveLength(4 * 10)
  expect(json).toContain('{"password":"a"}')
})

it('a secret may be encoded after another step', () => {
  // printf 'abcdef\n' | base64, and so on.
  const steps = variantsOf(
    rowNamed(
      SECRET_HYPOTHESES.filter(({ what }) => what === '<detail>'),
      '',
    ),
    'abcdef',
  )
  expect(Object.fromEntries(steps.map(({ detail, value }) => [detail, value]))).toEqual({
    'the secret in base64 twice': 'WVdKalpHVm0=',
    'the secret in base64 twice, with a line feed (LF) in between': 'WVdKalpHVm0K',
    'the base64 of the secret with a line feed (LF) after it': 'YWJjZGVmCg==',
    'the hex of the secret with a line feed (LF) after it': '6162636465660a',
    'the base64 of the secret with a CRLF after it': 'YWJjZGVmDQo=',
    'the hex of the secret with a CRLF after it': '6162636465660d0a',
    'the base64 of the secret with quotes around it': 'ImFiY2RlZiI=',
    'the hex of the secret with quotes around it': '2261626364656622',
  })
})
