import { expect, it } from 'vitest'
import { utf8 } from '../../../src/bytes.js'
import type { Header } from '../../../src/capture/headers.js'
import { NONCE_HYPOTHESES } from '../../../src/diagnose/hypotheses/nonce.js'
import { CONTEXT, valuesOf } from './proposals.js'

const UUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const PLAIN = UUID.replaceAll('-', '')

it.each([
  ['the nonce without its hyphens', UUID, [PLAIN]],
  ['the nonce with the hyphens of a UUID', PLAIN, [UUID]],
  ['the nonce without the braces around it, in lowercase', '{aB-1}', ['ab-1']],
  ['the nonce without its prefix', 'evt_1', ['1']],
  ['the nonce without its prefix', 'whmsg_live_1', ['live_1', '1']],
  ['the nonce without its prefix', '1_a', []],
  ['the nonce without its prefix', 'evt_', []],
  ['the nonce prefixed with `<detail>`', '1', ['msg_1', 'evt_1', 'wh_1', 'whd_1']],
  ['the nonce with another attempt number at its end', 'a_2', ['a', 'a_0', 'a_1', 'a_2']],
  ['the nonce with another attempt number at its end', 'a2', []],
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

it.each([
  ['{"id":"evt_9","n":1,"data":{"objectId":77,"ids":["x"],"valid":"y"}}', ['evt_9', '77']],
  ['{"event_id":"a\\u002fb","id":{"uuid":"c"},"KEY":null}', ['a/b', 'c']],
  [`[${'{"id":1},'.repeat(20)}0]`, Array(16).fill('1')],
  ['id=1', []],
])('an ID in the body may have been signed: %j', (text, ids) => {
  const context = { ...CONTEXT, body: utf8(text) }
  expect(valuesOf(NONCE_HYPOTHESES, 'the value of `<detail>` in the body as the nonce', 'n', context)).toEqual(ids)
})
