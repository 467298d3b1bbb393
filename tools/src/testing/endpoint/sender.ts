import { Buffer } from 'node:buffer'
import { randomBytes, randomUUID } from 'node:crypto'
import { type Clock, timeOf } from '../../../../src/clock.js'
import type { HeaderNames } from '../../../../src/rules/formats.js'
import type { ContractScheme } from './scheme.js'

// The cases create their requests with these functions. The functions check no formats, because a case can break any rule.

/** One header. A name can occur twice in a request. */
type EndpointHeader = readonly [name: string, value: string]

/** A request to send. `headers` does not contain the headers that the HTTP client adds. */
export interface EndpointRequest {
  /** The names of the three headers. */
  readonly names: HeaderNames
  readonly headers: readonly EndpointHeader[]
  readonly body: Uint8Array
}

/** How a request differs from a simple valid request. */
interface Differences {
  readonly body?: string | Uint8Array
  readonly timestamp?: string
  readonly nonce?: string
  readonly key?: Uint8Array
  /** `null` sends no `Content-Type`. */
  readonly type?: string | null
}

/** The text in an event that stands for a new UUID in each request. */
const UUID = '{{uuid}}'

/** Signs the requests of the cases. */
export class Sender {
  /** The first request of the contract, or `undefined` until that request is sent. */
  opening: EndpointRequest | undefined
  /** How many requests the endpoint has accepted after the first request. */
  acceptedOthers = 0
  readonly key: Uint8Array

  constructor(
    readonly scheme: ContractScheme,
    readonly secret: string | Uint8Array,
    readonly clock: Clock,
    /** How many addresses the endpoint has. */
    readonly instances: number,
    /** The body of every valid request, except in a case that needs another body. Each `{{uuid}}` is replaced by a new UUID. */
    readonly event: Uint8Array | undefined,
  ) {
    this.key = scheme.keyOf(secret)
  }

  /** Returns Unix time in seconds, `ahead` seconds from now. */
  seconds(ahead = 0): string {
    return String(Math.floor(timeOf(this.clock) / 1000) + ahead)
  }

  /** Returns the event of the user, or if there is none, a body that no other request has. */
  body(): Uint8Array {
    if (this.event === undefined) return Buffer.from(`{"event":"check","id":"${unique()}"}`)
    // Latin-1 keeps each byte.
    const text = Buffer.from(this.event).toString('latin1')
    return Buffer.from(text.replaceAll(UUID, randomUUID()), 'latin1')
  }

  sign(differences: Differences = {}): EndpointRequest {
    const { timestamp = this.seconds(), nonce = this.scheme.newNonce(), type = 'application/json' } = differences
    const body = Buffer.from(differences.body ?? this.body())
    const { headers: names } = this.scheme
    const signature = this.scheme.sign({ timestamp, nonce, body }, differences.key ?? this.key)
    const headers: EndpointHeader[] = [
      [names.timestamp, timestamp],
      [names.nonce, nonce],
      [names.signature, signature],
    ]
    return { names, headers: type === null ? headers : [['Content-Type', type], ...headers], body }
  }
}

/** Returns whether a response contains the right signature in hex or in base64, which the request did not contain. */
export function leaksSignature({ scheme, key }: Sender, request: EndpointRequest, response: string): boolean {
  const { names, headers, body } = request
  const [timestamp, nonce] = [names.timestamp, names.nonce].map((name) => headers.find(([one]) => one === name)?.[1])
  if (timestamp === undefined || nonce === undefined) return false
  const right = scheme.sign({ timestamp, nonce, body }, key).replace(/^v1,/, '')
  const digest = Buffer.from(right, right.length === 64 ? 'hex' : 'base64')
  const forms = (['hex', 'base64', 'base64url'] as const).map((form) => digest.toString(form).replace('=', ''))
  const isIn = (text: string) => forms.some((form) => text.toLowerCase().includes(form.toLowerCase()))
  // PHP writes a slash in JSON as `\/`.
  return isIn(response.replaceAll('\\/', '/')) && !isIn(headers.join())
}

/** Returns 16 hex digits that no other request has. */
export function unique(): string {
  return randomBytes(8).toString('hex')
}

/** Returns a random key, which no endpoint has. */
export function otherKey(): Uint8Array {
  return randomBytes(32)
}

type Field = keyof HeaderNames

/** Returns the value of one of the three headers, which the request has. */
export function headerValue({ names, headers }: EndpointRequest, field: Field): string {
  const [, value] = headers.find(([name]) => name === names[field]) as EndpointHeader
  return value
}

/** Returns the request with some of the three values replaced. */
export function withValues(request: EndpointRequest, values: { readonly [field in Field]?: string }): EndpointRequest {
  const fields = Object.entries(values) as [Field, string][]
  const replaced = new Map(fields.map(([field, value]) => [request.names[field], value]))
  return { ...request, headers: request.headers.map(([name, value]) => [name, replaced.get(name) ?? value]) }
}

/** Returns the request without some of the three headers. */
export function withoutHeaders(request: EndpointRequest, ...fields: readonly Field[]): EndpointRequest {
  const names = fields.map((field) => request.names[field])
  return { ...request, headers: request.headers.filter(([name]) => !names.includes(name)) }
}

/** Returns the request with one header repeated. */
export function withRepeated(request: EndpointRequest, field: Field): EndpointRequest {
  const repeated = request.names[field]
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

/** Returns the request with the beginning of the body in the nonce, or `undefined` if the new nonce would not be valid. */
export function splitLater(request: EndpointRequest): EndpointRequest | undefined {
  const text = Buffer.from(request.body).toString('latin1')
  const [start, beginning = ''] = /^([!-9;-~]{0,80}):/.exec(text) ?? []
  if (start === undefined) return undefined
  const nonce = `${headerValue(request, 'nonce')}:${beginning}`
  return withBody(withValues(request, { nonce }), request.body.subarray(start.length))
}

/** Returns the request with the signed message split at the first colon of the nonce. The end of the nonce moves to the body. */
export function splitEarlier(request: EndpointRequest): EndpointRequest {
  const [nonce = '', ...rest] = headerValue(request, 'nonce').split(':')
  const body = Buffer.concat([Buffer.from(`${rest.join(':')}:`), request.body])
  return withBody(withValues(request, { nonce }), body)
}

/** Returns the JSON with a space at the beginning, and after each comma and colon outside strings. */
export function respaced(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body).toString('latin1')
  return Buffer.from(
    ` ${text.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (part) => (part.length === 1 ? `${part} ` : part))}`,
    'latin1',
  )
}
