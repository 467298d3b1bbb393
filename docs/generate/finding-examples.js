import { createHash, createHmac } from 'node:crypto'

// One request per finding code: a request with a single mistake. The secret is that of the guides.

const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'
const TIMESTAMP = '1700000000'
const NONCE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const BODY = '{"event":"invoice.paid","amount":12.50,"customer":"Zoë"}'
/** The body, compressed by Python. */
const GZIPPED = Buffer.from(
  'H4sIAAAAAAACA6tWSi1LzStRslLKzCvLz0xO1StIzExR0lFKzM0vBYkbGumZGugoJZcWl+TnphYBFUblH16tVAsA8eMSBjkAAAA=',
  'base64',
)

/**
 * A mistake: what differs from a valid request.
 *
 * @typedef {object} Mistake
 * @property {string} [timestamp]
 * @property {string} [nonce]
 * @property {string | Uint8Array} [body] - as it arrived.
 * @property {string | Uint8Array} [signed] - what was signed instead of the body.
 * @property {string | Uint8Array} [message] - what was signed instead of the whole message.
 * @property {string | Uint8Array} [key]
 * @property {string} [hash]
 * @property {(digest: Buffer) => string} [write] - writes the signature.
 * @property {(headers: [name: string, value: string][]) => [name: string, value: string][]} [change] - changes the headers.
 * @property {number | undefined} [seconds] - how long after its timestamp the request arrived. `undefined` if the time is unknown.
 */

/** @type {Record<string, Mistake>} */
const MISTAKES = {
  header_missing: { change: (headers) => headers.filter(([name]) => name !== 'X-Signature') },
  header_name: {
    change: (headers) => headers.map(([name, value]) => [name.replace('X-Nonce', 'X-Webhook-Id'), value]),
  },
  header_repeated: { change: (headers) => [...headers, ['X-Nonce', NONCE]] },
  header_swapped: { timestamp: NONCE, nonce: TIMESTAMP, message: `${TIMESTAMP}:${NONCE}:${BODY}` },
  timestamp_format: { timestamp: '2023-11-14T22:13:20Z' },
  timestamp_unit: { timestamp: '1700000000000' },
  timestamp_epoch: { timestamp: '0' },
  clock_time_zone: { seconds: 3600 },
  clock_behind: { seconds: 700 },
  clock_ahead: { seconds: -700 },
  clock_unknown: { seconds: undefined },
  nonce_length: { nonce: 'x'.repeat(129) },
  nonce_characters: { nonce: 'invoice 4711 paid' },
  signature_format: { write: (digest) => digest.toString('base64') },
  signature_truncated: { write: (digest) => digest.toString('hex').slice(0, 32) },
  signature_changed: { write: (digest) => digest.toString('hex').replace(/^(.{9})(.)(.)/, '$1$3$2') },
  signature_algorithm: { hash: 'sha512' },
  signature_mismatch: { key: 'another secret' },
  secret_leaked: { change: (headers) => [...headers, ['Authorization', `Bearer ${SECRET}`]] },
  secret_whitespace: { key: `${SECRET}\n` },
  secret_quotes: { key: `"${SECRET}"` },
  secret_prefix: { key: `whsec_${SECRET}` },
  secret_encoding: { key: Buffer.from(SECRET, 'base64url') },
  secret_hashed: { key: createHash('sha256').update(SECRET).digest() },
  secret_changed: { key: SECRET.slice(0, -1) },
  secret_placeholder: { key: 'undefined' },
  message_layout: { message: `${TIMESTAMP}.${BODY}` },
  message_timestamp: { message: `1700000001:${NONCE}:${BODY}` },
  message_nonce: { message: `${TIMESTAMP}:${NONCE.toUpperCase()}:${BODY}` },
  body_json: { signed: '{"event": "invoice.paid", "amount": 12.5, "customer": "Zo\\u00eb"}' },
  body_newline: { signed: `${BODY}\n` },
  body_encoding: { signed: Buffer.from(BODY, 'latin1') },
  body_wrapped: { body: `{"id":7,"data":${BODY}}`, signed: BODY },
  body_compressed: { body: GZIPPED, signed: BODY },
  body_hashed: { signed: createHash('sha256').update(BODY).digest('hex') },
  body_not_signed: { signed: '' },
  body_changed: { body: '', signed: BODY, change: (headers) => [...headers, ['Content-Length', '57']] },
}

/**
 * Returns the finding of each code, for a request with this mistake.
 *
 * @param {typeof import('inbound-webhook-tools').diagnose} diagnose
 */
export async function exampleFindings(diagnose) {
  /** @type {Map<string, import('inbound-webhook-tools').Finding>} */
  const found = new Map()
  for (const [code, mistake] of Object.entries(MISTAKES)) {
    const { findings } = await diagnose(requestWith(mistake), SECRET, clockOf(mistake))
    const finding = findings.find((one) => one.code === code)
    if (finding === undefined) throw new Error(`The example of ${code} has ${findings.map((one) => one.code)} instead.`)
    found.set(code, finding)
  }
  return found
}

/** @param {Mistake} mistake */
function clockOf(mistake) {
  const { seconds = 1 } = mistake
  if ('seconds' in mistake && mistake.seconds === undefined) return undefined
  return { now: () => (Number(TIMESTAMP) + seconds) * 1000 }
}

/** @param {Mistake} mistake */
function requestWith(mistake) {
  const { timestamp = TIMESTAMP, nonce = NONCE, body = BODY, key = SECRET, hash = 'sha256' } = mistake
  const { signed = body, write = (digest) => digest.toString('hex'), change = (headers) => headers } = mistake
  const { message = Buffer.concat([Buffer.from(`${timestamp}:${nonce}:`), Buffer.from(signed)]) } = mistake
  const signature = write(createHmac(hash, key).update(message).digest())
  const headers = change([
    ['X-Timestamp', timestamp],
    ['X-Nonce', nonce],
    ['X-Signature', signature],
  ])
  return { webhookId: '42', headers, body: Buffer.from(body) }
}
