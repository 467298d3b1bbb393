import { Buffer } from 'node:buffer'
import type { Advice } from './faults.js'
import { type ContractScheme, SCHEMES, type SchemeName } from './scheme.js'
import { type EndpointRequest, headerValue, Sender, unique, withValues } from './sender.js'

// Each row signs a request with one mistake. If an endpoint refuses valid requests but accepts the request of a row, the endpoint makes the
// mistake of this row.

interface Refusal extends Advice {
  /** Returns the request, or `undefined` if the mistake does not change the request. */
  readonly request: (sender: Sender) => EndpointRequest | undefined
}

/** Returns the mistake of an endpoint that computes the signature over another message, such as `<timestamp>.<nonce>.<body>`. */
function signs(message: string, cause: string, fix: string): Refusal {
  const request = (sender: Sender) => {
    const right = sender.sign()
    const [timestamp, nonce] = [headerValue(right, 'timestamp'), headerValue(right, 'nonce')]
    const values: { readonly [part: string]: string | Uint8Array } = { timestamp, nonce, body: right.body }
    const bytes = Buffer.concat(message.split(/[<>]/).map((part) => Buffer.from(values[part] ?? part)))
    return withValues(right, { signature: sender.scheme.signBytes(bytes, sender.key) })
  }
  return { request, cause, fix }
}

/** Returns the mistakes of endpoints that compute the signature over other messages. The texts say what such an endpoint does. */
function signsOther({ message }: ContractScheme, messages: { readonly [message: string]: string }): Refusal[] {
  const fix = `Sign ${message}, in this order and with nothing else.`
  return Object.entries(messages).map(([wrong, does]) => signs(wrong, `The endpoint ${does}.`, fix))
}

/** Returns a function that signs a request correctly, but changes how the signature is written. */
function writtenAs(write: (signature: string) => string) {
  return (sender: Sender): EndpointRequest => {
    const request = sender.sign()
    return withValues(request, { signature: write(headerValue(request, 'signature')) })
  }
}

/** Returns a signature of Standard Webhooks in hex, after its version. */
export function inHex(signature: string): string {
  const [version = '', base64 = ''] = signature.split(',')
  return `${version},${Buffer.from(base64, 'base64').toString('hex')}`
}

/** Returns a function that signs a request with the key `keyOf(secret)`. If this is the right key, the function returns `undefined`. */
function keyedBy(keyOf: (secret: string) => string | Buffer) {
  return (sender: Sender): EndpointRequest | undefined => {
    if (typeof sender.secret !== 'string' || sender.scheme.algorithm === 'Ed25519') return undefined
    const key = Buffer.from(keyOf(sender.secret))
    return key.equals(sender.key) ? undefined : sender.sign({ key })
  }
}

/** Signs by the rules of another scheme. The secret may have the form of this scheme, or be plain text. */
function signedBy(other: ContractScheme) {
  return ({ secret, clock, event }: Sender): EndpointRequest => {
    const signWith = (key: string | Uint8Array) => new Sender(other, key, clock, 1, event).sign()
    try {
      return signWith(secret)
    } catch {
      return signWith(Buffer.from(secret))
    }
  }
}

const NEWLINE: Advice = {
  cause: 'The endpoint adds a newline to the body before it computes the signature.',
  fix: 'Verify the bytes of the body as they arrive, without adding anything.',
}

/** The mistakes that both schemes have. */
function common({ message, useOfSecret, headers }: ContractScheme): readonly Refusal[] {
  return [
    {
      request: (sender) => sender.sign({ timestamp: String(sender.clock.now()) }),
      cause: `The endpoint reads ${headers.timestamp} as milliseconds, but ${headers.timestamp} is in seconds.`,
      fix: 'Compare seconds: Date.now() / 1000 in JavaScript, time() in PHP, time.time() in Python.',
    },
    {
      request: (sender) => sender.sign({ body: `{"event": "check", "id": "${unique()}"}` }),
      cause:
        'The endpoint accepts only JSON with spaces after colons and commas. The endpoint probably parses the JSON and verifies what it serializes again.',
      fix: "Verify the raw bytes before you parse them: request.get_data() in Flask, request.body in Django, file_get_contents('php://input') in PHP.",
    },
    signs(
      '<body>',
      'The endpoint computes the signature over the body alone, so an attacker can send a captured request with another timestamp and nonce.',
      `Sign ${message}, in this order and with nothing else.`,
    ),
    {
      request: keyedBy((secret) => `${secret}\n`),
      cause: 'The secret of the endpoint ends with a newline, probably from a file or an environment variable.',
      fix: useOfSecret,
    },
  ]
}

const OWN = SCHEMES['x-signature']
const STANDARD = SCHEMES['standard-webhooks']

/** The mistakes of endpoints that refuse every valid request of a scheme. */
export const REFUSALS: { readonly [name in SchemeName]: readonly Refusal[] } = {
  'x-signature': [
    {
      request: signedBy(STANDARD),
      cause: 'The endpoint accepts requests by the rules of Standard Webhooks, with the header webhook-signature.',
      fix: "Check it by these rules: --scheme standard-webhooks on the command line, or scheme: 'standard-webhooks' in endpointContract. For X-Signature, import the handler from 'inbound-webhook-auth'.",
    },
    ...common(OWN),
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
    ...signsOther(OWN, {
      '<timestamp>:<body>': 'computes the signature without the nonce',
      '<timestamp>.<nonce>.<body>': 'joins the signed parts with dots instead of colons',
      '<timestamp>\n<nonce>\n<body>': 'joins the signed parts with newlines instead of colons',
      '<timestamp><nonce><body>': 'joins the signed parts without colons',
      '<nonce>:<timestamp>:<body>': 'expects a signature over the nonce before the timestamp',
    }),
    signs('<timestamp>:<nonce>:<body>\n', NEWLINE.cause, NEWLINE.fix),
    {
      request: keyedBy((secret) => secret.trim()),
      cause: 'The endpoint trims the secret. The secret that you passed begins or ends with white space.',
      fix: 'Remove the white space around the secret, in the endpoint and in what you pass here.',
    },
    {
      request: keyedBy((secret) => Buffer.from(secret, 'base64')),
      cause: 'The endpoint decodes the secret as base64, and uses the result as the key.',
      fix: OWN.useOfSecret,
    },
    {
      request: keyedBy((secret) => Buffer.from(secret, 'hex')),
      cause: 'The endpoint decodes the secret as hex, and uses the result as the key.',
      fix: OWN.useOfSecret,
    },
  ],
  'standard-webhooks': [
    {
      request: signedBy(OWN),
      cause: 'The endpoint accepts requests with X-Timestamp, X-Nonce and X-Signature, not those of Standard Webhooks.',
      fix: "Check it without --scheme, or without scheme in endpointContract. For Standard Webhooks, import the handler from 'inbound-webhook-auth/standard-webhooks'.",
    },
    {
      request: (sender) => {
        const request = sender.sign()
        const rename = (name: string) => name.replace('webhook-', 'svix-')
        return { ...request, headers: request.headers.map(([name, value]) => [rename(name), value]) }
      },
      cause: 'The endpoint reads svix-id, svix-timestamp and svix-signature, which are older names of the headers.',
      fix: 'Read webhook-id, webhook-timestamp and webhook-signature.',
    },
    ...common(STANDARD),
    {
      request: writtenAs((right) => right.replace(/^v1a?,/, '')),
      cause: 'The endpoint expects the signature without its version before it.',
      fix: 'Split webhook-signature at spaces, and check each entry that begins with "v1,", or with "v1a," for Ed25519.',
    },
    {
      request: writtenAs(inHex),
      cause: 'The endpoint expects the signature in hex.',
      fix: "Write the signature in base64: digest('base64') in Node, base64.b64encode(digest()) in Python.",
    },
    ...signsOther(STANDARD, {
      '<timestamp>.<body>': 'computes the signature without the ID',
      '<timestamp>.<nonce>.<body>': 'expects a signature over the timestamp before the ID',
      '<nonce>:<timestamp>:<body>': 'joins the signed parts with colons instead of full stops',
    }),
    signs('<nonce>.<timestamp>.<body>\n', NEWLINE.cause, NEWLINE.fix),
    {
      request: keyedBy((secret) => secret),
      cause: 'The endpoint uses the text of the secret as the key, without decoding it.',
      fix: STANDARD.useOfSecret,
    },
    {
      request: keyedBy((secret) => secret.replace(/^whsec_/, '')),
      cause: 'The endpoint removes whsec_, but uses the text after it as the key, without decoding it.',
      fix: STANDARD.useOfSecret,
    },
    {
      request: keyedBy((secret) => Buffer.from(secret, 'base64')),
      cause: 'The endpoint decodes the secret from base64 without removing whsec_ first.',
      fix: STANDARD.useOfSecret,
    },
  ],
}
