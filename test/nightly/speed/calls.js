// Makes calls of one kind. Arguments: the kind, and the number of calls, at most PREPARED. run.js counts the instructions.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { handle, MemoryNonceStore, receive, sign, verify } from '../../../dist/index.js'
import { sign as signMessage, verify as verifyMessage } from '../../../dist/standard-webhooks.js'

/** Every process prepares this many requests, so that two processes differ in their calls only. */
const PREPARED = 1500

const SECRET = 'the secret of the speed test'
const KEY = `whsec_${Buffer.from(SECRET).toString('base64')}`
const SECONDS = 1_700_000_000
const clock = { now: () => SECONDS * 1000 }
/** The time of the store stands still, except for `steady`. */
const storeClock = { milliseconds: 0, now: () => storeClock.milliseconds }
const nonceStore = new MemoryNonceStore({ clock: storeClock })
const body = Buffer.alloc(0)

/** @param {number} index @param {object} [changed] - the headers that differ. */
function requestOf(index, changed) {
  const nonce = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  return { webhookId: '42', headers: { ...sign(body, SECRET, { nonce, timestamp: SECONDS }), ...changed }, body }
}

/** @param {ReturnType<typeof requestOf>} request */
async function outcomeOf(request) {
  const result = await verify(request, SECRET, nonceStore, clock)
  return result.ok ? 'accepted' : result.reason
}

/** @param {number} index */
function messageOf(index) {
  const messageId = `msg_${String(index).padStart(32, '0')}`
  return { webhookId: '42', headers: { ...signMessage(body, KEY, { messageId, timestamp: SECONDS }) }, body }
}

/** @param {ReturnType<typeof messageOf>} message */
async function outcomeOfMessage(message) {
  const result = await verifyMessage(message, KEY, nonceStore, clock)
  return result.ok ? 'accepted' : result.reason
}

/**
 * Verifies a request 2 s after the one before, so that the store keeps 300 nonces, and forgets one per request.
 *
 * @param {ReturnType<typeof requestOf>} request
 */
function outcomeLater(request) {
  storeClock.milliseconds += 2000
  return outcomeOf(request)
}

/**
 * What every verifier must do: an HMAC, and a comparison.
 *
 * @param {ReturnType<typeof requestOf>} request
 */
async function hashAndCompare({ headers, body }) {
  const signedBefore = `${headers['X-Timestamp']}:${headers['X-Nonce']}:`
  const expected = createHmac('sha256', SECRET).update(signedBefore).update(body).digest('hex')
  return timingSafeEqual(Buffer.from(expected), Buffer.from(headers['X-Signature'])) ? 'accepted' : 'signature_mismatch'
}

/** @param {ReturnType<typeof requestOf>} request */
async function receiveFromObject({ webhookId, headers, body }) {
  await receive({ webhookId, request: { headers, rawBody: body } }, SECRET, nonceStore, clock)
  return 'accepted'
}

/** @param {ReturnType<typeof requestOf>} request */
function handleFromObject({ webhookId, headers, body }) {
  return handle({ webhookId, request: { headers, rawBody: body } }, SECRET, nonceStore, () => 'accepted', clock)
}

/**
 * @typedef {any} Request - its headers depend on the kind.
 * @type {Record<string, { expected: string, prepare?: (index: number) => Request, call?: (request: Request) => Promise<string> }>}
 */
const KINDS = {
  baseline: { expected: 'accepted', call: hashAndCompare },
  accepted: { expected: 'accepted' },
  steady: { expected: 'accepted', call: outcomeLater },
  receive: { expected: 'accepted', call: receiveFromObject },
  handle: { expected: 'accepted', call: handleFromObject },
  standard: { expected: 'accepted', prepare: messageOf, call: outcomeOfMessage },
  forged: { expected: 'signature_mismatch', prepare: (index) => requestOf(index, { 'X-Signature': '0'.repeat(64) }) },
  stale: {
    expected: 'timestamp_outside_window',
    prepare: (index) => requestOf(index, { 'X-Timestamp': '1600000000' }),
  },
  replayed: { expected: 'replayed_nonce', prepare: () => requestOf(0) },
}

const [kind = '', calls = ''] = process.argv.slice(2)
const { expected, prepare = requestOf, call = outcomeOf } = KINDS[kind] ?? {}
const requests = Array.from({ length: PREPARED }, (_, index) => prepare(index))
// The first of the copies is no replay.
if (kind === 'replayed') await outcomeOf(requestOf(0))
for (const request of requests.slice(0, Number(calls))) {
  const outcome = await call(request)
  if (outcome !== expected) throw new Error(`${kind}: ${outcome}`)
}
