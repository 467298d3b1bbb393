// Makes calls of one kind. Arguments: the kind, and the number of calls, at most PREPARED. run.js counts the instructions.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { MemoryNonceStore, receive, sign, verify } from '../../../dist/index.js'

/** Every process prepares this many requests, so that two processes differ in their calls only. */
const PREPARED = 1500

const SECRET = 'the secret of the speed test'
const SECONDS = 1_700_000_000
const clock = { now: () => SECONDS * 1000 }
const nonceStore = new MemoryNonceStore({ clock })
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

/**
 * @typedef {ReturnType<typeof requestOf>} Request
 * @type {Record<string, { expected: string, prepare?: (index: number) => Request, call?: (request: Request) => Promise<string> }>}
 */
const KINDS = {
  baseline: { expected: 'accepted', call: hashAndCompare },
  accepted: { expected: 'accepted' },
  receive: { expected: 'accepted', call: receiveFromObject },
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
