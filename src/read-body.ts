import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { assertOptions, assertTimeout, hasMethod, invalidRange, invalidType, isObject, kindOf } from './arguments.js'
import { BodyError } from './errors.js'
import { alreadyRead, isPlain, notRawBody } from './hints/raw-body.js'
import { bytesOf, encodeText } from './rules/body.js'
import { contentLengthOf, type HeadersInput } from './rules/headers.js'

/**
 * What a handler gets from its framework:
 *
 * - Node's `IncomingMessage`, or a request that is built on it: Express, NestJS, Next.js API routes.
 * - A Fetch `Request`: Next.js routes, SvelteKit, Bun, Deno, Workers.
 * - An object around one of these as `raw`, `req` or `request`: Hono's `c`, Koa's `ctx`, Fastify's and hapi's `request`, h3's `event`.
 * - An object that already has the raw bytes, as `rawBody` or as `body`.
 * - An event of AWS Lambda: API Gateway version 1 and 2, ALB, function URL.
 */
export type BodySource =
  | { readonly headers: object; readonly body?: unknown; readonly rawBody?: unknown }
  | { readonly rawBody: Uint8Array }
  | { readonly isBase64Encoded: boolean; readonly body?: string | null | undefined }
  | { readonly raw: object }
  | { readonly req: object }
  | { readonly request: object }

/** The memory of a body, in every version of TypeScript. */
type Bytes = ReturnType<typeof Uint8Array.of>

/**
 * A raw body: a `Buffer`, which is a `Uint8Array`. In a project without the types of Node, the type is a `Uint8Array` with the
 * `toString` of a `Buffer`.
 */
export type RawBody = typeof globalThis extends {
  Buffer: {
    /** Returns a new `Buffer`. */
    alloc(size: number): infer NodeBuffer extends Uint8Array
  }
}
  ? NodeBuffer
  : Bytes & {
      /** Decodes the bytes, by default as UTF-8. */
      toString(encoding?: 'utf8' | 'latin1' | 'hex' | 'base64' | 'base64url'): string
    }

/** Options of {@link readBody}. */
export interface ReadBodyOptions {
  /** The largest body to accept, in bytes: a whole number from 0. The default is 1 048 576. */
  maxBytes?: number | undefined
  /** How long to wait for the whole body, in milliseconds: a whole number from 1 to 2 147 483 647. The default is 30 000. */
  bodyTimeout?: number | undefined
}

/**
 * Reads the raw body of a request: the bytes as received, which the signature covers.
 *
 * A `Content-Length` above the limit is refused before a byte is read, and the rest of a body that is too large is
 * never read. The body is kept in memory as it arrives, so a sender that announces a large body but sends little uses
 * little memory. A sender that sends slowly, or stops, is refused after `bodyTimeout`.
 *
 * Call `readBody` before any body parser. If the framework has already read the body and kept the bytes, `readBody` returns these bytes.
 *
 * @param source - the request that your framework passes to the handler, or the event of AWS Lambda.
 * @returns the bytes, in a `Buffer` that is empty if the request has no body.
 * @throws {@link BodyError} if the body has more than `maxBytes` bytes, was not complete after `bodyTimeout`, or if the sender hung up.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if something else already read the body. The message says what to
 * change.
 *
 * @example
 * ```ts
 * import { readBody } from 'inbound-webhook-auth'
 *
 * const request = new Request('https://example.com/hooks', { method: 'POST', body: '{"event":"invoice.paid"}' })
 * const body = await readBody(request, { maxBytes: 100_000 })
 *
 * console.log(body.length) // 24
 * ```
 */
export async function readBody(source: BodySource, options: ReadBodyOptions = {}): Promise<RawBody> {
  assertOptions(options, ['maxBytes', 'bodyTimeout'])
  return findBody(source, 'source').read(readLimits(options))
}

/** How much of a body to read, and for how long. */
type Limits = { readonly [Name in keyof ReadBodyOptions]-?: number }

/** Returns the options about the body with their defaults. Throws if an option is invalid. */
export function readLimits({ maxBytes = 1_048_576, bodyTimeout = 30_000 }: ReadBodyOptions): Limits {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
    throw invalidRange('maxBytes must be a whole number of bytes. Suggested: 1048576.')
  }
  assertTimeout(bodyTimeout, 'bodyTimeout', 30_000)
  return { maxBytes, bodyTimeout }
}

/** A body before it was checked. */
interface FoundBody {
  /** The headers beside the body, which are not checked, or `undefined` if there are none. */
  readonly headers: unknown
  /** Whether the framework has read the whole body. */
  readonly isRead: boolean
  /**
   * Reads the body, and returns its bytes.
   *
   * @throws {@link BodyError} before a byte is read, if `Content-Length` is above the limit.
   */
  read(limits: Limits): RawBody | Promise<RawBody>
}

/** The properties of a source, whose types are not known. */
type Fields = { readonly [name: string]: unknown }

/** The names by which objects of frameworks hold the request. */
const WRAPPERS = ['raw', 'req', 'request']

const MAX_DEPTH = 3

/**
 * Returns the body of a request without reading any of it.
 *
 * @param name - the name of the argument.
 * @param outerHeaders - the headers of the framework objects that wrap `source`.
 * @param depth - how many framework objects wrap `source`.
 * @throws `TypeError` if there is no body, or something else already read it.
 */
export function findBody(source: unknown, name: string, outerHeaders?: unknown, depth = 0): FoundBody {
  const fix = 'Pass the request, or the event of AWS Lambda.'
  if (!isObject(source) || ArrayBuffer.isView(source) || types.isPromise(source)) {
    throw invalidType(`${name} is ${kindOf(source)}. ${types.isPromise(source) ? 'Await it.' : fix}`)
  }
  const headers = headersOf(source) ?? outerHeaders
  const found = (isRead: boolean, read: FoundBody['read']): FoundBody => ({
    headers,
    isRead,
    read(limits) {
      const { maxBytes } = limits
      const length = isObject(headers) ? contentLengthOf(headers as HeadersInput) : undefined
      if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes)
      return read(limits)
    },
  })

  // hapi keeps the bytes as `payload`.
  const rawBody = bytesIn(source['rawBody'], name) ?? bytesIn(source['payload'], name)
  if (rawBody !== undefined) return found(true, ({ maxBytes }) => limited(rawBody, maxBytes))
  if ('isBase64Encoded' in source) return found(true, eventReader(source, name))

  // The body of a Fetch request is not touched before its length is checked, because some adapters begin to read it at
  // the first access.
  if (hasMethod(source, 'arrayBuffer') && hasMethod(source['headers'], 'get')) {
    if (source['bodyUsed'] === true) throw alreadyRead(source, name)
    return found(false, (limits) => readFetch(source, name, limits))
  }
  const body = bytesIn(source['body'], name)
  if (body !== undefined) return found(true, ({ maxBytes }) => limited(body, maxBytes))
  if (isStream(source)) {
    assertUnread(source, name)
    return found(false, (limits) => readStream(source, name, limits))
  }

  // A method `body` belongs to a framework, and is not the body of the request.
  if (source['body'] !== undefined && source['body'] !== null && !hasMethod(source, 'body')) {
    throw isPlain(source) ? notRawBody(source, name) : alreadyRead(source, name)
  }
  const { payload } = source
  if (payload !== undefined && payload !== null && !isStream(Object(payload))) throw alreadyRead(source, name)
  const inner = WRAPPERS.map((wrapper) => source[wrapper]).find(isObject)
  if (inner !== undefined && depth < MAX_DEPTH) return findBody(inner, name, headers, depth + 1)
  throw invalidType(`${name} is an object without raw bytes. ${fix}`)
}

/** Returns the headers of an object, or `undefined` if it has none. */
function headersOf(source: Fields): object | undefined {
  // In an event of payload format 1.0 or of ALB, only `multiValueHeaders` has all values of a header.
  const headers = ('isBase64Encoded' in source ? source['multiValueHeaders'] : undefined) ?? source['headers']
  return isObject(headers) ? headers : undefined
}

/** Returns the bytes of a value, or `undefined` if it has none. */
function bytesIn(value: unknown, name: string): Uint8Array | undefined {
  return isObject(value) ? bytesOf(value, name) : undefined
}

function limited(bytes: Uint8Array, maxBytes: number): RawBody {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  return asBuffer(bytes)
}

function eventReader(event: Fields, name: string): FoundBody['read'] {
  const body = event['body'] ?? ''
  if (typeof body !== 'string') throw notRawBody(event, name)
  const decode = event['isBase64Encoded'] === true ? decodeBase64 : encodeText
  return ({ maxBytes }) => limited(decode(body, `${name}.body`), maxBytes)
}

/**
 * Returns the bytes of a text in base64.
 *
 * @throws `TypeError` if the text is not base64. No sender can cause this, because AWS encodes the body.
 */
function decodeBase64(text: string, name: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  // Node skips each character that is not a base64 digit. There are then fewer bytes than the length of the text says.
  if (text.length % 4 !== 0 || bytes.length !== Buffer.byteLength(text, 'base64')) {
    throw invalidType(`${name} is not base64, but isBase64Encoded is true. Pass the event as received.`, 'not_base64')
  }
  return bytes
}

async function readFetch(request: Fields, name: string, { maxBytes, bodyTimeout }: Limits): Promise<RawBody> {
  const body = request['body'] as ReadableStream<unknown> | null | undefined
  if (!body) return Buffer.alloc(0)
  if (body.locked) throw alreadyRead(request, name)
  const reader = body.getReader()
  const bytes = new Collector(name, maxBytes)

  async function readAll(): Promise<RawBody> {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw aborted(cause)
      })
      if (done) return bytes.all
      bytes.add(value)
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(bodyTimeout)), bodyTimeout)
  })
  try {
    return await Promise.race([readAll(), late])
  } finally {
    clearTimeout(timer)
    stopReading(reader)
  }
}

/** Ends a read that is pending, so that nothing more is read. */
function stopReading(reader: ReadableStreamDefaultReader): void {
  try {
    // The stream is not cancelled, because some adapters would then close the connection before the handler has answered.
    reader.releaseLock()
  } catch {
    // Workers cannot release a reader while a read is pending, but answer after a cancel too.
    reader.cancel().catch(() => {})
  }
}

/** The members that `IncomingMessage` and other streams of Node have. */
interface NodeStream {
  readonly aborted?: boolean
  readonly destroyed?: boolean
  readonly errored?: Error | null
  readonly readableDidRead?: boolean
  readonly readableEncoding?: string | null
  readonly readableEnded?: boolean
  on(event: string, listener: (value: never) => void): this
  off(event: string, listener: (value: never) => void): this
  pause(): this
  resume(): this
}

function isAborted(stream: NodeStream): boolean {
  return stream.destroyed === true && stream.readableEnded !== true
}

function assertUnread(stream: NodeStream & object, name: string): void {
  if (isAborted(stream)) return
  if (stream.readableDidRead === true) throw alreadyRead(stream, name)
  if (typeof stream.readableEncoding === 'string') {
    throw invalidType(`${name} has an encoding, so its bytes are decoded. Remove setEncoding().`)
  }
}

async function readStream(
  stream: NodeStream & object,
  name: string,
  { maxBytes, bodyTimeout }: Limits,
): Promise<RawBody> {
  if (isAborted(stream)) throw aborted(stream.errored)
  const bytes = new Collector(name, maxBytes)
  if (stream.readableEnded === true) return bytes.all

  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => {
      stream.pause()
      settle()
      reject(error)
    }
    const data = (chunk: unknown) => {
      try {
        bytes.add(chunk)
      } catch (error) {
        refuse(error)
      }
    }
    const end = () => {
      // HTTP/2 ends the body of a request that was aborted.
      if (stream.aborted === true) return fail(stream.errored)
      settle()
      resolve(bytes.all)
    }
    const fail = (cause?: unknown) => {
      settle()
      reject(aborted(cause))
    }
    const timer = setTimeout(() => refuse(tooLate(bodyTimeout)), bodyTimeout)
    const settle = () => {
      clearTimeout(timer)
      stream.off('data', data).off('end', end).off('error', fail).off('close', fail)
    }
    stream.on('error', ignore).on('data', data).on('end', end).on('error', fail).on('close', fail).resume()
  })
}

/**
 * Does nothing with an error. A sender may hang up after the body was read, and an error without a listener would end the process. This
 * listener keeps nothing in memory.
 */
function ignore(): void {}

/** Joins chunks in memory that doubles when it is full, so that the memory is at most twice the bytes that have arrived. */
class Collector {
  readonly #name: string
  readonly #maxBytes: number
  #memory = Buffer.alloc(0)
  #size = 0

  /** @param name - the name of the argument that is the stream. */
  constructor(name: string, maxBytes: number) {
    this.#name = name
    this.#maxBytes = maxBytes
  }

  /**
   * Adds a copy of a chunk.
   *
   * @throws {@link BodyError} if there are more than `maxBytes` bytes now, or `TypeError` if the chunk is no bytes.
   */
  add(chunk: unknown): void {
    if (!types.isUint8Array(chunk)) {
      throw invalidType(`${this.#name} is a stream of ${kindOf(chunk)}, not of bytes. Pass the request as received.`)
    }
    const size = this.#size + chunk.length
    if (size > this.#maxBytes) throw tooLarge(this.#maxBytes)
    if (size > this.#memory.length) {
      const memory = Buffer.allocUnsafeSlow(Math.min(Math.max(size, 2 * this.#size), this.#maxBytes))
      memory.set(this.all)
      this.#memory = memory
    }
    this.#memory.set(chunk, this.#size)
    this.#size = size
  }

  get all(): RawBody {
    return this.#memory.subarray(0, this.#size)
  }
}

function tooLarge(maxBytes: number): BodyError {
  return new BodyError('ERR_BODY_TOO_LARGE', `The request body has more than ${maxBytes} bytes`)
}

function tooLate(bodyTimeout: number): BodyError {
  return new BodyError('ERR_BODY_TIMEOUT', `The request body was not complete after ${bodyTimeout} ms`)
}

function aborted(cause: unknown): BodyError {
  const message = 'The sender closed the connection before the body was complete'
  return new BodyError('ERR_BODY_ABORTED', message, { cause })
}

function asBuffer(bytes: Uint8Array): RawBody {
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length)
}

function isStream(source: object): source is NodeStream & object {
  return hasMethod(source, 'pipe')
}
