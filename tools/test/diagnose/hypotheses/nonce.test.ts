import { expect, it } from 'vitest'
import type { Header } from '../../../src/capture/headers.js'
import { NONCE_HYPOTHESES } from '../../../src/diagnose/hypotheses/nonce.js'
import { CONTEXT, valuesOf } from './proposals.js'

const UUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const PLAIN = UUID.replaceAll('-', '')

it.each([
  ['the nonce without its dashes', UUID, [PLAIN]],
  ['the nonce with the dashes of a UUID', PLAIN, [UUID]],
  ['the nonce without the braces around it, in lowercase', '{aB-1}', ['ab-1']],
  ['the nonce and a space after it', 'a', ['a ']],
  ['the nonce without its white space and invisible characters', ' a\u200b', ['a']],
  ['the nonce between double quotes', 'a', ['"a"']],
  ['the nonce without the quotes or brackets around it', '"a"', ['a']],
  ['the nonce in uppercase', 'aB', ['AB']],
  ['the nonce decoded from the hex of a UUID', '7b-7D', ['{}']],
  ['nothing in the place of the nonce', 'a', ['']],
  ['the nonce in base64', 'a', ['YQ==']],
  ['the nonce decoded from base64', 'YQ==', ['a']],
])('%s: %j', (what, nonce, values) => {
  expect(valuesOf(NONCE_HYPOTHESES, what, nonce)).toEqual(values)
})

it.each(['id', 'uuid', 'request', 'trace'])('the value of the header x-%s may have been signed', (word) => {
  const headers: Header[] = [
    [`x-${word}`, 'a'],
    ['x-other', 'b'],
  ]
  const what = 'the value of the header <detail> as the nonce'
  expect(valuesOf(NONCE_HYPOTHESES, what, 'n', { ...CONTEXT, headers })).toEqual(['a'])
})
