import { Buffer } from 'node:buffer'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../../../src/clock.js'
import { signMessage } from '../../../../src/rules/signature.js'

// The cases create their requests with these functions. The functions check no formats, because a case can break any rule.

/** One header. A name can occur twice in a request. */
type EndpointHeader = readonly [name: string, value: string]

/** A request to send. `headers` does not contain the headers that the HTTP client adds. */
export interface EndpointRequest {
  readonly headers: readonly EndpointHeader[]
  readonly body: Uint8Array
}

/** How a request differs from a simple valid request. */
interface Differences {
  readonly body?: string | Uint8Array
  readonly timestamp?: string
  readonly nonce?: string
  readonly secret?: string
  /** `null` sends no `Content-Type`. */
  readonly type?: string | null
}

/** Signs the requests of the cases. */
export class Sender {
  /** The first request of the contract, or `undefined` until that request is sent. */
  opening: EndpointRequest | undefined
  /** How many requests the endpoint has accepted after the first request. */
  acceptedOthers = 0

  constructor(
    readonly secret: string,
    readonly clock: Clock,
    /** How many addresses the endpoint has. */
    readonly instances: number,
    /** The body of every valid request, except in a case that needs another body. */
    readonly event: Uint8Array | undefined,
  ) {}

  /** Returns Unix time in seconds, `ahead` seconds from now. */
  seconds(ahead = 0): string {
    return String(Math.floor(this.clock.now() / 1000) + ahead)
  }

  /** Returns the event of the user, or if there is none, a body that no other request has. */
  body(): Uint8Array {
    return this.event ?? Buffer.from(`{"event":"check","id":"${unique()}"}`)
  }

  sign(differences: Differences = {}): EndpointRequest {
    const { timestamp = this.seconds(), nonce = randomUUID(), type = 'application/json' } = differences
    const body = Buffer.from(differences.body ?? this.body())
    const signature = signMessage({ timestamp, nonce, body }, differences.secret ?? this.secret)
    const headers: EndpointHeader[] = [
      ['X-Timestamp', timestamp],
      ['X-Nonce', nonce],
      ['X-Signature', signature],
    ]
    return { headers: type === null ? headers : [['Content-Type', type], ...headers], body }
  }
}

/** Returns 16 hex digits that no other request has. */
export function unique(): string {
  return randomBytes(8).toString('hex')
}

/** Returns the value of a header that the request has. */
export function headerOf({ headers }: EndpointRequest, wanted: string): string {
  const [, value] = headers.find(([name]) => name === wanted) as EndpointHeader
  return value
}

/** Returns the request with some header values replaced. */
export function withValues(request: EndpointRequest, values: { readonly [name: string]: string }): EndpointRequest {
  return { ...request, headers: request.headers.map(([name, value]) => [name, values[name] ?? value]) }
}

export function withSignature(request: EndpointRequest, signature: string): EndpointRequest {
  return withValues(request, { 'X-Signature': signature })
}

export function withoutHeaders(request: EndpointRequest, ...names: readonly string[]): EndpointRequest {
  return { ...request, headers: request.headers.filter(([name]) => !names.includes(name)) }
}

/** Returns the request with one header repeated. */
export function withRepeated(request: EndpointRequest, repeated: string): EndpointRequest {
  return { ...request, headers: request.headers.flatMap((one) => (one[0] === repeated ? [one, one] : [one])) }
}

export function withBody(request: EndpointRequest, body: string | Uint8Array): EndpointRequest {
  return { ...request, body: Buffer.from(body) }
}

/** Returns the request with more bytes at the end of the body. */
export function withMore(request: EndpointRequest, more: string): EndpointRequest {
  return withBody(request, Buffer.concat([request.body, Buffer.from(more)]))
}

/** Returns the body with its last digit changed, so that JSON stays valid. Without a digit, changes the byte in the middle. */
export function changeByte(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from('0')
  const changed = Buffer.from(body)
  const digit = changed.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39)
  const index = digit === -1 ? changed.length >> 1 : digit
  changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
  return changed
}

/**
 * Returns the request with the signed message split at the next colon, so that the beginning of the body moves to the nonce. Returns
 * `undefined` if the new nonce would not be valid.
 */
export function splitLater(request: EndpointRequest): EndpointRequest | undefined {
  const text = Buffer.from(request.body).toString('latin1')
  const [start, beginning = ''] = /^([!-9;-~]{0,80}):/.exec(text) ?? []
  if (start === undefined) return undefined
  const nonce = `${headerOf(request, 'X-Nonce')}:${beginning}`
  return withBody(withValues(request, { 'X-Nonce': nonce }), request.body.subarray(start.length))
}

/** Returns the request with the signed message split at the first colon of the nonce. The end of the nonce moves to the body. */
export function splitEarlier(request: EndpointRequest): EndpointRequest {
  const [nonce = '', ...rest] = headerOf(request, 'X-Nonce').split(':')
  const body = Buffer.concat([Buffer.from(`${rest.join(':')}:`), request.body])
  return withBody(withValues(request, { 'X-Nonce': nonce }), body)
}

/** Returns the JSON with a space at the beginning, and after each comma and colon outside strings. */
export function respaced(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString('latin1')
  return Buffer.from(
    ` ${text.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part.length === 1 ? `${part} ` : part))}`,
    'latin1',
  )
}
