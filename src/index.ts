export type { Clock } from './clock.js'
export {
  BodyAbortedError,
  BodyTimeoutError,
  BodyTooLargeError,
  type ErrorsByCode,
  hasErrorCode,
  NonceStoreBusyError,
  NonceStoreError,
  NonceStoreFullError,
  WebhookRejectedError,
} from './errors.js'
export { generateSecret } from './generate-secret.js'
export { type BodySource, type RawBody, type ReadBodyOptions, readBody } from './read-body.js'
export { type Received, type ReceivedRequest, receive } from './receive.js'
export { type NodeResponse, type RefusalLog, type RefusalOptions, refusal, refuse } from './refuse.js'
export type { Secret, WebhookRequest } from './request.js'
export type { Accepted, Rejected, RejectionReason, Verification } from './result.js'
export type { Body } from './rules/body.js'
export type { HeaderName, HeadersInput } from './rules/headers.js'
export { type SignedHeaders, type SignOptions, sign } from './sign.js'
export { statusOf } from './status-of.js'
export { MemoryNonceStore, type MemoryNonceStoreOptions } from './stores/memory/store.js'
export type { NonceStore } from './stores/nonce-store.js'
export { withTimeout } from './stores/with-timeout.js'
export { verify } from './verify.js'
export { verifyOrThrow } from './verify-or-throw.js'
