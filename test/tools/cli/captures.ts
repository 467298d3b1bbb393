import { createHmac } from 'node:crypto'
import { GUIDE_SECRET } from './transcripts.js'

// Creates the captured requests of docs/debug. Each contains one mistake of a sender.

const TIMESTAMP = '1700000000'
const NONCE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const BODY = Buffer.from('{"event":"invoice.paid","amount":12.50,"customer":"Zoë"}')

interface Mistake {
  /** The value of the header, and of the signed message unless `message` replaces it. */
  readonly timestamp?: string
  readonly nonce?: string
  readonly message?: string | Buffer
  readonly key?: string | Buffer
  readonly written?: (digest: Buffer) => string
  /** The names of the headers. */
  readonly names?: readonly [timestamp: string, nonce: string, signature: string]
}

const parts = (body: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${TIMESTAMP}:${NONCE}:`), Buffer.from(body)])

const MISTAKES: { readonly [name: string]: Mistake } = {
  'body-json': { message: parts('{"event": "invoice.paid", "amount": 12.5, "customer": "Zo\\u00eb"}') },
  'body-newline': { message: parts(`${BODY}\n`) },
  'body-latin1': { message: parts(Buffer.from(BODY.toString('utf8'), 'latin1')) },
  'signature-base64': { written: (digest) => digest.toString('base64') },
  'signature-uppercase': { written: (digest) => `sha256=${digest.toString('hex').toUpperCase()}` },
  'message-body-only': { message: BODY },
  'message-other-timestamp': { timestamp: '1700000001', message: parts(BODY) },
  'secret-newline': { key: `${GUIDE_SECRET}\n` },
  'secret-decoded': { key: Buffer.from(GUIDE_SECRET, 'base64url') },
  unexplained: { key: 'another secret' },
  'timestamp-milliseconds': { timestamp: '1700000000000' },
  'timestamp-iso': { timestamp: '2023-11-14T22:13:20Z' },
  clock: {},
  nonce: { nonce: 'invoice 4711 paid' },
  'header-names': { names: ['X-Webhook-Timestamp', 'X-Webhook-Id', 'X-Webhook-Signature'] },
}

/** The captures by the names of their files. */
export function captures(): Record<string, string> {
  return Object.fromEntries(Object.entries(MISTAKES).map(([name, mistake]) => [`${name}.http`, captured(mistake)]))
}

function captured(mistake: Mistake): string {
  const { timestamp = TIMESTAMP, nonce = NONCE, key = GUIDE_SECRET } = mistake
  const { message = Buffer.concat([Buffer.from(`${timestamp}:${nonce}:`), BODY]) } = mistake
  const { written = (digest: Buffer) => digest.toString('hex') } = mistake
  const { names = ['X-Timestamp', 'X-Nonce', 'X-Signature'] } = mistake
  const values = [timestamp, nonce, written(createHmac('sha256', key).update(message).digest())]
  const head = [
    'POST /hooks/42 HTTP/1.1',
    'Host: example.com',
    'Content-Type: application/json',
    ...names.map((name, index) => `${name}: ${values[index]}`),
    `Content-Length: ${BODY.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\n')}\n\n`), BODY]).toString('utf8')
}
