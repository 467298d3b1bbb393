import { types } from 'node:util'
import { hasMethod, invalidType, kindOf } from './arguments.js'
import type { SignedRequest } from './checks.js'
import type { Clock } from './clock.js'
import { describeError, oneLine } from './describe-error.js'
import { EventRepeatedError, WebhookRejectedError, webhookInProgress } from './errors.js'
import { publishResult } from './publish-result.js'
import {
  type AcceptedResult,
  acceptedOrThrow,
  type FindWebhook,
  type ReceivedWebhook,
  readSigned,
  reserveSigned,
  SOURCE_OPTIONS,
  type WebhookSource,
} from './receive.js'
import type { Secret } from './request.js'
import { NONCE_TTL_SECONDS } from './rules/nonce.js'
import { OWN_SCHEME, type Scheme } from './scheme.js'
import { assertNonceStore, assertRelease, type NonceStore } from './stores/nonce-store.js'
import type { TransactionStore, WorkSignal } from './transactions/transaction-store.js'

/** A request that is handled over a transaction store. */
export interface TransactionSource<Webhook> extends WebhookSource {
  /**
   * Returns the ID of the event, so that your code runs once per event, however often the sender signs the event again. Gets what your code
   * gets. A number must be a safe integer.
   */
  eventId?: (webhook: Webhook) => string | number
}

/** Your code, which handles a webhook. */
export type Work<Webhook, Transaction, T> = (
  webhook: Webhook,
  transaction: Transaction,
  signal: WorkSignal,
) => T | Promise<T>

/**
 * Receives a webhook as {@link receive} does, and runs your code. Resolves to what your code returns.
 *
 * If your code throws, `handle` releases the reservation, so that the same request can be accepted again, and then throws the same error.
 * Pass this error to {@link refuse} or {@link refusal}. If your process dies, or the release fails, the nonce stays reserved.
 *
 * With a `PostgresTransactionStore` or a `MySqlTransactionStore`, your code runs in the same database transaction as the reservation. The
 * work of your code and the reservation are committed together or not at all, even if the process dies.
 *
 * With a transaction store, `source` can have `eventId`, a function that returns the ID of the event. Your code then runs once per event. If
 * the event is already committed, `handle` throws an error with `code` `ERR_EVENT_REPEATED` and `status` 200.
 *
 * While your code runs, copies of the request are refused with `ERR_WEBHOOK_IN_PROGRESS`. If your code fails, a retry is accepted.
 *
 * @param source - the webhook's ID, the request of your framework and, optionally, `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret, a list of secrets while you rotate it, or a function that finds the webhook.
 * @param nonceStore - a store for nonces that has `release`, or a transaction store. All processes that serve a webhook must share one store.
 * @param work - your code, which gets the webhook and, with a transaction store, the transaction and an `AbortSignal`. Run every statement in
 * this transaction. The signal aborts if your code takes longer than `workTimeout`.
 * @param clock - server time, by default `Date`.
 * @throws the errors of {@link receive}, an error with `code` `ERR_WEBHOOK_IN_PROGRESS` and `status` 503 for a copy, an error with `code`
 * `ERR_EVENT_REPEATED` and `status` 200 for a repeated event, and the error of your code.
 *
 * @example
 * ```ts
 * import { handle, MemoryNonceStore, sign } from 'inbound-webhook-auth'
 *
 * const secret = 'the signing secret of webhook 42'
 * const text = '{"event":"invoice.paid"}'
 * const request = new Request('https://example.com/hooks', { method: 'POST', headers: sign(text, secret), body: text })
 *
 * const event = await handle({ webhookId: '42', request }, secret, new MemoryNonceStore(), async ({ body }) => {
 *   return JSON.parse(body.toString()).event
 * })
 *
 * console.log(event) // invoice.paid
 * ```
 */
export function handle<T, Transaction>(
  source: TransactionSource<Omit<ReceivedWebhook, 'release'>>,
  secret: Secret | FindWebhook,
  nonceStore: TransactionStore<Transaction>,
  work: Work<Omit<ReceivedWebhook, 'release'>, NoInfer<Transaction>, T>,
  clock?: Clock,
): Promise<T>
/** Receives a webhook and runs your code, with a nonce store that has `release` in place of a transaction store. */
export function handle<T>(
  source: WebhookSource,
  secret: Secret | FindWebhook,
  nonceStore: NonceStore,
  work: (webhook: Omit<ReceivedWebhook, 'release'>) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T, Transaction>(
  source: WebhookSource,
  secret: Secret | FindWebhook,
  store: NonceStore | TransactionStore<Transaction>,
  work: Work<Omit<ReceivedWebhook, 'release'>, Transaction, T>,
  clock: Clock = Date,
): Promise<T> {
  return handleRequest(OWN_SCHEME, source, secret, store, work, clock)
}

/** Implements `handle` for every signing scheme. */
export function handleRequest<Secrets, Key, Result extends AcceptedResult, Transaction, T>(
  scheme: Scheme<Secrets, Key, Result>,
  source: TransactionSource<Result & Pick<ReceivedWebhook, 'body'>>,
  secret: Secrets | FindWebhook<Secrets>,
  store: NonceStore | TransactionStore<Transaction>,
  work: Work<Result & Pick<ReceivedWebhook, 'body'>, Transaction, T>,
  clock: Clock,
): Promise<T> {
  return publishResult(async (details) => {
    if (typeof work !== 'function') {
      throw invalidType(`work is ${kindOf(work)}. Pass the function that handles the webhook.`)
    }
    if (!isTransactionStore(store)) {
      assertNonceStore(store)
      assertRelease(store)
    }
    const eventId = eventIdOf(source, store)
    const { signed, body } = await readSigned(scheme, source, secret, clock, details, [...SOURCE_OPTIONS, 'eventId'])
    const withBody = (result: Result) => Object.assign(result, { body })
    const run = async (result: Result, transaction: Transaction, signal: WorkSignal) =>
      work(withBody(result), transaction, signal)
    return whileInProgress(store, signed, () =>
      isTransactionStore(store)
        ? runInTransaction(store, signed, run, eventId && ((result) => eventId(withBody(result))))
        : runWithRelease(store, signed, (result) => run(result, undefined as Transaction, undefined as never)),
    )
  })
}

function isTransactionStore<Transaction>(
  store: object | TransactionStore<Transaction>,
): store is TransactionStore<Transaction> {
  return hasMethod(store, 'transact')
}

function eventIdOf<Webhook>(source: TransactionSource<Webhook>, store: object): TransactionSource<Webhook>['eventId'] {
  if (!('eventId' in Object(source))) return undefined
  const { eventId } = source
  if (typeof eventId !== 'function') {
    throw invalidType(`source.eventId is ${kindOf(eventId)}. Pass a function that returns the ID of the event.`)
  }
  if (isTransactionStore(store)) return eventId
  throw invalidType(
    'source.eventId needs a transaction store, because a crash would lose the event. Pass a PostgresTransactionStore or a MySqlTransactionStore.',
  )
}

/** The keys of the messages that this process is handling, per store. */
const inProgress = new WeakMap<object, Set<string>>()

/** Runs `run`. Throws if this process is already handling a copy of the request, or another split of the same signed message. */
async function whileInProgress<T>(store: object, signed: SignedRequest<unknown>, run: () => Promise<T>): Promise<T> {
  const running = inProgress.get(store) ?? new Set()
  inProgress.set(store, running)
  const keys = signed.keys.map((key) => JSON.stringify([signed.webhookId, key]))
  if (keys.some((key) => running.has(key))) throw webhookInProgress()
  for (const key of keys) running.add(key)
  try {
    return await run()
  } finally {
    for (const key of keys) running.delete(key)
  }
}

/** Reserves the keys, runs `run`, and releases the keys if `run` rejects. */
async function runWithRelease<Result extends AcceptedResult, T>(
  nonceStore: NonceStore,
  signed: SignedRequest<Result>,
  run: (result: Result) => Promise<T>,
): Promise<T> {
  const { result, release } = await reserveSigned(nonceStore, signed)
  try {
    return await run(result)
  } catch (error) {
    await release().catch((failure: unknown) => {
      const message = `the nonce stays reserved, because the release failed: ${describeError(failure)}`
      console.error(`Webhook ${oneLine(signed.webhookId)}: ${message}`)
    })
    throw error
  }
}

/** Runs `run` in the transaction that reserves the keys and, if there is `findId`, the key of the event. */
async function runInTransaction<Result extends AcceptedResult, Transaction, T>(
  store: TransactionStore<Transaction>,
  { webhookId, keys, replayed, conclude }: SignedRequest<Result>,
  run: (result: Result, transaction: Transaction, signal: WorkSignal) => Promise<T>,
  findId: ((result: Result) => unknown) | undefined,
): Promise<T> {
  const conclusion = () => acceptedOrThrow(conclude(), webhookId)
  let eventKey: string | undefined
  let failure: { error: unknown } | undefined
  if (findId) {
    const accepted = conclusion()
    try {
      eventKey = eventKeyOf(findId(accepted))
    } catch (error) {
      failure = { error }
    }
  }
  const result = await store.transact({
    webhookId,
    keys,
    ttlSeconds: NONCE_TTL_SECONDS,
    eventKey,
    async work(transaction, signal) {
      const accepted = conclusion()
      // A replay is refused first. Otherwise, another split of a captured body, which is no JSON, would get 500 at will.
      if (failure !== undefined) throw failure.error
      return run(accepted, transaction, signal)
    },
  })
  if (result.outcome === 'done') return result.value
  if (result.outcome === 'replayed') throw new WebhookRejectedError(replayed(), webhookId)
  throw result.outcome === 'repeated' ? new EventRepeatedError(webhookId, String(eventKey)) : webhookInProgress()
}

/** Returns the key of the event with this ID. Throws if the ID is not one. */
function eventKeyOf(id: unknown): string {
  // In JSON, the number 1 and the text "1" differ. A nonce contains no space, so no nonce equals this key.
  if (typeof id === 'string' ? id !== '' : Number.isSafeInteger(id)) return `event ${JSON.stringify(id)}`
  // The rejection of a promise would end the process.
  if (types.isPromise(id)) id.catch(() => {})
  throw invalidType(
    `eventId returned ${kindOf(id)}. Return the ID of the event: text, or a number that is a safe integer.`,
  )
}
