import { assertOptions, assertText, invalidType } from './arguments.js'
import { checkHeaders, checkSignature, checkWindow, type SignedRequest, type Webhook } from './checks.js'
import { assertClock, type Clock } from './clock.js'
import { CONNECTION_CLOSE, HttpError, type Received, WebhookRejectedError } from './errors.js'
import { publishResult, type ResultDetails } from './publish-result.js'
import { type BodySource, findBody, type RawBody, type ReadBodyOptions, readLimits } from './read-body.js'
import type { Secret } from './request.js'
import type { Accepted, Rejected } from './result.js'
import { OWN_SCHEME, type Scheme } from './scheme.js'
import { assertNonceStore, type NonceStore, newOwner, releaseKeys, reserveKeys } from './stores/nonce-store.js'
import { within } from './within.js'

/** A request that is not checked yet. */
interface RequestSource extends ReadBodyOptions {
  /** The request that your framework passes to the handler, the event of AWS Lambda, or `{ headers, body }` with the raw bytes. */
  request: BodySource
}

/** A request that is not checked yet, and the webhook to which the request was sent. */
export interface WebhookSource extends RequestSource {
  /**
   * The ID of the webhook in your database. Never pass a part of the URL. If `/hooks/ABC` and `/hooks/abc` lead to the same webhook, a
   * request to one URL could be replayed to the other URL. Leave out `webhookId` if a function finds the webhook.
   */
  webhookId: string
}

/** A source of either kind, for code that serves both kinds of secret. */
export type AnySource = RequestSource & { webhookId?: string | undefined }

/**
 * Finds the webhook of a request in your database. Returns `null` or `undefined` if there is none: an unknown webhook gets the same response
 * as a wrong signature. The function is called at most once per request: after the headers were checked, and before the body is read.
 */
export type FindWebhook<S = Secret> = () => Found<S> | Promise<Found<S>>
type Found<S> = { webhookId: string; secret: S } | null | undefined

/** The source for a kind of secret: a function that finds the webhook returns the ID too. */
export type SourceOf<S> = S extends () => unknown ? RequestSource & { webhookId?: undefined } : WebhookSource

export const SOURCE_OPTIONS: readonly string[] = ['webhookId', 'request', 'maxBytes', 'bodyTimeout']

/** A request that met every rule, with its body. */
export type ReceivedWebhook = Accepted & {
  /** The bytes that were signed. */
  body: RawBody
  /**
   * Releases the reservation, so that the same request can be accepted again. Call `release` if your code failed. ({@link handle} calls
   * `release` itself.) A second call has no effect.
   *
   * @throws {@link NonceStoreError} if the store failed. The nonce may then stay reserved.
   * @throws `TypeError` if the store has no `release`.
   */
  release(): Promise<void>
}

/**
 * Reads a webhook request, and checks that the request is authentic, recent and not a replay. Resolves to the accepted request with its
 * body. Call `receive` once per request.
 *
 * You get the body only after the request was verified. If you forget the `await`, you get no body.
 *
 * The rules and the order of the rules are the same as in {@link verify}. If the headers break a rule, the request is refused before its
 * body is read. The window is checked again when the body has arrived.
 *
 * Call `receive` before any body parser reads the body. If `receive` throws, pass the error to {@link refuse} or {@link refusal}.
 *
 * @param source - the webhook's ID, the request of your framework and, optionally, `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret, a list of secrets while you rotate it, or a function that finds the webhook.
 * @param nonceStore - the store for nonces. All processes that serve a webhook must share one store.
 * @param clock - server time, by default `Date`.
 * @throws {@link WebhookRejectedError} with `code` `ERR_WEBHOOK_REJECTED` and `status` 401 if the request broke a rule.
 * @throws {@link BodyError} with `status` 413, 408 or 400 if the body is too large, too slow or incomplete.
 * @throws {@link NonceStoreError} with `code` `ERR_NONCE_STORE` and `status` 503 if the store failed.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller. The message says what to change.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore, receive, sign } from 'inbound-webhook-auth'
 *
 * const secret = 'the signing secret of webhook 42'
 * const text = '{"event":"invoice.paid"}'
 * const request = new Request('https://example.com/hooks', { method: 'POST', headers: sign(text, secret), body: text })
 *
 * const { body } = await receive({ webhookId: '42', request }, secret, new MemoryNonceStore())
 *
 * console.log(body.toString()) // {"event":"invoice.paid"}
 * ```
 */
export function receive<S extends Secret | FindWebhook>(
  source: SourceOf<S>,
  secret: S,
  nonceStore: NonceStore,
  clock: Clock = Date,
): Promise<ReceivedWebhook> {
  return receiveRequest(OWN_SCHEME, source, secret, nonceStore, clock)
}

/** Implements `receive` for every signing scheme. */
export function receiveRequest<Secrets, Key, Result extends AcceptedResult>(
  scheme: Scheme<Secrets, Key, Result>,
  source: AnySource,
  secret: Secrets | FindWebhook<Secrets>,
  nonceStore: NonceStore,
  clock: Clock,
): Promise<Result & Pick<ReceivedWebhook, 'body' | 'release'>> {
  return publishResult(async (details) => {
    assertNonceStore(nonceStore)
    const { signed, body } = await readSigned(scheme, source, secret, clock, details)
    const { webhookId, keys } = signed
    const owner = newOwner()
    const isReserved = await reserveKeys(nonceStore, webhookId, keys, owner)
    const result = acceptedOrThrow(isReserved ? signed.conclude() : signed.replayed(), webhookId, signed.received)
    let released: Promise<void> | undefined
    const release = () => (released ??= releaseKeys(nonceStore, webhookId, keys, owner))
    return Object.assign(result, { body, release })
  })
}

export type AcceptedResult = { readonly ok: true }

/** Returns the result of an accepted request. Throws a {@link WebhookRejectedError} for a rejected request. */
export function acceptedOrThrow<Result extends AcceptedResult>(
  result: Result | Rejected,
  webhookId?: string,
  received?: Received,
): Result {
  if (!result.ok) throw new WebhookRejectedError(result, webhookId, received)
  return result
}

/** Reads a request, and checks every rule except the last, because the caller reserves the nonce. */
export async function readSigned<Secrets, Key, Result>(
  scheme: Scheme<Secrets, Key, Result>,
  source: AnySource,
  secret: Secrets | FindWebhook<Secrets>,
  clock: Clock,
  details: ResultDetails,
  options: readonly string[] = SOURCE_OPTIONS,
): Promise<{ signed: SignedRequest<Result>; body: RawBody }> {
  assertOptions(source, options, 'source')
  const { webhookId: givenId, request } = source
  const isFound = typeof secret === 'function'
  if (isFound && givenId !== undefined) {
    throw invalidType(
      'source.webhookId is set, but secret is a function. Return { webhookId, secret } from it and remove source.webhookId.',
    )
  }
  const known = isFound ? undefined : readWebhook(scheme, { webhookId: givenId, secret }, details, false)
  if (request === undefined) throw invalidType('source.request is undefined. Pass { webhookId, request }.')
  const limits = readLimits(source)
  assertClock(clock)
  const { headers, isRead, open } = findBody(request, 'request')

  // If the headers break a rule, the response is 401 even if `Content-Length` is above the limit, and the body is not read.
  const claim = checkHeaders(scheme, headers, clock)
  if (!claim.ok) {
    // The error about the headers comes before an error about the body.
    const reading = isRead ? Promise.resolve().then(() => open(limits)()) : undefined
    const body = await reading?.catch(() => undefined)
    const error = new WebhookRejectedError(claim, known?.webhookId, body && { headers, body })
    // If the body was not read, the connection is closed, so that the upload stops.
    throw isRead ? error : Object.assign(error, { headers: CONNECTION_CLOSE })
  }

  const read = open(limits)
  const webhook = known ?? (await findWebhook(scheme, secret as FindWebhook<Secrets>, details, limits.bodyTimeout))
  const body = await read()
  details.bytes = body.length
  // The window may have closed while the body arrived.
  const outside = checkWindow(scheme, claim, clock)
  const signed = acceptedOrThrow(outside ?? checkSignature(scheme, claim, body, webhook, clock), webhook.webhookId, {
    headers,
    body,
  })
  details.secretIndex = signed.secretIndex
  return { signed, body }
}

async function findWebhook<Secrets, Key>(
  scheme: Scheme<Secrets, Key, unknown>,
  find: FindWebhook<Secrets>,
  details: ResultDetails,
  bodyTimeout: number,
): Promise<Webhook<Key>> {
  const late = () => new HttpError('ERR_LOOKUP_TIMEOUT', `The lookup of the webhook took longer than ${bodyTimeout} ms`)
  const found = await within(bodyTimeout, find(), late)
  if (found === undefined || found === null) return { webhookId: undefined, keys: [], isLookedUp: true }
  return readWebhook(scheme, found, details, true)
}

function readWebhook<Secrets, Key>(
  scheme: Scheme<Secrets, Key, unknown>,
  webhook: unknown,
  details: ResultDetails,
  isLookedUp: boolean,
): Webhook<Key> {
  const { webhookId, secret } = Object(webhook)
  const owner = isLookedUp ? " of the function's result" : ''
  const fix = isLookedUp
    ? 'Return { webhookId, secret } with the ID as a string, or null if there is no webhook.'
    : 'Pass { webhookId, request } with the ID as a string.'
  assertText(webhookId, isLookedUp ? `webhookId${owner}` : 'source.webhookId', fix)
  details.webhookId = webhookId
  return { webhookId, keys: scheme.readSecrets(secret, owner), isLookedUp }
}
