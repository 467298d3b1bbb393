// @ts-nocheck: a sender has no types.
// Broken requests as senders in Node make them, one JSON object a line.
import { createHash, createHmac } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'

const [SECRET, TIMESTAMP, NONCE] = ['s3cr3t/of+node==', '1700000000', 'a3f1c2d4e5b60718']
const HEAD = `${TIMESTAMP}:${NONCE}:`
const EVENT = { id: 7, total: 12, name: 'Zoë', lines: [{ sku: 'a-1', n: 2 }] }
const BODY = JSON.stringify(EVENT)

const digest = (message, key = SECRET) => createHmac('sha256', key).update(message).digest()
const hmac = (message, key) => digest(message, key).toString('hex')

function request(name, codes, signature, { body = BODY, secret = SECRET, headers = {}, ...others } = {}) {
  const all = { 'X-Timestamp': TIMESTAMP, 'X-Nonce': NONCE, 'X-Signature': signature, ...headers }
  for (const header of Object.keys(all)) if (all[header] === undefined) delete all[header]
  const sent = {
    name: `Node: ${name}`,
    codes,
    now: 1700000002000,
    secret,
    headers: all,
    body: Buffer.from(body).toString('base64'),
  }
  console.log(JSON.stringify({ ...sent, ...others }))
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is the mistake
request('quotes for backticks', ['message_layout'], hmac('${timestamp}:${nonce}:${body}'))
// biome-ignore lint/suspicious/noTemplateCurlyInString: this is the mistake
request('quotes for backticks, rawBody', ['message_layout'], hmac('${timestamp}:${nonce}:${rawBody}'))
request('Date.now() signed', ['message_timestamp'], hmac(`1700000000731:${NONCE}:${BODY}`))
request(
  'a hex nonce as bytes',
  ['message_nonce'],
  createHmac('sha256', SECRET).update(`${TIMESTAMP}:`).update(NONCE, 'hex').update(`:${BODY}`).digest('hex'),
)
const uuid = '6f1c2e7a-3b1d-4c55-9a3e-0d4f5b6a7c8d'
const uuidBytes = Buffer.from(uuid.replaceAll('-', ''), 'hex')
request(
  'a UUID as bytes',
  ['message_nonce'],
  hmac(Buffer.concat([Buffer.from(`${TIMESTAMP}:`), uuidBytes, Buffer.from(`:${BODY}`)])),
  { headers: { 'X-Nonce': uuid } },
)
request(
  'encodeURIComponent of the nonce',
  ['message_nonce'],
  hmac(`${TIMESTAMP}:${encodeURIComponent('a+b/c==')}:${BODY}`),
  { headers: { 'X-Nonce': 'a+b/c==' } },
)
request('encodeURIComponent of the nonce that was sent', ['message_nonce'], hmac(`${TIMESTAMP}:a+b/c==:${BODY}`), {
  headers: { 'X-Nonce': encodeURIComponent('a+b/c==') },
})
request('slice(0, -1) of the secret', ['secret_changed'], hmac(HEAD + BODY, SECRET.slice(0, -1)))
request('URL and body', ['message_layout'], hmac(`https://example.com/hooks/42${BODY}`), {
  headers: { Host: 'example.com' },
  method: 'POST',
  path: '/hooks/42',
})
request('URL, a line feed and body', ['message_layout'], hmac(`https://example.com/hooks/42\n${BODY}`), {
  headers: { Host: 'example.com' },
  method: 'POST',
  path: '/hooks/42',
})
request(
  'method, URL, timestamp and body',
  ['message_layout'],
  hmac(`POST\n/hooks/42\n${TIMESTAMP}\n${NONCE}\n${BODY}`),
  { method: 'POST', path: '/hooks/42' },
)
request('HMAC of the HMAC in base64', ['signature_algorithm'], hmac(digest(HEAD + BODY).toString('base64')))
request(
  'the digest as UTF-8',
  ['signature_format'],
  digest(HEAD + BODY)
    .toString()
    .replace(/[^\x20-\x7e\u00a1-\uffff]/g, ''),
)
request('{} signed, no body', ['body_not_signed'], hmac(`${HEAD}{}`), {
  body: '',
  headers: { 'User-Agent': 'axios/1.7.2' },
})
request('null signed, no body', ['body_not_signed', 'body_not_signed'], hmac(`${HEAD}null`), { body: '' })
request('undefined signed', ['body_not_signed'], hmac(`${HEAD}undefined`))
request('[object Object]', ['body_not_signed'], hmac(`${HEAD}${EVENT}`))
const form = new FormData()
form.append('payload', BODY)
const multipart = Buffer.from(await new Response(form).arrayBuffer())
const boundary = multipart.subarray(2, multipart.indexOf('\r')).toString()
const fixed = multipart.toString().replaceAll(boundary, '----formdata-undici-0123456789ab')
request('FormData', ['body_wrapped'], hmac(HEAD + BODY), {
  body: fixed,
  headers: { 'Content-Type': 'multipart/form-data; boundary=----formdata-undici-0123456789ab' },
})
request('URLSearchParams with payload', ['body_wrapped'], hmac(HEAD + BODY), {
  body: new URLSearchParams({ payload: BODY }).toString(),
})
request('URLSearchParams with data', ['body_wrapped'], hmac(HEAD + BODY), {
  body: new URLSearchParams({ v: '1', data: BODY }).toString(),
})
request('numbers signed, strings sent', ['body_json'], hmac(HEAD + BODY), {
  body: '{"id":"7","total":"12","name":"Zoë","lines":[{"sku":"a-1","n":"2"}]}',
})
request(
  'strings signed, numbers sent',
  ['body_json'],
  hmac(`${HEAD}{"id":"7","total":"12","name":"Zoë","lines":[{"sku":"a-1","n":"2"}]}`),
)
request('whole numbers got .0 on the way', ['body_json'], hmac(HEAD + BODY), {
  body: '{"id":7.0,"total":12.0,"name":"Zoë","lines":[{"sku":"a-1","n":2.0}]}',
  headers: { Via: '1.1 gateway' },
})
request('one amount got .0 on the way', ['body_json'], hmac(HEAD + BODY), { body: BODY.replace(':12,', ':12.0,') })
request('Brotli after signing', ['body_compressed'], hmac(HEAD + BODY), {
  body: brotliCompressSync(BODY),
  headers: { 'Content-Encoding': 'br' },
})
const json = JSON.stringify({ WEBHOOK_SECRET: SECRET })
request('the whole JSON of a secrets manager', ['secret_changed'], hmac(HEAD + BODY, json))
request(
  'the JSON of a secrets manager, webhook_secret',
  ['secret_changed'],
  hmac(HEAD + BODY, JSON.stringify({ webhook_secret: SECRET })),
)
request(
  'the JSON of a secrets manager, pretty',
  ['secret_changed'],
  hmac(HEAD + BODY, JSON.stringify({ WEBHOOK_SECRET: SECRET }, null, 2)),
)
request('the receiver has the JSON of a secrets manager', ['secret_changed'], hmac(HEAD + BODY), { secret: json })
request('the receiver has a JSON with two keys', ['secret_changed'], hmac(HEAD + BODY), {
  secret: JSON.stringify({ db: 'x', hook: SECRET }),
})
const [jwtHead, claims] = [{ alg: 'HS256', typ: 'JWT' }, EVENT].map((part) =>
  Buffer.from(JSON.stringify(part)).toString('base64url'),
)
request('a JWT', ['signature_format'], `${jwtHead}.${claims}.${digest(`${jwtHead}.${claims}`).toString('base64url')}`)
request('header names with underscores', ['header_name'], hmac(HEAD + BODY), {
  headers: {
    'X-Timestamp': undefined,
    'X-Nonce': undefined,
    'X-Signature': undefined,
    X_Timestamp: TIMESTAMP,
    X_Nonce: NONCE,
    X_Signature: hmac(HEAD + BODY),
  },
})
request('header names with underscores, behind nginx', ['header_missing'], '', {
  headers: {
    'X-Timestamp': undefined,
    'X-Nonce': undefined,
    'X-Signature': undefined,
    'X-Real-IP': '203.0.113.7',
    'X-Forwarded-For': '203.0.113.7',
  },
})
request('the secret in a header of its own', ['secret_exposed'], hmac(HEAD + BODY), {
  headers: { 'X-Webhook-Secret': SECRET },
})
request('the secret with a prefix', ['secret_exposed'], hmac(HEAD + BODY), {
  headers: { 'X-Api-Key': `Token ${SECRET}` },
})
// These requests have two mistakes each.
request(
  'Date.now() signed, base64',
  ['message_timestamp', 'signature_format'],
  digest(`1700000000731:${NONCE}:${BODY}`).toString('base64'),
)
request('strings sent, pretty signed', ['body_json'], hmac(HEAD + JSON.stringify(EVENT, null, 2)), {
  body: '{"id":"7","total":"12","name":"Zoë","lines":[{"sku":"a-1","n":"2"}]}',
})
request('URL and body, base64', ['message_layout'], digest(`https://example.com/hooks/42${BODY}`).toString('base64'), {
  headers: { Host: 'example.com' },
  method: 'POST',
  path: '/hooks/42',
})
request('payload= of a form, secret cut', ['body_wrapped', 'secret_changed'], hmac(HEAD + BODY, SECRET.slice(0, -1)), {
  body: new URLSearchParams({ payload: BODY }).toString(),
})
request('HMAC twice, dots', ['signature_algorithm', 'message_layout'], hmac(hmac(`${TIMESTAMP}.${NONCE}.${BODY}`)))
// `diagnose` cannot explain these requests.
request('another secret', ['signature_mismatch'], hmac(HEAD + BODY, 'the secret of the staging server'))
request('a field dropped after signing', ['signature_mismatch'], hmac(HEAD + BODY), {
  body: JSON.stringify({ id: 7, total: 12, name: 'Zoë' }),
})
request('another time in the body', ['signature_mismatch'], hmac(HEAD + BODY.replace('7', '8')))
request('random hex', ['signature_mismatch'], createHash('sha256').update('random').digest('hex'))
// Nonces that end like a list of digits: `0` after a comma.
request('nonce abc signed, abc,0 sent', ['message_nonce', 'signature_mismatch'], hmac(`${TIMESTAMP}:abc:${BODY}`), {
  headers: { 'X-Nonce': 'abc,0' },
})
request('nonce abc signed, abc,1 sent', ['message_nonce', 'signature_mismatch'], hmac(`${TIMESTAMP}:abc:${BODY}`), {
  headers: { 'X-Nonce': 'abc,1' },
})
