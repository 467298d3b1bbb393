import { Buffer } from 'node:buffer'
import { expect, it } from 'vitest'
import { attemptKey, describeMessageId, describeSignatures, signMessage } from '../../src/standard-webhooks/message.js'
import { isMessageId } from '../../src/standard-webhooks/message-id.js'
import { listSignatures } from '../../src/standard-webhooks/signature-list.js'

const KEY = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
const SIGNED = 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

it('signs the message of the specification', () => {
  const body = Buffer.from('{"test": 2432232314}')
  expect(signMessage({ nonce: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body }, KEY)).toBe(SIGNED)
})

it('signs bytes that are no text', () => {
  const body = Uint8Array.of(0xff, 0, 0xfe)
  // The value is by Python.
  expect(signMessage({ nonce: 'msg_1', timestamp: '1700000000', body }, KEY)).toBe(
    'x81SYOtIrgX2GZw4MFZtq/QPQxrnFp4cE+aiErGizBs=',
  )
})

it.each(['!', '~', 'msg_p5jXN8AQM9LWM0D4loKWxJek', '-', '/', 'a:b', 'a,b', 'x'.repeat(256)])(
  'accepts %j as an ID',
  (id) => expect(isMessageId(id)).toBe(true),
)

it.each([
  ['', 'it is empty'],
  ['a.b', 'it has a full stop'],
  ['a, a', 'character 3 is U+0020'],
  ['.\t', 'character 2 is U+0009'],
  ['é.', 'character 1 is U+00E9'],
  ['\x7f', 'character 1 is U+007F'],
  [`${'x'.repeat(255)} `, 'character 256 is U+0020'],
  [`${'x'.repeat(255)}.`, 'it has a full stop'],
  [`${'x'.repeat(256)}.`, 'it has 257 characters'],
  ['x'.repeat(257), 'it has 257 characters'],
])('refuses %j as an ID: %s', (id, why) => expect([isMessageId(id), describeMessageId(id)]).toEqual([false, why]))

it.each([
  ['', 'it is empty'],
  ['v1,a, v1,b', 'it has two values'],
  ['v2,a v1a,b', 'no v1a signature is base64 of 64 bytes'],
  ['v1a,b', 'no v1a signature is base64 of 64 bytes'],
  ['v1,a v1a,b', 'no v1 signature is base64 of 32 bytes'],
  ['v2,v1,a', 'no entry begins with v1, or v1a,'],
])('says why %j has no signature', (value, why) => expect(describeSignatures(value)).toBe(why))

const OTHER = 'x81SYOtIrgX2GZw4MFZtq/QPQxrnFp4cE+aiErGizBs='

it.each([
  ['one signature', `v1,${SIGNED}`, [SIGNED]],
  ['two signatures', `v1,${SIGNED} v1,${OTHER}`, [SIGNED, OTHER]],
  ['other versions, which are ignored', `v1a,${SIGNED} v2,${SIGNED} v1,${OTHER} ${SIGNED}`, [OTHER]],
  ['no version 1', `v1a,${SIGNED}`, []],
  ['no version', SIGNED, []],
  ['too few characters', `v1,${SIGNED.slice(1)}`, []],
  ['no padding', `v1,${SIGNED.slice(0, -1)}`, []],
  ['base64url', `v1,${SIGNED.replaceAll('+', '-').replaceAll('/', '_')}`, []],
  // The 43rd character has two bits that no byte uses. Decoders ignore them, so this would be a second text of one signature.
  ['base64 that is not canonical', `v1,${SIGNED.replace('E=', 'F=')}`, []],
  ['a newline after the signature', `v1,${SIGNED}\n`, []],
  ['a header that arrived twice', `v1,${SIGNED}, v1,${SIGNED}`, []],
  ['a comma alone', `v1,${SIGNED},v1,${SIGNED}`, []],
  ['nothing', '', []],
  ['a signature after a hundred entries that do not count', `${'v2,x '.repeat(100)}v1,${SIGNED}`, [SIGNED]],
  ['eight of nine signatures', Array(8).fill(`v1,${OTHER}`).concat(`v1,${SIGNED}`).join(' '), Array(8).fill(OTHER)],
])('finds %s', (_, value, signatures) => expect(listSignatures(value, 'v1')).toEqual(signatures))

const ED25519 = `${'A'.repeat(85)}Q==`
const [A, B, C] = ['A', 'B', 'C'].map((letter) => letter + ED25519.slice(1))

it.each([
  ['the first two of three signatures', `v1a,${A} v1,${SIGNED} v1a,${B} v1a,${C}`, [A, B]],
  ['other versions, which are ignored', `v1,${A} v2a,${A} v1b,${A} V1a,${A} v1a,${SIGNED} ${A}`, []],
  ['too few bytes', `v1a,${ED25519.slice(4)}`, []],
  ['too many bytes', `v1a,AAAA${ED25519}`, []],
  ['no padding', `v1a,${ED25519.slice(0, -2)}`, []],
  ['base64 that is not canonical', `v1a,${ED25519.replace('Q=', 'R=')}`, []],
  ['a newline after the signature', `v1a,${A}\n`, []],
])('finds in version 1a %s', (_, value, signatures) => expect(listSignatures(value, 'v1a')).toEqual(signatures))

it('reserves the attempt: ID and timestamp together', () => {
  const body = new Uint8Array()
  // The value is by `printf a.1 | sha256sum`.
  expect(attemptKey({ nonce: 'a', timestamp: '1', body })).toBe(
    'attempt 4a5f06ec672e3c2321239ec81dd50afa8a8059e0a55fb93607ac1e43a2bae990',
  )
  expect(attemptKey({ nonce: 'a', timestamp: '2', body })).not.toBe(attemptKey({ nonce: 'a', timestamp: '1', body }))
})
