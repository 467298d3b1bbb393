import { assertOptions, hasMethod, invalidType, isObject, kindOf } from './arguments.js'
import { describeError, MAX_LINE, oneLine } from './describe-error.js'
import { CONNECTION_CLOSE, codeOf, ERRORS, propertyOf } from './errors.js'

/** The part of Node's HTTP/1 and HTTP/2 responses that {@link refuse} uses. */
interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** Absent if the response is a mock or a proxy object. */
  readonly req?: { complete: boolean; httpVersionMajor: number; stream?: { close(code: number): unknown } }
  setHeader(name: string, value: string): unknown
  removeHeader(name: string): void
  end(): unknown
  destroy(): unknown
}

/** A Fetch `Response`. In a project without the type `Response`, an object with `status`. */
export type FetchResponse = typeof globalThis extends { Response: { prototype: infer Global extends object } }
  ? Global
  : { readonly status: number }

/** What to log about a refused request. */
export interface RefusalLog {
  /** `warn` for a rejected request, `info` for a copy in progress or a body that is too large or incomplete, `error` for your faults. */
  readonly level: 'info' | 'warn' | 'error'
  readonly status: number
  /** One line without control characters: the webhook, the reason and what to do. For a fault on your side, the stack and the causes. */
  readonly message: string
  /** The error that was caught. The error's message may contain control characters that a sender chose. */
  readonly error: unknown
}

/** Options of {@link refuse} and {@link refusal}. */
export interface RefusalOptions {
  /**
   * Logs a refused request. The default writes the message to `console`. If this function throws, the response stays the same, and the
   * error goes to `console`.
   *
   * @example `{ log: ({ level, message }) => logger[level](message) }`
   */
  log?: ((entry: RefusalLog) => void) | undefined
}

/**
 * Logs an error that a handler caught, and responds with the status for this error. Use `refuse` with a response of Node: Express,
 * `node:http`, Koa's `ctx.res`, NestJS, h3's `event.node.res` and API routes of Next.js.
 *
 * The `code` of the error decides the status (RFC 9110, section 15): 401, 413, 408, 400 or 503. An invalid argument or any other error
 * gets 500, even if the error has a `status`. The response has no body and no reason, because a reason would help an attacker. If the
 * request's body was not read to the end, `refuse` closes the connection (RFC 9112, section 9.6) or the HTTP/2 stream.
 *
 * If the handler has already sent a response, `refuse` only logs the error. If the handler has sent only a part of the response, `refuse`
 * closes the connection, so that the sender does not wait for the rest.
 *
 * @param response - the response of Node. For a Fetch `Response`, see {@link refusal}.
 * @param error - anything that was thrown.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if `response` is not a response of Node, or an option is invalid.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { MemoryNonceStore, receive, refuse } from 'inbound-webhook-auth'
 *
 * const nonceStore = new MemoryNonceStore()
 * const server = createServer(async (request, response) => {
 *   try {
 *     const { body } = await receive({ webhookId: '42', request }, 'the signing secret of webhook 42', nonceStore)
 *     response.end(`received ${body.length} bytes`)
 *   } catch (error) {
 *     refuse(response, error)
 *   }
 * })
 * ```
 */
export function refuse(response: NodeResponse, error: unknown, options: RefusalOptions = {}): void {
  const log = logOf(options)
  const missing = ['setHeader', 'removeHeader', 'end'].find((name) => !hasMethod(response, name))
  if (missing !== undefined) {
    const what = `${kindOf(response)}${isObject(response) ? ` without ${missing}()` : ''}`
    throw invalidType(`response is ${what}. Pass Node's response (Koa: ctx.res), or return refusal(error) for Fetch.`)
  }
  const { status, level } = kindOfError(error)
  if (!response.headersSent) {
    response.statusCode = status
    // The handler may have set headers for a body that is not sent.
    for (const name of ['Content-Type', 'Content-Encoding', 'Transfer-Encoding', 'Trailer']) response.removeHeader(name)
    response.setHeader('Content-Length', '0')
    if (status === 503) response.setHeader('Retry-After', '1')
    const { complete, httpVersionMajor, stream } = response.req ?? { complete: true, httpVersionMajor: 1 }
    // HTTP/2 forbids `Connection`. Instead, a reset of the stream stops the sender (RFC 9113, section 8.1).
    if (!complete && httpVersionMajor < 2) response.setHeader('Connection', 'close')
    response.end()
    if (!complete && httpVersionMajor >= 2) stream?.close(0)
  } else if (!response.writableEnded) response.destroy()
  void write(log, { level, status, message: describe(error, level), error })
}

/**
 * Logs an error that a handler caught and returns a Fetch `Response` with the status for this error. Use `refusal` with Hono, h3, Next.js
 * routes, Bun, Deno and Workers. On AWS Lambda, return its `status` as `statusCode`, and its headers.
 *
 * The status is the same as with {@link refuse}. If the request is rejected before its body is read, or the body is too large, too slow or
 * incomplete, the response has `Connection: close`.
 *
 * @param error - anything that was thrown.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` if an option is invalid.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore, receive, refusal } from 'inbound-webhook-auth'
 *
 * const nonceStore = new MemoryNonceStore()
 * export async function POST(request: Request): Promise<Response> {
 *   try {
 *     const { body } = await receive({ webhookId: '42', request }, 'the signing secret of webhook 42', nonceStore)
 *     return new Response(`received ${body.length} bytes`)
 *   } catch (error) {
 *     return refusal(error)
 *   }
 * }
 * ```
 */
export function refusal(error: unknown, options: RefusalOptions = {}): FetchResponse {
  const log = logOf(options)
  const { status, headers, level } = kindOfError(error)
  void write(log, { level, status, message: describe(error, level), error })
  return new Response(null, { status, headers })
}

function logOf(options: RefusalOptions): (entry: RefusalLog) => unknown {
  assertOptions(options, ['log'])
  const { log = ({ level, message }: RefusalLog) => console[level](message) } = options
  if (typeof log !== 'function') throw invalidType(`options.log is ${kindOf(log)}. Pass a function.`)
  return log
}

/** Calls `log`. If `log` fails, the error only goes to `console`, because a failed log must not change the response. */
async function write(log: (entry: RefusalLog) => unknown, entry: RefusalLog): Promise<void> {
  try {
    await log(entry)
  } catch (failure) {
    console.error(failure)
  }
}

type ErrorKind = Pick<RefusalLog, 'status' | 'level'> & { headers: Record<string, string> }

/** Returns the status, headers and log level for an error, by its `code`. An error without a code of this package gets status 500. */
function kindOfError(error: unknown): ErrorKind {
  const code = codeOf(error)
  if (code === undefined) return { status: 500, headers: {}, level: 'error' }
  const { status, headers, level } = ERRORS[code]
  const isUnread = propertyOf(propertyOf(error, 'headers'), 'Connection') === 'close'
  return { status, headers: { ...(isUnread ? CONNECTION_CLOSE : headers) }, level }
}

/** Returns a one-line description of an error. Never throws. */
function describe(error: unknown, level: RefusalLog['level']): string {
  if (level === 'error') return describeError(error)
  try {
    const { webhookId = '(unknown)', code, reason = code, detail, message } = Object(error)
    if (detail === undefined) return oneLine(String(message))
    return `Webhook ${oneLine(String(webhookId))}: ${oneLine(`${reason}: ${detail}`, MAX_LINE)}`
  } catch {
    return describeError(error)
  }
}
