import { assertOptions, invalidType, kindOf } from './arguments.js'
import { hasErrorCode } from './errors.js'
import { statusOf } from './status-of.js'

/** Node's `ServerResponse`, or the response of its HTTP/2 server. */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly req: {
    readonly complete: boolean
    readonly httpVersionMajor: number
    /** The stream of HTTP/2. */
    readonly stream?: {
      /** Resets the stream with an error code of HTTP/2. */
      close(code: number): unknown
    }
  }
  /** Sets a header of the answer. */
  setHeader(name: string, value: string): unknown
  /** Removes a header of the answer. */
  removeHeader(name: string): void
  /** Sends the answer. */
  end(): unknown
  /** Closes the connection. */
  destroy(): unknown
}

/** A Fetch `Response`, in projects that have its type. */
export type FetchResponse = typeof globalThis extends { Response: { prototype: infer Global extends object } }
  ? Global
  : { readonly status: number }

/** What to log about a refused request. */
export interface RefusalLog {
  /** `warn` for a rejected request, `info` for a body that is too large, too slow or incomplete, `error` for a fault on your side. */
  readonly level: 'info' | 'warn' | 'error'
  /** The status of the answer. */
  readonly status: number
  /** One line without control characters: the webhook, the reason and what to do. */
  readonly message: string
  /** The error that was caught. For a fault on your side, log the stack and the `cause` too. */
  readonly error: unknown
}

/** Options of {@link refuse} and {@link refusal}. */
export interface RefusalOptions {
  /**
   * Logs a refused request. The default writes the message to `console`, or the error itself if `level` is `error`. If this function
   * throws, the answer stays the same, and the error goes to `console`.
   *
   * @example With the logger of your service:
   * ```ts
   * import type { RefusalOptions } from 'inbound-webhook-auth'
   *
   * declare const logger: Record<'info' | 'warn' | 'error', (logged: unknown) => void>
   *
   * export const options: RefusalOptions = {
   *   log: ({ level, message, error }) => logger[level](level === 'error' ? error : message),
   * }
   * ```
   */
  log?: ((entry: RefusalLog) => void) | undefined
}

/**
 * Logs an error that a handler caught, and answers the request with a response of Node: Express, `node:http`, Koa's
 * `ctx.res`, NestJS, h3's `event.node.res` and API routes of Next.js.
 *
 * The status is that of {@link statusOf}. The answer has no body and no reason, because a reason would help an attacker. If the request's
 * body was not read to its end, the connection is closed, or the stream of HTTP/2. So the sender does not upload the rest.
 *
 * If the handler has already answered, the error is only logged. If the handler has begun to answer, but has not finished, the
 * connection is closed. So the sender stops waiting, and sends the request again.
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
  if (typeof response?.setHeader !== 'function') {
    const what = `${kindOf(response)}${typeof response === 'object' && response !== null ? ' without setHeader()' : ''}`
    throw invalidType(`response is ${what}. Pass Node's response (Koa: ctx.res), or return refusal(error) for Fetch.`)
  }
  const status = statusOf(error)
  if (!response.headersSent) {
    response.statusCode = status
    // The handler may have set headers for a body that is not sent.
    for (const name of ['Content-Type', 'Content-Encoding', 'Transfer-Encoding', 'Trailer']) response.removeHeader(name)
    response.setHeader('Content-Length', '0')
    const { complete, httpVersionMajor, stream } = response.req
    // HTTP/2 forbids this header. A reset of the stream stops the sender instead (RFC 9113, section 8.1).
    if (!complete && httpVersionMajor < 2) response.setHeader('Connection', 'close')
    response.end()
    if (!complete && httpVersionMajor >= 2) stream?.close(0)
  } else if (!response.writableEnded) response.destroy()
  void write(log, error, status)
}

/**
 * Logs an error that a handler caught, and returns the answer to it as a Fetch `Response`: for Hono, h3, Next.js routes, Bun, Deno and
 * Workers. On AWS Lambda, return `{ statusCode: refusal(error).status }`.
 *
 * The status is that of {@link statusOf}. The answer has no body and no reason, because a reason would help an attacker. The answer
 * closes the connection, because the sender may still upload a body that nothing reads.
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
  const status = statusOf(error)
  void write(log, error, status)
  return new Response(null, { status, headers: { Connection: 'close' } })
}

function logOf(options: RefusalOptions): (entry: RefusalLog) => unknown {
  assertOptions(options, ['log'])
  const { log = logToConsole } = options
  if (typeof log !== 'function') throw invalidType(`options.log is ${kindOf(log)}. Pass a function.`)
  return log
}

function logToConsole({ level, message, error }: RefusalLog): void {
  console[level](level === 'error' ? error : message)
}

/** Calls `log`. A log that fails must not change the answer, so the error of the log only goes to `console`. */
async function write(log: (entry: RefusalLog) => unknown, error: unknown, status: number): Promise<void> {
  try {
    await log({ ...describe(error), status, error })
  } catch (failure) {
    console.error(failure)
  }
}

/** The errors for a body that is too large, too slow or incomplete. */
const BODY_CODES = ['ERR_BODY_TOO_LARGE', 'ERR_BODY_TIMEOUT', 'ERR_BODY_ABORTED'] as const

function describe(error: unknown): Pick<RefusalLog, 'level' | 'message'> {
  if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) {
    const { webhookId, reason, detail } = error
    return { level: 'warn', message: oneLine(`Webhook ${webhookId ?? '(unknown)'}: ${reason}: ${detail}`) }
  }
  const isOfSender = BODY_CODES.some((code) => hasErrorCode(error, code))
  return {
    level: isOfSender ? 'info' : 'error',
    message: oneLine(error instanceof Error ? error.message : String(error)),
  }
}

/** Returns the text with escapes for the characters that a log might read as the end of a line or as a command of a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
