import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signatureOf, TIMESTAMP } from '../../../test/support/request.js'
import { diagnose } from '../../src/diagnose/index.js'
import { diagnoseBriefly } from './brief-search.js'

// The words of findings are in wording.txt, one line each. Other tests check codes, sides and evidence. After you change a text, run
// this file with `-u`, and read the difference.

interface Shown {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body?: string | Uint8Array
  /** The text that was signed, or the signature itself. */
  readonly message?: string
  readonly signature?: string
  readonly secret?: string | string[]
  /** When the request arrived. `undefined` means that nobody knows. */
  readonly now?: number | undefined
  readonly original?: string
}

const WRONG = 'ab'.repeat(32)
const HEAD = `${TIMESTAMP}:${NONCE}:`
const DIGEST = Buffer.from(signatureOf(TIMESTAMP, NONCE, 'a body', SECRET), 'hex')

/** One request for each text that the captured requests do not show. */
const REQUESTS: Readonly<Record<string, Shown>> = {
  'headers: missing': { headers: { 'x-timestamp': undefined, 'x-signature': undefined, host: 'a' } },
  'headers: missing behind a proxy': { headers: { 'x-nonce': undefined, via: '1.1 nginx' } },
  'headers: under another name': { headers: { 'x-nonce': undefined, 'webhook-id': NONCE } },
  'headers: repeated, the same value': { headers: { 'x-nonce': [NONCE, NONCE] } },
  'headers: repeated, different values': { headers: { 'x-nonce': [NONCE, 'b'] } },
  'headers: swapped': { headers: { 'x-timestamp': NONCE, 'x-nonce': TIMESTAMP } },
  'time: ISO 8601': { headers: { 'x-timestamp': '2023-11-14T22:13:20.9Z' } },
  'time: no time': { headers: { 'x-timestamp': 'now' } },
  'time: milliseconds': { headers: { 'x-timestamp': '1700000000250' } },
  'time: milliseconds, at any age': { headers: { 'x-timestamp': '1500000000250' } },
  'time: zero': { headers: { 'x-timestamp': '0' } },
  'time: one hour behind': { now: NOW + 3_600_500 },
  'time: behind': { now: NOW + 301_500 },
  'time: ahead': { now: NOW - 301_500 },
  'time: two days behind': { now: NOW + 200_000_000 },
  'time: not known': { now: undefined },
  'nonce: empty': { headers: { 'x-nonce': '' } },
  'nonce: spaces': { headers: { 'x-nonce': ' '.repeat(129) } },
  'body: an object': { body: '[object Object]', signature: WRONG },
  'body: lost': { body: '', signature: WRONG, headers: { 'content-length': '7' } },
  'body: lost, chunked': { body: '', signature: WRONG, headers: { 'transfer-encoding': 'gzip, chunked' } },
  'body: inflated': { signature: WRONG, headers: { 'content-encoding': 'gzip' } },
  'body: multipart': { signature: WRONG, headers: { 'content-length': '6', 'content-type': 'multipart/form-data' } },
  'body: no JSON': { signature: WRONG, headers: { 'content-length': '6', 'content-type': 'application/json' } },
  'body: JSON without its end': {
    signature: WRONG,
    body: '{"a":1',
    headers: { 'content-length': '6', 'content-type': 'application/json' },
  },
  'body: of another length': { signature: WRONG, headers: { 'content-length': '9' } },
  'body: with U+FFFD': { signature: WRONG, body: 'abcdefghijklm\ufffdnopqrstuvwxyz' },
  'body: the original': { message: `${HEAD}one`, body: 'other', original: 'one' },
  'secret: white space': { secret: ' s\n', signature: WRONG },
  'secret: quotes': { secret: '"s"', signature: WRONG },
  'secret: a placeholder in a list': { secret: [SECRET, 'change-me'], signature: WRONG },
  'secret: sent': { headers: { authorization: `Bearer ${SECRET}` } },
  'secret: of a list': {
    secret: ['another secret', SECRET],
    signature: createHmac('sha256', `${SECRET}\n`).update(`${HEAD}a body`).digest('hex'),
  },
  'signature: not hex': { signature: 'no signature at all, but a sentence' },
  'signature: a JWT': { signature: 'eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3MDAwMDAwMDB9.c2lnbmF0dXJl' },
  'signature: base64url': { signature: DIGEST.toString('base64url') },
  'signature: uppercase after white space': { signature: ` ${DIGEST.toString('hex').toUpperCase()}` },
  'search: nothing found': { signature: WRONG },
  'search: cut short': { body: 'a longer body', signature: WRONG },
  'message: after the body': { message: `a body:${TIMESTAMP}:${NONCE}` },
  'message: without the body': { message: `${TIMESTAMP}:${NONCE}` },
  'message: another time': { message: `1700000001:${NONCE}:a body` },
  'message: another time and nonce': { message: `1700000001:${NONCE.toUpperCase()}:a body` },
  'message: another layout and time': { message: `${TIMESTAMP}000.a body` },
  'message: three mistakes': { message: `${TIMESTAMP}.${NONCE}.{"a": 1}\n`, body: '{"a":1}' },
  'JSON: of Python': { message: `${HEAD}{"a": "\\u00e9"}`, body: '{"a":"é"}' },
  'JSON: of no serializer': { message: `${HEAD}{\n\t"a": "<"\n}`, body: '{"a":"<"}' },
  'JSON: of several serializers': { message: `${HEAD}{"a":1}`, body: '{ "a": 1 }' },
  'JSON: numbers in another form': { message: `${HEAD}{"a":1}`, body: '{"a":1.0}' },
}

// Many searches run here, so this test needs more time than others.
it('the words of the findings', async () => {
  const texts: string[] = []
  for (const [name, shown] of Object.entries(REQUESTS)) {
    const { headers, body = 'a body', message = `${HEAD}${body}`, secret = SECRET, original } = shown
    const made = createHmac('sha256', SECRET).update(message).digest('hex')
    const all = { 'x-timestamp': TIMESTAMP, 'x-nonce': NONCE, 'x-signature': shown.signature ?? made, ...headers }
    const now = 'now' in shown ? shown.now : NOW
    const clock = now === undefined ? undefined : { now: () => now }
    const request = { webhookId: '42', headers: all, body }
    const isBrief = shown.message === undefined && original === undefined && name !== 'search: nothing found'
    const { findings } = await (isBrief
      ? diagnoseBriefly(request, secret, clock)
      : diagnose(request, secret, clock, original))
    // What `signature_mismatch` says after a brief search is shown once.
    const isShown = !isBrief || name === 'search: cut short'
    for (const { code, side, message } of findings) {
      if (isShown || code !== 'signature_mismatch') texts.push(`${name}: ${code} (${side}): ${message}`)
    }
  }
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot('wording.txt')
}, 60_000)
