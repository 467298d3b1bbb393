import type { Rejected, RejectionReason } from './result.js'
import type { HeadersInput } from './rules/headers.js'

export const CONNECTION_CLOSE = { Connection: 'close' } as const
const RETRY_AFTER = { 'Retry-After': '1' } as const

/** For each error code of this package: the class of the error, the status and headers of the response, and the level for the log. */
export const ERRORS = {
  ERR_WEBHOOK_REJECTED: { name: 'WebhookRejectedError', status: 401, headers: undefined, level: 'warn' },
  ERR_WEBHOOK_IN_PROGRESS: { name: 'WebhookInProgressError', status: 503, headers: RETRY_AFTER, level: 'info' },
  ERR_LOOKUP_TIMEOUT: { name: 'Error', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_WORK_TIMEOUT: { name: 'WorkTimeoutError', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_NONCE_STORE: { name: 'NonceStoreError', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_NONCE_STORE_FULL: { name: 'Error', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_NONCE_STORE_BUSY: { name: 'Error', status: 503, headers: RETRY_AFTER, level: 'error' },
  ERR_BODY_TOO_LARGE: { name: 'BodyError', status: 413, headers: CONNECTION_CLOSE, level: 'info' },
  ERR_BODY_TIMEOUT: { name: 'BodyError', status: 408, headers: CONNECTION_CLOSE, level: 'info' },
  ERR_BODY_ABORTED: { name: 'BodyError', status: 400, headers: CONNECTION_CLOSE, level: 'info' },
  ERR_INVALID_ARGUMENT: { name: 'TypeError or RangeError', status: 500, headers: undefined, level: 'error' },
} as const

type Errors = typeof ERRORS

export type ErrorCode = keyof Errors

/** Returns the code of an error of this package, or `undefined` for anything else. Never throws. */
export function codeOf(error: unknown): ErrorCode | undefined {
  const code = propertyOf(error, 'code')
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined
}

/** Returns a property of anything that was thrown, or `undefined` if reading the property throws. */
export function propertyOf(error: unknown, name: string): unknown {
  try {
    return Object(error)[name]
  } catch {
    return undefined
  }
}

/** An error with the status, as frameworks read it. NestJS needs `expose`, with which Koa sends the message, so it must be safe to send. */
export class HttpError<Code extends ErrorCode> extends Error {
  override readonly name: Errors[Code]['name']
  readonly code: Code
  readonly status: Errors[Code]['status']
  readonly statusCode: Errors[Code]['status']
  readonly expose: boolean
  /** The headers that the response needs, or `undefined` if it needs none. Express, Koa and Fastify send these headers by themselves. */
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

export type Received = WebhookRejectedError['received']

/**
 * `receive` and `handle` throw this error if a request broke a rule.
 *
 * Frameworks that read `status` or `statusCode` respond with 401 (RFC 9110, section 15.5.2). The message is safe to send, because the
 * message does not say which rule was broken.
 *
 * @example `if (error instanceof WebhookRejectedError) console.warn(error.webhookId, error.reason, error.detail)`
 */
export class WebhookRejectedError extends HttpError<'ERR_WEBHOOK_REJECTED'> {
  /** The first broken rule, for your log. Do not send the reason, because the reason would help an attacker. */
  readonly reason: RejectionReason
  /** The missing header, if the reason is `missing_header`. */
  readonly header: string | undefined
  /** What is wrong and what to do, for your log. Do not send this text, because the text would help an attacker. */
  readonly detail: string
  /** The webhook that the request was sent to. */
  readonly webhookId: string | undefined
  readonly #received: Received

  constructor(rejected: Rejected, webhookId?: string, received?: Received) {
    super('ERR_WEBHOOK_REJECTED', 'The request is not authenticated')
    this.#received = received
    this.reason = rejected.reason
    this.header = rejected.reason === 'missing_header' ? rejected.header : undefined
    this.detail = rejected.message
    this.webhookId = webhookId
  }

  /**
   * The refused request, or `undefined` if its body was not read. Pass it to `diagnose` of `inbound-webhook-tools`. Never log it: anybody can
   * send the body, and the headers can contain credentials. Loggers do not find this property, because the property is not enumerable.
   */
  get received(): { readonly headers: HeadersInput; readonly body: Uint8Array } | undefined {
    return this.#received
  }

  /** Returns what is safe to send, because some frameworks send errors as JSON. To log `reason` and `detail`, read these properties. */
  toJSON(): { code: string; message: string } {
    const { code, message } = this
    return { code, message }
  }
}

/**
 * `readBody`, `receive` and `handle` throw this error if they did not get the whole body. The rest of the body is not read. The `code`
 * says why, and the `status` is that of RFC 9110, section 15.5:
 *
 * | `code` | `status` | the body |
 * |---|---|---|
 * | `ERR_BODY_TOO_LARGE` | 413 | has more than `maxBytes` bytes |
 * | `ERR_BODY_TIMEOUT` | 408 | was not complete when `bodyTimeout` had passed |
 * | `ERR_BODY_ABORTED` | 400 | was not complete when the sender closed the connection. `cause` is the error of the connection. |
 *
 * The message is safe to send.
 *
 * @example `if (error instanceof BodyError && error.code === 'ERR_BODY_TOO_LARGE') console.info('raise maxBytes?')`
 */
export class BodyError extends HttpError<'ERR_BODY_TOO_LARGE' | 'ERR_BODY_TIMEOUT' | 'ERR_BODY_ABORTED'> {}

/**
 * `verify`, `receive` and `handle` throw this error if the nonce store failed. `cause` is the error of the store. If the store did not
 * return `true` or `false`, the message says what the store returned.
 *
 * Frameworks that read `status` or `statusCode` respond with 503 (RFC 9110, section 15.6.4). The message is safe to send.
 *
 * @example `if (error instanceof NonceStoreError) console.error(error.cause)`
 */
export class NonceStoreError extends HttpError<'ERR_NONCE_STORE'> {
  constructor(message: string, options?: ErrorOptions) {
    super('ERR_NONCE_STORE', message, options)
  }
}

type StoreCode = 'ERR_NONCE_STORE_FULL' | 'ERR_NONCE_STORE_BUSY' | 'ETIMEDOUT'

/** Returns the error of a store that is full, busy or late, which is the `cause` of a {@link NonceStoreError}. */
export function storeError(code: StoreCode, message: string): Error {
  return Object.assign(new Error(message), { code })
}
