import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { assertOptions, assertTimeout, hasMethod, invalidRange, invalidType, isObject, kindOf } from './arguments.js'
import { BodyError } from './errors.js'
import { alreadyRead, isPlain, notRawBody } from './hints/raw-body.js'
import { bytesOf, encodeText } from './rules/body.js'
import { contentLengthOf, type HeadersInput } from './rules/headers.js'
import { startTimer, within } from './within.js'

/**
 * The request that a framework passes to a handler:
 *
 * - Node's `IncomingMessage`, or a request that extends `IncomingMessage`: Express, NestJS, Next.js API routes.
 * - A Fetch `Request`: Next.js routes, SvelteKit, Bun, Deno, Workers.
 * - An object that has one of these requests as `raw`, `req` or `request`: Hono's `c`, Koa's `ctx`, Fastify's and hapi's `request`, h3's
 *   `event`.
 * - An object that has the raw bytes as `rawBody` or as `body`.
 * - An event of AWS Lambda: API Gateway version 1 and 2, ALB, function URL.
 */
export type BodySource =
  | { readonly headers: object; readonly body?: unknown; readonly rawBody?: unknown }
  | { readonly rawBody: Uint8Array }
  | { readonly isBase64Encoded: boolean; readonly body?: string | null | undefined }
  | { readonly raw: object }
  | { readonly req: object }
  | { readonly request: object }

/** `Uint8Array<ArrayBuffer>`, written in a way that TypeScript versions before 5.7 understand too. */
type Bytes = ReturnType<typeof Uint8Array.of>

/** A raw body, which is a `Buffer`. In a project without the types of Node, the type is a `Uint8Array` with `toString` of a `Buffer`. */
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
  /** The maximum size of the body in bytes: 0 or a larger whole number. The default is 1 048 576. */
  maxBytes?: number | undefined
  /** How long to wait for the whole body, in milliseconds: a whole number from 1 to 2 147 483 647. The default is 30 000. */
  bodyTimeout?: number | undefined
}

/**
 * Reads the raw body of a request: the bytes as received (RFC 9110, section 6.4), which the signature covers.
 *
 * If `Content-Length` is above `maxBytes`, the request is refused before a byte is read. If more than `maxBytes` bytes arrive, the rest is
 * never read. Memory grows only as bytes arrive, so a sender that announces a large body but sends little uses little memory. If the body
 * is not complete after `bodyTimeout`, the request is refused.
 *
 * Call `readBody` before any body parser reads the body. If the framework has already read the body and kept the bytes, `readBody` returns
 * these bytes.
 *
 * @param source - the request that your framework passes to the handler, or the event of AWS Lambda.
 * @returns the bytes. The `Buffer` is empty if the request has no body.
 * @throws {@link BodyError} if the body has more than `maxBytes` bytes, is not complete after `bodyTimeout`, or if the sender closed the
 * connection.
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
  return findBody(source, 'source').open(readLimits(options))()
}

type Options = { readonly [Name in keyof ReadBodyOptions]-?: number }

interface Limits extends Options {
  /** The size in `Content-Length`, or `maxBytes`. A body that was decompressed may have more bytes. */
  readonly expectedBytes: number
}

export function readLimits({ maxBytes = 1_048_576, bodyTimeout = 30_000 }: ReadBodyOptions): Options {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
    throw invalidRange('maxBytes must be a whole number of bytes. Suggested: 1048576.')
  }
  assertTimeout(bodyTimeout, 'bodyTimeout', 30_000)
  return { maxBytes, bodyTimeout }
}

/** A body that was found in a request, but not yet read. */
interface FoundBody {
  /** The headers of the request. They are not checked, and can be `undefined`. */
  readonly headers: HeadersInput
  /** Whether the framework has already read the whole body. */
  readonly isRead: boolean
  /** Checks `Content-Length` and returns the function that reads the body. Later errors of the stream do not end the process. */
  open(options: Options): () => RawBody | Promise<RawBody>
}

type Read = (limits: Limits) => RawBody | Promise<RawBody>

type Fields = { readonly [name: string]: unknown }

/** The properties in which framework objects keep the request. */
const WRAPPERS = ['raw', 'req', 'request']

const MAX_DEPTH = 3

/** Finds the body of a request, but does not read it yet. `depth` objects of the framework wrap `source` and have `outerHeaders`. */
export function findBody(source: unknown, name: string, outerHeaders?: HeadersInput, depth = 0): FoundBody {
  const fix = 'Pass the request, or the event of AWS Lambda.'
  if (!isObject(source) || ArrayBuffer.isView(source) || types.isPromise(source)) {
    throw invalidType(`${name} is ${kindOf(source)}. ${types.isPromise(source) ? 'Await it.' : fix}`)
  }
  const headers = (headersOf(source) ?? outerHeaders) as HeadersInput
  const found = (isRead: boolean, read: Read): FoundBody => ({
    headers,
    isRead,
    open({ maxBytes, bodyTimeout }) {
      const expectedBytes = contentLengthOf(headers) ?? maxBytes
      if (expectedBytes > maxBytes) throw tooLarge(maxBytes)
      if (isStream(source)) source.on('error', ignore)
      return () => read({ maxBytes, bodyTimeout, expectedBytes })
    },
  })

  // hapi keeps the bytes as `payload`.
  const rawBody = bytesIn(source['rawBody'], name) ?? bytesIn(source['payload'], name)
  if (rawBody !== undefined) return found(true, ({ maxBytes }) => limited(rawBody, maxBytes))
  if ('isBase64Encoded' in source) return found(true, eventReader(source, name))

  // `body` of a Fetch request is accessed after `Content-Length` was checked. In some adapters, the first access starts to read the body.
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

  // If `body` is a method, the method belongs to a framework, and is not the body of the request.
  if (source['body'] !== undefined && source['body'] !== null && !hasMethod(source, 'body')) {
    throw isPlain(source) ? notRawBody(source, name) : alreadyRead(source, name)
  }
  const { payload } = source
  if (payload !== undefined && payload !== null && !isStream(Object(payload))) throw alreadyRead(source, name)
  const inner = WRAPPERS.map((wrapper) => source[wrapper]).find(isObject)
  if (inner !== undefined && depth < MAX_DEPTH) return findBody(inner, name, headers, depth + 1)
  throw invalidType(`${name} is an object without raw bytes. ${fix}`)
}

function headersOf(source: Fields): HeadersInput | undefined {
  // In an event of payload format 1.0 or of ALB, only `multiValueHeaders` contains all values of a header.
  const headers = ('isBase64Encoded' in source ? source['multiValueHeaders'] : undefined) ?? source['headers']
  return isObject(headers) ? (headers as HeadersInput) : undefined
}

function bytesIn(value: unknown, name: string): Uint8Array | undefined {
  return isObject(value) ? bytesOf(value, name) : undefined
}

function limited(bytes: Uint8Array, maxBytes: number): RawBody {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  return asBuffer(bytes)
}

function eventReader(event: Fields, name: string): Read {
  const body = event['body'] ?? ''
  if (typeof body !== 'string') throw notRawBody(event, name)
  const decode = event['isBase64Encoded'] === true ? decodeBase64 : encodeText
  return ({ maxBytes }) => limited(decode(body, `${name}.body`), maxBytes)
}

/** Decodes base64. No sender can cause the error, because AWS encodes the body. */
function decodeBase64(text: string, name: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  // Node skips characters that are not base64 digits, and then returns fewer bytes than the length of the string requires.
  if (text.length % 4 !== 0 || bytes.length !== Buffer.byteLength(text, 'base64')) {
    throw invalidType(`${name} is not base64, but isBase64Encoded is true. Pass the event as received.`)
  }
  return bytes
}

async function readFetch(request: Fields, name: string, limits: Limits): Promise<RawBody> {
  const body = request['body'] as ReadableStream<unknown> | null | undefined
  if (!body) return Buffer.alloc(0)
  if (body.locked) throw alreadyRead(request, name)
  const reader = body.getReader()
  const bytes = new Collector(name, limits)

  async function readAll(): Promise<RawBody> {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw aborted(cause)
      })
      if (done) return bytes.all
      bytes.add(value)
    }
  }

  try {
    return await within(limits.bodyTimeout, readAll(), () => tooLate(limits.bodyTimeout))
  } finally {
    stopReading(reader)
  }
}

function stopReading(reader: ReadableStreamDefaultReader): void {
  try {
    // The stream is not cancelled, because some adapters would then close the connection before the handler has responded.
    reader.releaseLock()
  } catch {
    // Workers cannot release a reader while a read is pending, but can still respond after a cancel.
    reader.cancel().catch(() => {})
  }
}

/** The members of Node's streams, such as `IncomingMessage`, that {@link readStream} uses. */
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
  // An aborted request of HTTP/2 is not destroyed, but ends.
  return stream.aborted === true || (stream.destroyed === true && stream.readableEnded !== true)
}

function assertUnread(stream: NodeStream & object, name: string): void {
  if (isAborted(stream)) return
  if (stream.readableDidRead === true) throw alreadyRead(stream, name)
  if (typeof stream.readableEncoding === 'string') {
    throw invalidType(`${name} has an encoding, so the bytes are already decoded. Remove setEncoding().`)
  }
}

function readStream(stream: NodeStream & object, name: string, limits: Limits): RawBody | Promise<RawBody> {
  if (isAborted(stream)) throw aborted(stream.errored)
  const bytes = new Collector(name, limits)
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
      if (isAborted(stream)) return fail(stream.errored)
      settle()
      resolve(bytes.all)
    }
    const fail = (cause?: unknown) => refuse(aborted(cause))
    const stopTimer = startTimer(limits.bodyTimeout, () => refuse(tooLate(limits.bodyTimeout)))
    const settle = () => {
      stopTimer()
      stream.off('data', data).off('end', end).off('error', fail).off('close', fail)
    }
    stream.on('data', data).on('end', end).on('error', fail).on('close', fail).resume()
  })
}

/** Keeps late errors of a stream from ending the process. This listener stays on the stream, so it does not refer to the body. */
function ignore(): void {}

/** Joins chunks. The first chunk is not copied, because most bodies have only one. Memory is at most four times what has arrived. */
class Collector {
  #memory = Buffer.alloc(0)
  #size = 0

  constructor(
    private readonly name: string,
    private readonly limits: Limits,
  ) {}

  add(chunk: unknown): void {
    if (!types.isUint8Array(chunk)) {
      throw invalidType(`${this.name} is a stream of ${kindOf(chunk)}, not of bytes. Pass the request as received.`)
    }
    const { maxBytes, expectedBytes } = this.limits
    const size = this.#size + chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    if (this.#size === 0) {
      // Shared memory is copied, because another thread can change shared memory.
      this.#memory = types.isSharedArrayBuffer(chunk.buffer) ? Buffer.from(chunk) : asBuffer(chunk)
    } else {
      if (size > this.#memory.length) {
        const memory = Buffer.allocUnsafeSlow(Math.min(4 * size, size <= expectedBytes ? expectedBytes : maxBytes))
        memory.set(this.all)
        this.#memory = memory
      }
      this.#memory.set(chunk, this.#size)
    }
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
  if (Buffer.isBuffer(bytes)) return bytes as RawBody
  return Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length)
}

function isStream(source: object): source is NodeStream & object {
  return hasMethod(source, 'pipe')
}
