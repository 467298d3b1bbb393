import type { Rejected, RejectionReason } from './result.js'

const CONNECTION_CLOSE = { Connection: 'close' } as const
const RETRY_AFTER = { 'Retry-After': '1' } as const

/**
 * The errors of this package: the class, the status of the response, the headers that the response needs, and the level of the line in
 * the log. An error is recognised by its `code`, whatever its class is.
 */
export const ERRORS = {
  ERR_WEBHOOK_REJECTED: { name: 'WebhookRejectedError', status: 401, headers: undefined, level: 'warn' },
  ERR_WEBHOOK_IN_PROGRESS: { name: 'WebhookInProgressError', status: 503, headers: RETRY_AFTER, level: 'info' },
  ERR_NONCE_STORE: { name: 'NonceStoreError', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_NONCE_STORE_FULL: { name: 'Error', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_NONCE_STORE_BUSY: { name: 'Error', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_BODY_TOO_LARGE: { name: 'BodyError', status: 413, headers: CONNECTION_CLOSE, level: 'info' },
  ERR_BODY_TIMEOUT: { name: 'BodyError', status: 408, headers: CONNECTION_CLOSE, level: 'info' },
  ERR_BODY_ABORTED: { name: 'BodyError', status: 400, headers: CONNECTION_CLOSE, level: 'info' },
  ERR_INVALID_ARGUMENT: { name: 'TypeError or RangeError', status: 500, headers: undefined, level: 'error' },
} as const

type Errors = typeof ERRORS

/** The codes of the errors of this package. */
export type ErrorCode = keyof Errors

/** Returns the code of an error of this package, whatever its class is, or `undefined`. Never throws. */
export function codeOf(error: unknown): ErrorCode | undefined {
  try {
    const { code } = Object(error)
    return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined
  } catch {
    // A property of an error may throw when it is read.
    return undefined
  }
}

/**
 * An error with the status that frameworks answer. Some frameworks read `status`, and some read `statusCode`. NestJS reads both only
 * from an error with `expose`. Koa sends the message of an error if its `expose` is `true`, so that message is safe to send.
 */
abstract class HttpError<Code extends ErrorCode> extends Error {
  override readonly name: Errors[Code]['name']
  readonly code: Code
  readonly status: Errors[Code]['status']
  readonly statusCode: Errors[Code]['status']
  readonly expose: boolean
  /** Headers to send with the response, if it needs any. Express, Koa and Fastify send these headers by themselves. */
  readonly headers: { readonly [name: string]: string } | undefined

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    const { name, status, headers } = ERRORS[code]
    this.name = name
    this.code = code
    this.status = this.statusCode = status
    this.expose = status < 500
    this.headers = headers
  }
}

/**
 * A request broke a rule. `receive` throws this error.
 *
 * Frameworks that read `status` or `statusCode` answer 401. The message is safe to send: it does not say which rule was broken.
 */
export class WebhookRejectedError extends HttpError<'ERR_WEBHOOK_REJECTED'> {
  /** The first broken rule, for your log. Do not send the reason, because it would help an attacker. */
  readonly reason: RejectionReason
  /** The missing header, if the reason is `missing_header`. */
  readonly header: string | undefined
  /** What is wrong and what to do, for your log. Do not send this text, because it would help an attacker. */
  readonly detail: string
  /** The webhook that the request was sent to. */
  readonly webhookId: string | undefined

  constructor(rejected: Rejected, webhookId?: string) {
    super('ERR_WEBHOOK_REJECTED', 'The request is not authenticated')
    this.reason = rejected.reason
    this.header = rejected.reason === 'missing_header' ? rejected.header : undefined
    this.detail = rejected.message
    this.webhookId = webhookId
  }

  /** Returns only what is safe to send, because some frameworks send errors as JSON. To log `reason` and `detail`, read both by name. */
  toJSON(): { code: string; message: string } {
    const { code, message } = this
    return { code, message }
  }
}

/** Returns the error for a request whose body was not read. The sender stops its upload, because the response closes the connection. */
export function rejectedUnread(rejected: Rejected, webhookId: string): WebhookRejectedError {
  return Object.assign(new WebhookRejectedError(rejected, webhookId), { headers: CONNECTION_CLOSE })
}

/**
 * `readBody` or `receive` did not get the whole body. The rest of the body was not read. The `code` says why:
 *
 * | `code` | `status` | the body |
 * |---|---|---|
 * | `ERR_BODY_TOO_LARGE` | 413 | has more than `maxBytes` bytes |
 * | `ERR_BODY_TIMEOUT` | 408 | was not complete when `bodyTimeout` had passed |
 * | `ERR_BODY_ABORTED` | 400 | was not complete when the sender closed the connection. `cause` is the error of the connection. |
 *
 * The message is safe to send.
 */
export class BodyError extends HttpError<'ERR_BODY_TOO_LARGE' | 'ERR_BODY_TIMEOUT' | 'ERR_BODY_ABORTED'> {}

/**
 * The nonce store failed, so there is no result. `cause` is the error of the store. If the store returned something else than `true` or
 * `false`, the message says what the store returned.
 *
 * Frameworks that read `status` or `statusCode` answer 503. The message is safe to send.
 */
export class NonceStoreError extends HttpError<'ERR_NONCE_STORE'> {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_NONCE_STORE', message, options)
  }
}

/** A copy of the request is being handled, so nobody knows yet whether this one is needed. The message is safe to send. */
export class WebhookInProgressError extends HttpError<'ERR_WEBHOOK_IN_PROGRESS'> {
  constructor() {
    super('ERR_WEBHOOK_IN_PROGRESS', 'A copy of the request is being handled')
  }
}

/** Returns the error of a store that cannot take a reservation. `verify` throws a {@link NonceStoreError} with this error as its `cause`. */
export function storeOverload(code: 'ERR_NONCE_STORE_FULL' | 'ERR_NONCE_STORE_BUSY', message: string): Error {
  return Object.assign(new Error(message), { code })
}
