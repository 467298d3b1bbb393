import type { Rejected, RejectionReason } from './result.js'
import type { HeaderName } from './rules/formats.js'

/**
 * An error with the status that frameworks answer. Some frameworks read `status`, and some read `statusCode`. NestJS reads both only
 * from an error with `expose`. Koa sends the message of an error if its `expose` is `true`, so that message is safe to send.
 */
abstract class HttpError<Code extends string, Status extends number, Expose extends boolean> extends Error {
  readonly code: Code
  readonly status: Status
  readonly statusCode: Status
  readonly expose: Expose

  constructor(code: Code, status: Status, expose: Expose, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = this.statusCode = status
    this.expose = expose
  }
}

/**
 * The nonce store failed, so there is no result. `cause` is the error of the store. If the store returned something else than `true` or
 * `false`, the message says what the store returned.
 *
 * Frameworks that read `status` or `statusCode` answer 503. The message is safe to send.
 */
export class NonceStoreError extends HttpError<'ERR_NONCE_STORE', 503, false> {
  override readonly name = 'NonceStoreError'

  constructor(message: string, options?: ErrorOptions) {
    super('ERR_NONCE_STORE', 503, false, message, options)
  }
}

/**
 * A request broke a rule. `receive` and `verifyOrThrow` throw this error.
 *
 * Frameworks that read `status` or `statusCode` answer 401. The message is safe to send: it does not say which rule was broken.
 */
export class WebhookRejectedError extends HttpError<'ERR_WEBHOOK_REJECTED', 401, true> {
  override readonly name = 'WebhookRejectedError'
  /** The first broken rule, for your log. Do not send the reason, because it would help an attacker. */
  readonly reason: RejectionReason
  /** The missing header, if the reason is `missing_header`. */
  readonly header: HeaderName | undefined
  /** What is wrong and what to do, for your log. Do not send this text, because it would help an attacker. */
  readonly detail: string
  /** The webhook that the request was sent to. */
  readonly webhookId: string | undefined
  /**
   * Send these headers with the answer, so that the sender does not upload a body that `receive` has not read. `undefined` if the body
   * was read. Express, Koa and Fastify send these headers by themselves.
   */
  readonly headers: { readonly Connection: 'close' } | undefined

  constructor(rejected: Rejected, webhookId?: string, isBodyUnread = false) {
    super('ERR_WEBHOOK_REJECTED', 401, true, 'The request is not authenticated')
    this.reason = rejected.reason
    this.header = rejected.reason === 'missing_header' ? rejected.header : undefined
    this.detail = rejected.message
    this.webhookId = webhookId
    this.headers = isBodyUnread ? { Connection: 'close' } : undefined
  }

  /** Returns only what is safe to send, because some frameworks send errors as JSON. To log `reason` and `detail`, read both by name. */
  toJSON(): { code: string; message: string } {
    const { code, message } = this
    return { code, message }
  }
}

/**
 * The store is full of nonces that have not expired, so it refuses to reserve another.
 *
 * `verify` throws a {@link NonceStoreError} with this error as its `cause`.
 */
export class NonceStoreFullError extends Error {
  override readonly name = 'NonceStoreFullError'
  readonly code = 'ERR_NONCE_STORE_FULL'
}

/**
 * The server of the store has more to do than it can answer in time, so the reservation was not sent.
 *
 * `verify` throws a {@link NonceStoreError} with this error as its `cause`.
 */
export class NonceStoreBusyError extends Error {
  override readonly name = 'NonceStoreBusyError'
  readonly code = 'ERR_NONCE_STORE_BUSY'
}

/**
 * The request's body has more bytes than `readBody` accepts. The rest of the body was not read.
 *
 * Frameworks that read `status` or `statusCode` answer 413. The message is safe to send.
 */
export class BodyTooLargeError extends HttpError<'ERR_BODY_TOO_LARGE', 413, true> {
  override readonly name = 'BodyTooLargeError'
  /**
   * Send these headers with the answer, so that the sender does not upload the rest of the body. Express, Koa and Fastify send these
   * headers by themselves.
   */
  readonly headers = { Connection: 'close' }

  /** @param maxBytes - the limit, in bytes. */
  constructor(maxBytes: number) {
    super('ERR_BODY_TOO_LARGE', 413, true, `The request body has more than ${maxBytes} bytes`)
  }
}

/**
 * The sender closed the connection before `readBody` had the whole body. `cause` is the error of the connection.
 *
 * Your service is not at fault. Frameworks that read `status` or `statusCode` answer 400, which nobody receives.
 */
export class BodyAbortedError extends HttpError<'ERR_BODY_ABORTED', 400, true> {
  override readonly name = 'BodyAbortedError'

  constructor(cause?: unknown) {
    super('ERR_BODY_ABORTED', 400, true, 'The sender closed the connection before the body was complete', { cause })
  }
}

/**
 * The request's body was not complete when `bodyTimeout` had passed. The rest of the body was not read.
 *
 * Frameworks that read `status` or `statusCode` answer 408. The message is safe to send.
 */
export class BodyTimeoutError extends HttpError<'ERR_BODY_TIMEOUT', 408, true> {
  override readonly name = 'BodyTimeoutError'
  /** Send these headers with the answer, so that the sender does not hold the connection. */
  readonly headers = { Connection: 'close' }

  /** @param bodyTimeout - the limit, in milliseconds. */
  constructor(bodyTimeout: number) {
    super('ERR_BODY_TIMEOUT', 408, true, `The request body was not complete after ${bodyTimeout} ms`)
  }
}

/** The errors of this package by their `code`. */
export interface ErrorsByCode {
  ERR_WEBHOOK_REJECTED: WebhookRejectedError
  ERR_NONCE_STORE: NonceStoreError
  ERR_NONCE_STORE_FULL: NonceStoreFullError
  ERR_NONCE_STORE_BUSY: NonceStoreBusyError
  ERR_BODY_TOO_LARGE: BodyTooLargeError
  ERR_BODY_TIMEOUT: BodyTimeoutError
  ERR_BODY_ABORTED: BodyAbortedError
  ERR_INVALID_ARGUMENT: (TypeError | RangeError) & {
    code: 'ERR_INVALID_ARGUMENT'
    /** Names the mistake, if the wrong value shows it: `parsed_object`, for example. The names are stable across versions. */
    hint?: string
  }
}

/**
 * Returns whether a caught error has this `code`, and narrows the type of the error.
 *
 * Prefer this function to `instanceof`: the ES module, the CommonJS module and each subpath have their own copies of a class.
 *
 * @param error - anything that was thrown.
 *
 * @example
 * ```ts
 * import { hasErrorCode, MemoryNonceStore, verifyOrThrow } from 'inbound-webhook-auth'
 *
 * const request = { webhookId: '42', headers: {}, body: '' }
 * try {
 *   await verifyOrThrow(request, 'the signing secret of webhook 42', new MemoryNonceStore())
 * } catch (error) {
 *   if (!hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) throw error
 *   console.log(error.status, error.reason, error.header) // 401 missing_header x-timestamp
 * }
 * ```
 */
export function hasErrorCode<Code extends keyof ErrorsByCode>(error: unknown, code: Code): error is ErrorsByCode[Code] {
  return error instanceof Error && 'code' in error && error.code === code
}
