import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { meaningsIn } from '../../../docs/generate/findings.js'
import { NONCE, NOW, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { diagnose, type Finding, type FindingCode, type Side } from '../../src/diagnose/index.js'
import { diagnoseBriefly } from './brief-search.js'

// Every code has a request for each side that may have to act. The words of the findings are in __snapshots__. After you change a text,
// run this file with `-u`, and read the difference.

interface Broken {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: string | Uint8Array
  /** What the sender signed: another body, or another message. */
  readonly signed?: string | Uint8Array
  readonly message?: string
  /** The sender's secret, if it is not the receiver's, and the form of the signature. */
  readonly key?: string | Uint8Array
  readonly write?: (signature: string) => string
  readonly secret?: string | string[]
  /** When the request arrived. `undefined` means that nobody knows. */
  readonly now?: number | undefined
  readonly original?: string
  /** Whether only a long search finds the cause. */
  readonly isLong?: boolean
}

const JSON_BODY = '{"a":1}'
const HEAD = `${TIMESTAMP}:${NONCE}:`
const bytes = (signature: string) => Buffer.from(signature, 'hex')
/** The signature of another message than that of the headers. */
const signatureHeader = (text: string, algorithm = 'sha256') => ({
  'x-signature': createHmac(algorithm, SECRET).update(text).digest('hex'),
})
const wrong = (parts: Broken): Broken => ({ write: () => 'ab'.repeat(32), ...parts })
const long = (parts: Broken): Broken => ({ isLong: true, ...parts })
const MULTIPART = { 'content-length': '7', 'content-type': 'multipart/a' }
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3MDAwMDAwMDB9.c2lnbmF0dXJl'
const AS_JSON = { 'content-length': '6', 'content-type': 'application/json' }
const GZIP = Buffer.from('1f8b0800000000000003ab564a54b232ac0500afac1b5607000000', 'hex')
const HASHED = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const BCRYPT = '$2b$12$KIXQ4S8h0bq7jv3YHqYl2eYw3n0Jm0bZcUo1mQG0bE7lq7p7bQxWm'

const CASES: readonly (readonly [FindingCode, Side, what: string, Broken])[] = [
  ['header_missing', 'unknown', 'two', { headers: { 'x-timestamp': undefined, 'x-signature': undefined, host: 'a' } }],
  ['header_missing', 'unknown', 'behind a proxy', { headers: { 'x-nonce': undefined, via: '1.1 nginx' } }],
  ['header_name', 'unknown', '', { headers: { 'x-nonce': undefined, 'webhook-nonce': NONCE } }],
  ['header_repeated', 'unknown', 'the same value', { headers: { 'x-nonce': [NONCE, NONCE] } }],
  ['header_repeated', 'unknown', 'different values', { headers: { 'x-nonce': [NONCE, 'b'] } }],
  ['header_swapped', 'sender', '', { headers: { 'x-timestamp': NONCE, 'x-nonce': TIMESTAMP } }],
  ['timestamp_format', 'sender', 'ISO 8601', { headers: { 'x-timestamp': '2023-11-14T22:13:20.9Z' } }],
  ['timestamp_format', 'sender', 'no time', { headers: { 'x-timestamp': 'now' } }],
  ['timestamp_unit', 'sender', 'milliseconds', { headers: { 'x-timestamp': '1700000000250' } }],
  ['timestamp_epoch', 'sender', '', { headers: { 'x-timestamp': '0' } }],
  ['clock_time_zone', 'unknown', '', { now: NOW + 3_600_500 }],
  ['clock_behind', 'unknown', '', { now: NOW + 301_500 }],
  ['clock_ahead', 'unknown', '', { now: NOW - 301_500 }],
  ['clock_unknown', 'receiver', '', { now: undefined }],
  ['nonce_length', 'sender', 'too long', { headers: { 'x-nonce': 'a'.repeat(129) } }],
  ['nonce_characters', 'sender', '', { headers: { 'x-nonce': ' '.repeat(129) } }],
  ['signature_format', 'sender', 'base64url', { write: (signature) => bytes(signature).toString('base64url') }],
  ['signature_format', 'sender', 'not hex', { write: () => 'no signature at all, but a sentence' }],
  ['signature_format', 'sender', 'a JWT', { write: () => JWT }],
  ['signature_truncated', 'sender', '', { write: (signature) => signature.slice(0, 40) }],
  ['signature_changed', 'sender', '', { write: (one) => one.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) }],
  ['signature_algorithm', 'sender', '', { headers: signatureHeader(`${HEAD}${JSON_BODY}`, 'sha1') }],
  ['secret_leaked', 'unknown', '', { headers: { authorization: `Bearer ${SECRET}` } }],
  ['secret_whitespace', 'sender', '', { key: `${SECRET}\n` }],
  ['secret_whitespace', 'receiver', '', { secret: `${SECRET}\n` }],
  ['secret_whitespace', 'receiver', 'unexplained', wrong({ secret: ' s\n' })],
  ['secret_quotes', 'sender', '', { key: `"${SECRET}"` }],
  ['secret_quotes', 'receiver', '', { secret: `"${SECRET}"` }],
  ['secret_quotes', 'receiver', 'unexplained', wrong({ secret: '"s"' })],
  ['secret_prefix', 'sender', '', { secret: 'sk_live_abc', key: 'abc' }],
  ['secret_prefix', 'unknown', '', { secret: 'abc', key: 'whsec_abc' }],
  // Both sides have bytes, and the sender decoded them.
  ['secret_encoding', 'sender', '', { secret: '//79/Pv6', key: Buffer.from('fffefdfcfbfa', 'hex') }],
  // One of the two sides has the text, and the other one its base64.
  ['secret_encoding', 'unknown', '', { secret: 'YWJjZGVm', key: 'abcdef' }],
  ['secret_hashed', 'sender', '', { secret: 'abc', key: HASHED }],
  ['secret_hashed', 'receiver', '', { secret: BCRYPT, key: 'abc' }],
  ['secret_changed', 'unknown', '', { secret: 'ab #c', key: 'ab' }],
  ['secret_placeholder', 'sender', '', { key: 'undefined' }],
  ['secret_placeholder', 'receiver', 'of a list', wrong({ secret: [SECRET, 'change-me'] })],
  ['message_layout', 'sender', '', { message: `${TIMESTAMP}.${NONCE}.${JSON_BODY}` }],
  ['message_layout', 'sender', 'after the body', long({ message: `a body:${TIMESTAMP}:${NONCE}`, body: 'a body' })],
  ['message_layout', 'sender', 'without the body', { message: `${TIMESTAMP}:${NONCE}`, isLong: true }],
  ['message_layout', 'sender', 'and two more', { message: `${TIMESTAMP}.${NONCE}.{"a": 1}\n`, isLong: true }],
  ['message_timestamp', 'sender', '', { message: `1700000001:${NONCE}:${JSON_BODY}` }],
  ['message_nonce', 'sender', '', { message: `${TIMESTAMP}:${NONCE.toUpperCase()}:${JSON_BODY}` }],
  ['body_json', 'unknown', '', { signed: '{"a": 1}' }],
  ['body_json', 'sender', '', { signed: '{"a": 1}', headers: { 'content-length': '7' } }],
  ['body_json', 'unknown', 'of Python', { signed: '{"a": "\\u00e9"}', body: '{"a":"é"}', isLong: true }],
  ['body_json', 'unknown', 'of no serializer', { signed: '{\n\t"a": "<"\n}', body: '{"a":"<"}', isLong: true }],
  ['body_json', 'unknown', 'of several serializers', { signed: '{"a":1}', body: '{ "a": 1 }', isLong: true }],
  ['body_json', 'unknown', 'numbers', { signed: '{"a":1}', body: '{"a":1.0}', isLong: true }],
  ['body_newline', 'unknown', '', { signed: `${JSON_BODY}\n` }],
  ['body_encoding', 'unknown', '', { signed: `\ufeff${JSON_BODY}` }],
  ['body_encoding', 'unknown', 'U+FFFD', wrong({ body: 'abcdefghijklm\ufffdnopqrstuvwxyz' })],
  ['body_wrapped', 'unknown', '', { signed: JSON.stringify(JSON_BODY) }],
  ['body_wrapped', 'unknown', 'multipart', wrong({ headers: MULTIPART })],
  ['body_compressed', 'unknown', '', { signed: JSON_BODY, body: GZIP }],
  ['body_compressed', 'unknown', 'text', wrong({ headers: { 'content-encoding': 'gzip' } })],
  ['body_compressed', 'receiver', '', wrong({ headers: { 'content-encoding': 'gzip', 'content-length': '27' } })],
  ['body_hashed', 'sender', '', { signed: '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862' }],
  ['body_not_signed', 'unknown', '', { signed: '' }],
  ['body_changed', 'unknown', 'an object', wrong({ body: '[object Object]' })],
  ['body_changed', 'sender', 'an object', wrong({ body: '[object Object]', headers: { 'content-length': '15' } })],
  ['body_changed', 'receiver', 'undefined', wrong({ body: 'undefined', headers: { 'content-length': '7' } })],
  ['body_changed', 'receiver', 'lost', wrong({ body: '', headers: { 'content-length': '7' } })],
  ['body_changed', 'receiver', 'of another length', wrong({ headers: { 'content-length': '9' } })],
  ['body_changed', 'unknown', 'no JSON', wrong({ body: 'a body', headers: AS_JSON })],
  ['body_changed', 'unknown', 'JSON without its end', wrong({ body: '{"a":1', headers: AS_JSON })],
  ['body_changed', 'unknown', 'the original', { signed: 'one', body: 'other', original: 'one', isLong: true }],
  ['signature_mismatch', 'unknown', '', wrong({ isLong: true })],
  ['signature_mismatch', 'unknown', 'after a short search', wrong({ body: 'a longer body' })],
]

async function findingsOf(broken: Broken): Promise<readonly Finding[]> {
  const { headers = {}, body = JSON_BODY, signed = body, key = SECRET, secret = SECRET, original, isLong } = broken
  const { message = Buffer.concat([Buffer.from(HEAD), Buffer.from(signed)]), write = String } = broken
  const signature = write(createHmac('sha256', key).update(message).digest('hex'))
  const all = { 'x-timestamp': TIMESTAMP, 'x-nonce': NONCE, 'x-signature': signature, ...headers }
  const now = 'now' in broken ? broken.now : NOW
  const clock = now === undefined ? undefined : { now: () => now }
  const request = { webhookId: '42', headers: all, body }
  const { findings } = await (isLong
    ? diagnose(request, secret, clock, original)
    : diagnoseBriefly(request, secret, clock))
  return findings
}

it.each(CASES)('%s (%s): %s', async (code, side, _, broken) => {
  const findings = await findingsOf(broken)
  expect(findings).toContainEqual(expect.objectContaining({ code, side }))
  for (const finding of findings.filter((one) => one.code === code)) expect(finding.side).toBe(side)
  const both = /^On the sender's side: .+\nOn the receiver's side: .+/
  expect(findings.every((finding) => both.test(finding.fix) === (finding.side === 'unknown'))).toBe(true)
  const own = findings.filter((finding) => finding.code === code || finding.code !== 'signature_mismatch')
  const words = own.map((one) => `${one.code} (${one.side}): ${one.message}\n${one.evidence ?? ''}`.trimEnd())
  expect(words.join('\n')).toMatchSnapshot()
})

it('every code is here, except for a replay, which only listen finds', () => {
  const source = readFileSync(new URL('../../src/diagnose/finding.ts', import.meta.url), 'utf8')
  const codes = [...new Set(CASES.map(([code]) => code)), 'nonce_reused']
  expect(codes.sort()).toEqual([...meaningsIn(source).keys()].sort())
})

it.each(['Via', 'Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'X-Amzn-Trace-Id', 'CF-Ray', 'X-Envoy-Attempt-Count'])(
  'a proxy that may have changed the body is seen in %s, so that the side is not confirmed',
  async (name) => {
    const signature = signatureOf(TIMESTAMP, NONCE, '{"a": 1}', SECRET)
    const headers = { 'x-timestamp': TIMESTAMP, 'x-nonce': NONCE, 'x-signature': signature, 'content-length': '7' }
    const request = { webhookId: '42', headers: { ...headers, [name]: 'a' }, body: JSON_BODY }
    const { findings } = await diagnoseBriefly(request, SECRET, { now: () => NOW })
    expect(findings).toMatchObject([{ code: 'body_json', side: 'unknown' }])
  },
)
