import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import type { Advice } from './faults.js'
import { type EndpointRequest, headerOf, type Sender, unique, withSignature } from './sender.js'

// Each row signs a request with one mistake. If an endpoint refuses valid requests but accepts the request of a row, the endpoint makes the
// mistake of this row.

interface Refusal extends Advice {
  /** Returns the request, or `undefined` if the mistake does not change the request. */
  readonly request: (sender: Sender) => EndpointRequest | undefined
}

/** Returns a function that signs the parts that `partsOf` returns, joined without a separator. */
function signedOver(partsOf: (timestamp: string, nonce: string, body: Uint8Array) => readonly (string | Uint8Array)[]) {
  return (sender: Sender): EndpointRequest => {
    const request = sender.sign()
    const hmac = createHmac('sha256', sender.secret)
    const parts = partsOf(headerOf(request, 'X-Timestamp'), headerOf(request, 'X-Nonce'), request.body)
    for (const part of parts) hmac.update(part)
    return withSignature(request, hmac.digest('hex'))
  }
}

/** Returns a function that signs a request correctly, but changes how the signature is written. */
function writtenAs(write: (signature: string) => string) {
  return (sender: Sender): EndpointRequest => {
    const request = sender.sign()
    return withSignature(request, write(headerOf(request, 'X-Signature')))
  }
}

/** Returns a function that signs a request with the key `keyOf(secret)`. If this is the right key, the function returns `undefined`. */
function keyedBy(keyOf: (secret: string) => Uint8Array) {
  return (sender: Sender): EndpointRequest | undefined => {
    if (Buffer.from(sender.secret).equals(keyOf(sender.secret))) return undefined
    const request = sender.sign()
    const start = `${headerOf(request, 'X-Timestamp')}:${headerOf(request, 'X-Nonce')}:`
    const signature = createHmac('sha256', keyOf(sender.secret)).update(start).update(request.body).digest('hex')
    return withSignature(request, signature)
  }
}

const MESSAGE =
  'Sign the text of X-Timestamp, a colon, the text of X-Nonce, a colon and the raw body, in this order and with nothing else.'
const KEY = 'Use the UTF-8 bytes of the secret as the key. Do not decode the secret, and remove a newline at the end.'

export const REFUSALS: readonly Refusal[] = [
  {
    request: (sender) => sender.sign({ timestamp: String(sender.clock.now()) }),
    cause: 'The endpoint reads X-Timestamp as milliseconds, but X-Timestamp is in seconds.',
    fix: 'Compare seconds: Date.now() / 1000 in JavaScript, time() in PHP, time.time() in Python.',
  },
  {
    request: (sender) => sender.sign({ body: `{"event": "check", "id": "${unique()}"}` }),
    cause:
      'The endpoint accepts only JSON with spaces after colons and commas. The endpoint probably parses the JSON, writes it again, and verifies the result.',
    fix: "Verify the raw bytes before you parse them: request.get_data() in Flask, request.body in Django, file_get_contents('php://input') in PHP.",
  },
  {
    request: writtenAs((right) => `sha256=${right}`),
    cause: 'The endpoint expects "sha256=" before the signature, as in webhooks of GitHub.',
    fix: 'Compare X-Signature with the 64 hex digits, without a prefix.',
  },
  {
    request: writtenAs((right) => Buffer.from(right, 'hex').toString('base64')),
    cause: 'The endpoint expects the signature in base64.',
    fix: "Write the HMAC as lowercase hex: digest('hex') in Node, hexdigest() in Python, hash_hmac() without its fourth argument in PHP.",
  },
  {
    request: writtenAs((right) => right.toUpperCase()),
    cause: 'The endpoint expects the signature in uppercase.',
    fix: 'Write the HMAC as lowercase hex.',
  },
  {
    request: signedOver((_timestamp, _nonce, body) => [body]),
    cause:
      'The endpoint computes the signature over the body alone, so an attacker can send a captured request with another timestamp and nonce.',
    fix: MESSAGE,
  },
  {
    request: signedOver((timestamp, _nonce, body) => [`${timestamp}:`, body]),
    cause: 'The endpoint computes the signature without the nonce.',
    fix: MESSAGE,
  },
  {
    request: signedOver((timestamp, nonce, body) => [`${timestamp}.${nonce}.`, body]),
    cause: 'The endpoint joins the signed parts with dots instead of colons.',
    fix: MESSAGE,
  },
  {
    request: signedOver((timestamp, nonce, body) => [`${timestamp}\n${nonce}\n`, body]),
    cause: 'The endpoint joins the signed parts with newlines instead of colons.',
    fix: MESSAGE,
  },
  {
    request: signedOver((timestamp, nonce, body) => [timestamp, nonce, body]),
    cause: 'The endpoint joins the signed parts without colons.',
    fix: MESSAGE,
  },
  {
    request: signedOver((timestamp, nonce, body) => [`${nonce}:${timestamp}:`, body]),
    cause: 'The endpoint expects a signature over the nonce before the timestamp.',
    fix: MESSAGE,
  },
  {
    request: signedOver((timestamp, nonce, body) => [`${timestamp}:${nonce}:`, body, '\n']),
    cause: 'The endpoint adds a newline to the body before it computes the signature.',
    fix: 'Verify the bytes of the body as they arrive, without adding anything.',
  },
  {
    request: keyedBy((secret) => Buffer.from(`${secret}\n`)),
    cause: 'The secret of the endpoint ends with a newline, probably from a file or an environment variable.',
    fix: KEY,
  },
  {
    request: keyedBy((secret) => Buffer.from(secret.trim())),
    cause: 'The endpoint trims the secret. The secret that you passed begins or ends with white space.',
    fix: 'Remove the white space around the secret, in the endpoint and in what you pass here.',
  },
  {
    request: keyedBy((secret) => Buffer.from(secret, 'base64')),
    cause: 'The endpoint decodes the secret as base64, and uses the result as the key.',
    fix: KEY,
  },
  {
    request: keyedBy((secret) => Buffer.from(secret, 'hex')),
    cause: 'The endpoint decodes the secret as hex, and uses the result as the key.',
    fix: KEY,
  },
]
