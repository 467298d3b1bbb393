import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verify } from '../../../src/standard-webhooks/index.js'
import { diagnoseBriefly } from './brief-search.js'

// Requests of senders that should follow Standard Webhooks, signed here without the library, each with one mistake.

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const KEY = Buffer.from(SECRET.slice(6), 'base64')
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const SECONDS = 1_614_265_330
const BODY = '{"type":"invoice.paid","name":"Zo\u00eb"}'

interface Sent {
  id?: string
  timestamp?: string
  body?: string | Buffer
  signed?: string | Buffer
  key?: string | Buffer
  write?: (digest: Buffer) => string
  names?: (name: string) => string
  headers?: Record<string, string>
}

function sent({ id = ID, timestamp = String(SECONDS), body = BODY, signed, key = KEY, ...rest }: Sent) {
  const { write = (digest) => `v1,${digest.toString('base64')}`, names = (name) => name } = rest
  const message = signed ?? Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)])
  const own = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': write(createHmac('sha256', key).update(message).digest()),
  }
  const headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [names(name), value]))
  return { webhookId: '42', headers: { ...headers, ...rest.headers }, body: Buffer.from(body) }
}

async function findingsOf(request: ReturnType<typeof sent>, secret: string | Buffer = SECRET) {
  const { valid, findings } = await diagnoseBriefly(request, secret, CLOCK)
  const texts = findings.flatMap(({ message, fix, fixes, evidence }) => [
    message,
    fix,
    evidence,
    ...Object.values(fixes),
  ])
  return { valid, codes: findings.map(({ code }) => code), text: texts.join('\n') }
}

const renamed = (from: string, to: string): Sent => ({ names: (name) => name.replace(from, to) })
const CLOCK = { now: () => SECONDS * 1000 }
const SPACED = BODY.replaceAll(':', ': ').replaceAll(',', ', ')
/** A signature of another version. */
const V1A = `v1a,${'A'.repeat(86)}==`
const hex = (digest: Buffer) => digest.toString('hex')

describe('a valid request of Standard Webhooks', () => {
  it.each<[string, Sent]>([
    ['as the specification signs it', {}],
    ['with the older names of the headers', renamed('webhook', 'svix')],
    ['with two signatures', { write: (digest) => `v1,${'A'.repeat(43)}= v1,${digest.toString('base64')}` }],
    ['with an asymmetric signature too', { write: (digest) => `${V1A} v1,${digest.toString('base64')}` }],
  ])('%s', async (_, parts) => {
    expect(await findingsOf(sent(parts))).toEqual({ valid: true, codes: [], text: '' })
  })

  it('with a secret whose text is the key', async () => {
    const secret = 'a secret that is not base64'
    expect(await findingsOf(sent({ key: secret }), secret)).toMatchObject({ valid: true })
  })
})

const cgiName = (name: string) => `HTTP_${name.replace('-', '_').toUpperCase()}`
it('a value that contains a quote is shown unchanged', async () => {
  const { text } = await findingsOf(sent({ timestamp: 'a "nonce" and a nonce' }))
  expect(text).toContain('webhook-timestamp is "a \\"nonce\\" and a nonce", not Unix time')
})

const base64 = (digest: Buffer) => digest.toString('base64')
/** Returns base64 whose last character has another text for the same bytes, because two of its bits belong to no byte. */
const strayBase64 = (digest: Buffer) =>
  base64(digest).replace(/.(?==$)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))
const afterEight = (digest: Buffer) => `${`v1,${'A'.repeat(43)}= `.repeat(8)}v1,${base64(digest)}`

// `verify` refuses each of these requests too.
it.each<[string, string, Sent]>([
  ['a signature with stray bits', 'signature_format', { write: (digest) => `v1,${strayBase64(digest)}` }],
  ['the right signature after eight others', 'signature_mismatch', { write: afterEight }],
  [
    'no ID, although the signature covers one',
    'header_missing',
    { id: '', names: (name) => name.replace(/id$/, 'none') },
  ],
  ['names of two sets', 'header_name', { ...renamed('webhook', 'svix'), headers: { 'webhook-id': ID } }],
])('a request of Standard Webhooks is not valid: %s', async (_, code, parts) => {
  const request = sent(parts)
  const store = { reserve: () => true }
  expect(await verify(request, SECRET, store, CLOCK)).toMatchObject({ ok: false })
  const { valid, codes } = await findingsOf(request)
  expect({ valid, codes }).toEqual({ valid: false, codes: [code] })
})

it.each<[string, string, RegExp, Sent]>([
  ['hex', 'signature_format', /hex instead of base64.*\n.*44 characters of base64/, { write: (d) => `v1,${hex(d)}` }],
  ['the text of the secret', 'secret_encoding', /text of the secret, .*\n.*decode the rest/, { key: SECRET }],
  ['the text after whsec_', 'secret_encoding', /text of the secret after whsec_/, { key: SECRET.slice(6) }],
  ['the whole text as base64', 'secret_encoding', /decoded from base64/, { key: Buffer.from(SECRET, 'base64') }],
  ['colons', 'message_layout', /`ID:timestamp:body`, not `ID\.timestamp/, { signed: `${ID}:${SECONDS}:${BODY}` }],
  ['the timestamp first', 'message_layout', /`timestamp\.ID\.body`/, { signed: `${SECONDS}.${ID}.${BODY}` }],
  ['the scheme of X-Signature', 'message_layout', /`timestamp:ID:body`/, { signed: `${SECONDS}:${ID}:${BODY}` }],
  ['no ID', 'message_layout', /`timestamp\.body`/, { signed: `${SECONDS}.${BODY}` }],
  ['spaces in the JSON', 'body_json', /json\.dumps/, { signed: `${ID}.${SECONDS}.${SPACED}` }],
  ['a line feed', 'body_newline', /line feed/, { signed: `${ID}.${SECONDS}.${BODY}\n` }],
  ['the secret and a line feed', 'secret_whitespace', /line feed/, { key: `${SECRET}\n` }],
  ['an old time', 'clock_behind', /webhook-timestamp is/, { timestamp: String(SECONDS - 4000) }],
  ['a full stop in the ID', 'nonce_characters', /webhook-id has .*full stop/, { id: 'msg.1' }],
  [
    'another name',
    'header_name',
    /is missing, but the request has "x-webhook-id"/,
    renamed('webhook-id', 'x-webhook-id'),
  ],
  ['underscores', 'header_name', /webhook-id is .*"webhook_id"/, { names: (name) => name.replace('-', '_') }],
  ['names of CGI', 'header_name', /webhook-id is .*"http_webhook_id"/, { names: cgiName }],
  ['no timestamp', 'header_missing', /webhook-timestamp is missing/, renamed('webhook-timestamp', 'other')],
  [
    'another secret',
    'signature_mismatch',
    /secrets differ(.*\n)+.*printf %s 'msg_p5jXN8AQM9LWM0D4loKWxJek\.1614265330\.'/,
    { key: 'another secret' },
  ],
  [
    'v1a alone',
    'signature_format',
    /Ed25519 signature \(v1a\), which needs .*\n.*pass the sender's public key/,
    { write: () => V1A },
  ],
  ['a placeholder', 'message_nonce', /webhook-id is the text `\{\{nonce\}\}`/, { id: '{{nonce}}' }],
])('a request of Standard Webhooks with one mistake is explained: %s', async (_, code, says, parts) => {
  const { valid, codes, text } = await findingsOf(sent(parts))
  expect(codes[0]).toBe(code)
  expect(valid).toBe(code === 'message_nonce')
  expect(text).toMatch(says)
  // A value of the request may contain the words of the other scheme.
  expect(text.replaceAll('{{nonce}}', '')).not.toMatch(/x-(nonce|timestamp|signature)|\bnonce|lowercase hex|64 hex/i)
})

describe('a key in bytes', () => {
  // Text of 32 characters is also base64 of 24 bytes, which verify does not decode.
  const TEXTS = ['a', 'Zk3Qw8Lx2Vb6Nz0Ks5Rd9Mf1Pj7Gc4Ua', 'whsec_Zk3Qw8Lx2Vb6Nz0Ks5Rd9Mf1Pj7Gc4Ua', 'text '.repeat(20)]
  const KEYS = [
    ...[16, 24, 64, 65].map((length) => Buffer.alloc(length, 0xe9)),
    ...TEXTS.map((text) => Buffer.from(text)),
  ]

  it.each(KEYS)('%o is the whole key, as for verify', async (key) => {
    for (const [used, isValid] of [
      [key, true],
      [Buffer.from(String(key).replace('whsec_', ''), 'base64'), false],
    ] as const) {
      const request = sent({ key: used })
      const result = await verify(request, key, { reserve: () => true }, CLOCK)
      expect([result.ok, (await findingsOf(request, key)).valid]).toEqual([isValid, isValid])
    }
  })

  it('is masked as text, in hex and in base64', async () => {
    const key = Buffer.from('Zk3Qw8Lx2Vb6Nz0Ks5Rd9Mf1Pj7Gc4Ua')
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      const secret = key.toString(encoding)
      const { codes, text } = await findingsOf(sent({ key, body: `${secret}!`, signed: `${secret}?` }), key)
      expect(codes).not.toEqual([])
      expect(text).not.toContain(secret.slice(-6))
    }
  })
})
