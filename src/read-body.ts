import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { assertOptions, invalidRange, invalidType, kindOf } from './arguments.js'
import { BodyAbortedError, BodyTooLargeError } from './errors.js'
import { alreadyRead, notRawBody } from './hints/raw-body.js'
import { bytesOf } from './rules/body.js'
import { contentLengthOf, type HeadersInput } from './rules/headers.js'

/**
 * What a handler gets from its framework:
 *
 * - Node's `IncomingMessage`, or a request that is built on it: Express, NestJS, Next.js API routes.
 * - A Fetch `Request`: Next.js routes, SvelteKit, Bun, Deno, Workers.
 * - An object around one of these as `raw` or `req`: Hono's `c.req`, Koa's `ctx`, Fastify's and hapi's `request`, h3's `event`.
 * - An object that already has the raw bytes, as `rawBody` or as `body`.
 * - An event of AWS Lambda: API Gateway version 1 and 2, ALB, function URL.
 */
export type BodySource =
  | { readonly headers: object; readonly body?: unknown; readonly rawBody?: unknown }
  | { readonly rawBody: Uint8Array }
  | { readonly isBase64Encoded: boolean; readonly body?: string | null | undefined }
  | { readonly req: object }
  | { readonly raw: object }

/** Options of {@link readBody}. */
export interface ReadBodyOptions {
  /** The largest body to accept, in bytes. The default is 1 048 576. */
  maxBytes?: number | undefined
}

/**
 * Reads the raw body of a request: the bytes as received, which the signature covers.
 *
 * A `Content-Length` above the limit is refused before a byte is read, and the rest of a body that is too large is
 * never read. The body is kept in memory as it arrives, so a sender that announces a large body but sends little uses
 * little memory.
 *
 * Call it before any body parser. It returns bytes that were already read if the framework kept them.
 *
 * @param source - the request that your framework passes to the handler, or the event of AWS Lambda.
 * @returns the bytes, in a `Buffer`. It is empty if the request has no body.
 * @throws {@link BodyTooLargeError} with `code` `ERR_BODY_TOO_LARGE` and `status` 413 if the body has more than `maxBytes` bytes.
 * @throws {@link BodyAbortedError} with `code` `ERR_BODY_ABORTED` and `status` 400 if the sender hung up.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if something else already read the body. The message says how to fix it.
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
export async function readBody(source: BodySource, options: ReadBodyOptions = {}): Promise<Uint8Array> {
  assertOptions(options, ['maxBytes'])
  const { maxBytes = 1_048_576 } = options
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 0) {
    throw invalidRange('maxBytes must be a whole number of bytes. Suggested: 1048576.')
  }
  return read(source, maxBytes, 0)
}

/** A source of any kind, as far as it is known. */
type Fields = { readonly [name: string]: unknown }

/** @param depth - how many objects of frameworks are around this one. */
async function read(source: unknown, maxBytes: number, depth: number): Promise<Uint8Array> {
  if (!isObject(source) || ArrayBuffer.isView(source) || types.isPromise(source)) {
    throw invalidType(`source is ${kindOf(source)}. Pass the request, or the event of AWS Lambda.`)
  }
  const rawBody = bytesIn(source['rawBody'])
  if (rawBody !== undefined) return limited(rawBody, maxBytes)
  if ('isBase64Encoded' in source) return limited(decodeEvent(source), maxBytes)

  // The body of a Fetch request is not touched before its length is checked, because some adapters begin to read it at
  // the first access.
  const { headers } = source
  const length = isObject(headers) ? contentLengthOf(headers as HeadersInput) : undefined
  if (length !== undefined && length > maxBytes) throw new BodyTooLargeError(maxBytes)
  if (hasMethod(source, 'arrayBuffer') && hasMethod(source['headers'], 'get')) return readFetch(source, maxBytes)
  const body = bytesIn(source['body'])
  if (body !== undefined) return limited(body, maxBytes)
  if (isStream(source)) return readStream(source, maxBytes)

  if (source['body'] !== undefined && source['body'] !== null) throw alreadyRead(source)
  const inner = source['raw'] ?? source['req']
  if (isObject(inner) && depth < 3) return read(inner, maxBytes, depth + 1)
  throw invalidType('source is an object without raw bytes. Pass the request, or the event of AWS Lambda.')
}

/** Returns the bytes of a value, or `undefined` if it has none. */
function bytesIn(value: unknown): Uint8Array | undefined {
  return isObject(value) ? bytesOf(value, 'source') : undefined
}

function limited(bytes: Uint8Array, maxBytes: number): Buffer {
  if (bytes.length > maxBytes) throw new BodyTooLargeError(maxBytes)
  return asBuffer(bytes)
}

function decodeEvent(event: Fields): Buffer {
  const body = event['body'] ?? ''
  if (typeof body !== 'string') throw notRawBody(event, 'source')
  return Buffer.from(body, event['isBase64Encoded'] === true ? 'base64' : 'utf8')
}

async function readFetch(request: Fields, maxBytes: number): Promise<Buffer> {
  if (request['bodyUsed'] === true) throw alreadyRead(request)
  const body = request['body'] as ReadableStream<unknown> | null | undefined
  if (!body) return Buffer.alloc(0)
  if (body.locked) throw alreadyRead(request)
  const reader = body.getReader()
  const bytes = new Collector(maxBytes)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new BodyAbortedError(cause)
      })
      if (done) return bytes.all
      if (!types.isUint8Array(value)) {
        throw invalidType(`source is a stream of ${kindOf(value)}, not of bytes. Pass the request as received.`)
      }
      bytes.add(value)
    }
  } finally {
    // The stream is not cancelled, because some adapters would then close the connection before the handler has
    // answered.
    reader.releaseLock()
  }
}

/** The members that `IncomingMessage` and other streams of Node have. */
interface NodeStream {
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

async function readStream(stream: NodeStream & object, maxBytes: number): Promise<Buffer> {
  if (stream.destroyed === true && !stream.readableEnded) throw new BodyAbortedError(stream.errored)
  if (stream.readableDidRead === true) throw alreadyRead(stream)
  if (typeof stream.readableEncoding === 'string') {
    throw invalidType('source has an encoding, so its bytes are decoded. Remove setEncoding().')
  }
  const bytes = new Collector(maxBytes)
  if (stream.readableEnded === true) return bytes.all

  return new Promise((resolve, reject) => {
    const listeners = {
      data(chunk: Uint8Array): void {
        try {
          bytes.add(chunk)
        } catch (error) {
          stream.pause()
          settle(() => reject(error))
        }
      },
      end: () => settle(() => resolve(bytes.all)),
      error: (cause: unknown) => settle(() => reject(new BodyAbortedError(cause))),
      close: () => settle(() => reject(new BodyAbortedError())),
    }
    const events = Object.entries(listeners)
    const settle = (outcome: () => void) => {
      for (const [event, listener] of events) stream.off(event, listener)
      outcome()
    }
    // A sender may hang up later too. An error without a listener would end the process.
    stream.on('error', () => {})
    for (const [event, listener] of events) stream.on(event, listener)
    stream.resume()
  })
}

/** Joins chunks. Its memory grows with them: at most twice what has arrived. */
class Collector {
  readonly #maxBytes: number
  #buffer: Buffer = Buffer.alloc(0)
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws {@link BodyTooLargeError} if there are more than `maxBytes` bytes now. */
  add(chunk: Uint8Array): void {
    const end = this.#size + chunk.length
    if (end > this.#maxBytes) throw new BodyTooLargeError(this.#maxBytes)
    // Most bodies are one chunk, which is kept as it is.
    if (this.#size === 0) this.#buffer = asBuffer(chunk)
    else {
      if (end > this.#buffer.length) {
        this.#buffer = Buffer.concat([this.#buffer.subarray(0, this.#size)], Math.min(2 * end, this.#maxBytes))
      }
      this.#buffer.set(chunk, this.#size)
    }
    this.#size = end
  }

  get all(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

function isStream(source: object): source is NodeStream & object {
  return hasMethod(source, 'pipe')
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function hasMethod(value: unknown, name: string): boolean {
  return isObject(value) && typeof value[name] === 'function'
}
