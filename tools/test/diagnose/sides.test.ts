import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { diagnose, type FindingCode, type Side } from '../../src/diagnose/index.js'
import { diagnoseBriefly } from './brief-search.js'

// Every code has a case for each side that may have to act. If a request does not show who must act, both sides have a fix.

interface Broken {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  /** The sender's secret, the body that it signed, and the form of its signature. */
  readonly key?: string | Uint8Array
  readonly signed?: string | Uint8Array
  readonly write?: (signature: string) => string
  readonly secret?: string
  /** When the request arrived. If it is left out, this is when it was signed. `undefined` means that nobody knows. */
  readonly now?: number | undefined
}

const JSON_BODY = '{"a":1}'
const bytes = (signature: string) => Buffer.from(signature, 'hex')
/** The signature of another message than that of the headers. */
const signatureHeader = (text: string, algorithm = 'sha256') => ({
  'x-signature': createHmac(algorithm, SECRET).update(text).digest('hex'),
})

/** `listen` alone finds a replay, because it remembers nonces. */
type Code = Exclude<FindingCode, 'nonce_reused'>

const CASES: Readonly<Record<Code, Partial<Record<Side, Broken>>>> = {
  header_missing: { unknown: { headers: { 'x-nonce': [] } } },
  header_name: { unknown: { headers: { 'x-nonce': [], 'webhook-nonce': NONCE } } },
  header_scheme: {
    receiver: {
      headers: {
        ...{ 'x-timestamp': [], 'x-nonce': [], 'x-signature': [] },
        ...{ 'svix-id': 'msg_1', 'svix-timestamp': TIMESTAMP, 'svix-signature': `v1,${'A'.repeat(43)}=` },
      },
    },
  },
  header_repeated: { unknown: { headers: { 'x-nonce': [NONCE, NONCE] } } },
  header_swapped: { sender: { headers: { 'x-nonce': TIMESTAMP, 'x-timestamp': NONCE } } },
  timestamp_format: { sender: { headers: { 'x-timestamp': '2023-11-14T22:13:20Z' } } },
  timestamp_unit: {
    sender: {
      headers: { 'x-timestamp': `${TIMESTAMP}000`, ...signatureHeader(`${TIMESTAMP}000:${NONCE}:${JSON_BODY}`) },
    },
  },
  timestamp_epoch: {
    sender: { headers: { 'x-timestamp': '12345', ...signatureHeader(`12345:${NONCE}:${JSON_BODY}`) } },
  },
  clock_time_zone: { unknown: { now: NOW + 3_600_000 } },
  clock_behind: { unknown: { now: NOW + 400_000 } },
  clock_unknown: { receiver: { now: undefined } },
  clock_ahead: { unknown: { now: NOW - 400_000 } },
  nonce_length: { sender: { headers: { 'x-nonce': 'a'.repeat(129) } } },
  nonce_characters: { sender: { headers: { 'x-nonce': 'a b' } } },
  signature_format: { sender: { write: (signature) => bytes(signature).toString('base64') } },
  signature_truncated: { sender: { write: (signature) => signature.slice(0, 40) } },
  signature_changed: {
    sender: { write: (signature) => signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
  },
  signature_algorithm: { sender: { headers: signatureHeader(`${TIMESTAMP}:${NONCE}:${JSON_BODY}`, 'sha1') } },
  secret_leaked: { unknown: { headers: { authorization: `Bearer ${SECRET}` } } },
  secret_whitespace: { sender: { key: `${SECRET}\n` }, receiver: { secret: `${SECRET}\n` } },
  secret_quotes: { sender: { key: `"${SECRET}"` }, receiver: { secret: `"${SECRET}"` } },
  secret_prefix: { sender: { secret: 'sk_live_abc', key: 'abc' }, unknown: { secret: 'abc', key: 'whsec_abc' } },
  secret_encoding: {
    // Both sides have bytes, and the sender decoded them.
    sender: { secret: '//79/Pv6', key: Buffer.from('fffefdfcfbfa', 'hex') },
    // One of the two sides has the text, and the other one its base64.
    unknown: { secret: 'YWJjZGVm', key: 'abcdef' },
  },
  secret_hashed: {
    sender: { secret: 'abc', key: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
    receiver: { secret: '$2b$12$KIXQ4S8h0bq7jv3YHqYl2eYw3n0Jm0bZcUo1mQG0bE7lq7p7bQxWm', key: 'abc' },
  },
  secret_changed: { unknown: { secret: 'ab #c', key: 'ab' } },
  secret_placeholder: { sender: { key: 'undefined' }, receiver: { secret: 'change-me', key: 'something else' } },
  message_layout: { sender: { headers: signatureHeader(`${TIMESTAMP}.${NONCE}.${JSON_BODY}`) } },
  message_timestamp: { sender: { headers: signatureHeader(`${Number(TIMESTAMP) + 1}:${NONCE}:${JSON_BODY}`) } },
  message_nonce: { sender: { headers: signatureHeader(`${TIMESTAMP}:${NONCE.toUpperCase()}:${JSON_BODY}`) } },
  body_json: {
    unknown: { signed: '{"a": 1}' },
    sender: { signed: '{"a": 1}', headers: { 'content-length': '7' } },
    receiver: { signed: '{"a": 1}', headers: { 'content-length': '8', via: '1.1 a' } },
  },
  body_newline: {
    unknown: { signed: `${JSON_BODY}\n` },
    sender: { signed: `${JSON_BODY}\n`, headers: { 'content-length': '7' } },
  },
  body_encoding: { unknown: { signed: `\ufeff${JSON_BODY}` } },
  body_wrapped: { unknown: { signed: JSON.stringify(JSON_BODY) } },
  body_compressed: {
    unknown: { signed: JSON_BODY, body: Buffer.from('1f8b0800000000000003ab564a54b232ac0500afac1b5607000000', 'hex') },
    receiver: { signed: 'compressed', headers: { 'content-encoding': 'gzip', 'content-length': '27' } },
  },
  body_hashed: { sender: { signed: '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862' } },
  body_not_signed: { unknown: { signed: '' } },
  body_changed: {
    unknown: { body: '[object Object]', signed: 'something' },
    sender: { body: '[object Object]', signed: 'something', headers: { 'content-length': '15' } },
    receiver: { body: '', signed: 'something', headers: { 'content-length': '9' } },
  },
  signature_mismatch: { unknown: { key: 'another secret' } },
}

const clockOf = (broken: Broken) => {
  const now = 'now' in broken ? broken.now : NOW
  return now === undefined ? undefined : { now: () => now }
}

describe.each(Object.entries(CASES))('%s', (code, cases) => {
  it.each(Object.entries(cases))('%s', async (side, broken) => {
    const { headers = {}, body = JSON_BODY, signed = body, key = SECRET, secret = SECRET } = broken
    const { write = (signature: string) => signature } = broken
    const all = {
      'x-timestamp': TIMESTAMP,
      'x-nonce': NONCE,
      'x-signature': write(signatureOf(TIMESTAMP, NONCE, signed, key)),
      ...headers,
    }
    const { findings } = await diagnoseBriefly({ webhookId: '42', headers: all, body }, secret, clockOf(broken))
    expect(findings).toContainEqual(expect.objectContaining({ code, side }))
    for (const finding of findings.filter((one) => one.code === code)) expect(finding.side).toBe(side)
    const both = /^On the sender's side: .+\nOn the receiver's side: .+/
    expect(findings.every((finding) => both.test(finding.fix) === (finding.side === 'unknown'))).toBe(true)
  })
})

describe('a proxy that may have changed the body', () => {
  it.each(['Via', 'Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'X-Amzn-Trace-Id', 'CF-Ray', 'X-Envoy-Attempt-Count'])(
    'is seen in %s, so that the side is not confirmed',
    async (name) => {
      const signature = signatureOf(TIMESTAMP, NONCE, '{"a": 1}', SECRET)
      const headers = { 'x-timestamp': TIMESTAMP, 'x-nonce': NONCE, 'x-signature': signature, 'content-length': '7' }
      const sideWith = async (more: Record<string, string>) => {
        const request = { webhookId: '42', headers: { ...headers, ...more }, body: JSON_BODY }
        return (await diagnose(request, SECRET, { now: () => NOW })).findings.map(({ code, side }) => [code, side])
      }
      expect(await sideWith({})).toEqual([['body_json', 'sender']])
      expect(await sideWith({ [name]: 'a' })).toEqual([['body_json', 'unknown']])
    },
  )
})
