// A project in TypeScript that uses every name of the core; the test copies this file to main.cts as well.
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Body,
  BodyError,
  type BodySource,
  type Clock,
  generateSecret,
  type HeadersInput,
  MemoryNonceStore,
  type MemoryNonceStoreOptions,
  type NonceStore,
  NonceStoreError,
  type RawBody,
  type ReadBodyOptions,
  type ReceivedWebhook,
  type RefusalOptions,
  type RejectionReason,
  readBody,
  receive,
  refusal,
  refuse,
  type Secret,
  type SignedHeaders,
  type SignOptions,
  sign,
  type Verification,
  verify,
  WebhookRejectedError,
  type WebhookRequest,
  type WebhookSource,
} from 'inbound-webhook-auth'

export async function receiveInParts(message: IncomingMessage, fetched: Request, body: Buffer): Promise<string> {
  const options: MemoryNonceStoreOptions = { maxEntries: 10, whenFull: 'evict', clock: performance }
  const nonceStore: NonceStore = new MemoryNonceStore(options)
  const clock: Clock = Date
  const secret: Secret = [generateSecret(), 'old'] as const
  const shapes: HeadersInput[] = [
    message.headers,
    message.headersDistinct,
    fetched.headers,
    new Map([['a', 'b']]),
    [['a', 'b']],
    { a: ['b'], c: undefined },
  ]
  const limit: ReadBodyOptions = { maxBytes: 100_000 }
  const sources: BodySource[] = [
    message,
    fetched,
    { rawBody: body },
    { headers: {}, body },
    { isBase64Encoded: false, body: '' },
    { isBase64Encoded: true, body: null },
  ]
  const read: Uint8Array = await readBody(sources[0] ?? message, limit)
  const bodies: Body[] = [read, body, new Uint8Array(), new ArrayBuffer(0), '']
  const request: WebhookRequest = { webhookId: '42', headers: shapes[0] ?? {}, body: bodies[0] ?? '' }
  const verdict: Verification = await verify(request, secret, nonceStore, clock)
  if (verdict.ok) return verdict.nonce + verdict.timestamp.toFixed() + verdict.secretIndex + verdict.webhookId
  if (verdict.reason === 'missing_header') return verdict.header
  const reason: RejectionReason = verdict.reason
  // @ts-expect-error: only a missing header is named
  verdict.header
  return reason + verdict.message
}

export async function receiveAtOnce(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
  const options: RefusalOptions = { log: ({ level, message }) => console[level](message) }
  try {
    const source: WebhookSource = { webhookId: '42', request, maxBytes: 10 }
    const received: ReceivedWebhook = await receive(source, 'secret', new MemoryNonceStore())
    const body: RawBody = received.body
    const texts: string[] = [body.toString(), body.toString('utf8'), JSON.parse(body.toString())]
    await verify({ webhookId: '42', headers: {}, body }, 'secret', new MemoryNonceStore())
    await new Response(body).text()
    return texts.length > 0 ? body.subarray(0, body.readUInt8(0)) : Buffer.concat([body])
  } catch (error) {
    refuse(response, error, options)
    return undefined
  }
}

export async function respond(request: Request): Promise<Response> {
  try {
    const { body } = await receive({ webhookId: '42', request }, 'secret', new MemoryNonceStore())
    return new Response(body)
  } catch (error) {
    return refusal(error)
  }
}

export async function send(): Promise<Response> {
  const options: SignOptions = { timestamp: 1, nonce: undefined }
  const headers: SignedHeaders = sign('', 'secret', options)
  return fetch('http://localhost', { method: 'POST', headers })
}

export function codeOf(error: unknown): string | undefined {
  if (error instanceof BodyError) {
    const status: 413 | 408 | 400 = error.status
    return error.code + status.toFixed()
  }
  if (error instanceof WebhookRejectedError) {
    const reason: RejectionReason = error.reason
    return reason + error.detail + (error.webhookId ?? '')
  }
  return error instanceof NonceStoreError ? error.code : Object(error).code
}

export function forgetAwait(request: Request): void {
  const received = receive({ webhookId: '42', request }, 'secret', new MemoryNonceStore())
  // @ts-expect-error: a promise has no body
  received.body
  // @ts-expect-error: the handler passes a parsed request
  receive({ webhookId: '42', headers: {}, body: '' }, 'secret', new MemoryNonceStore())
}

export const mistakes = [
  // @ts-expect-error: a parsed body is no body
  () => verify({ webhookId: '42', headers: {}, body: { parsed: true } }, 'secret', new MemoryNonceStore()),
  // @ts-expect-error: a store answers a boolean
  () => verify({ webhookId: '42', headers: {}, body: '' }, 'secret', { reserve: async () => {} }),
]

async function main(): Promise<void> {
  const secret = generateSecret()
  const nonceStore = new MemoryNonceStore({ maxEntries: 1 })
  const request = { webhookId: '42', headers: sign('a body', secret), body: 'a body' }
  const verdicts = []
  for (const received of [request, request, { ...request, body: 'another' }]) {
    const verdict = await verify(received, secret, nonceStore)
    verdicts.push(verdict.ok || verdict.reason)
  }
  const another = { ...request, headers: sign('a body', secret) }
  const full: unknown = await verify(another, secret, nonceStore).catch((error: unknown) => error)
  const cause = full instanceof NonceStoreError ? codeOf(full.cause) : undefined
  const parsed: unknown = await mistakes[0]?.().catch((error: unknown) => error)
  console.log(...verdicts, full instanceof NonceStoreError, codeOf(full), cause, Object(parsed).code)
}

main()
