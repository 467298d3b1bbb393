import { hasMethod, invalidType, kindOf } from './arguments.js'
import type { Clock } from './clock.js'
import { oneLine } from './describe-error.js'
import { HttpError, WebhookRejectedError } from './errors.js'
import { eventKeyOf } from './event-key.js'
import { publishResult } from './publish-result.js'
import {
  type AcceptedResult,
  type AnySource,
  acceptedOrThrow,
  type FindWebhook,
  type ReceivedWebhook,
  readSigned,
  SOURCE_OPTIONS,
  type SourceOf,
} from './receive.js'
import type { Secret } from './request.js'
import { NONCE_TTL_SECONDS } from './rules/nonce.js'
import { OWN_SCHEME, type Scheme } from './scheme.js'
import { assertNonceStore, assertRelease, type NonceStore } from './stores/nonce-store.js'
import { readEventTtl } from './stores/options.js'
import { unlessInProgress } from './transactions/in-progress.js'
import { claimAndRun, type NoteIncident, reserveAndRun } from './transactions/over-nonce-store.js'
import type {
  TransactionOutcome,
  TransactionRequest,
  TransactionStore,
  WorkSignal,
} from './transactions/transaction-store.js'

/** The option of `handle` for events. */
export interface EventSource<Webhook, Id extends string | number = string | number> {
  /** Returns the ID of the event from the verified webhook, so that your code runs once per event. A number must be a safe integer. */
  eventId?: ((webhook: Webhook) => Id) | undefined
}

/** Your code, which handles a webhook. The transaction is `undefined` over a nonce store. */
export type Work<Webhook, Transaction, T> = (
  webhook: Webhook,
  transaction: Transaction,
  signal: WorkSignal,
) => T | Promise<T>

/** What `handle` resolves to: with `eventId`, also `undefined`, because the code does not run for a repeated event. */
export type Handled<T, Id> = T | ([Id] extends [never] ? never : undefined)

/**
 * Receives a webhook as {@link receive} does and runs your code. Resolves to what your code returns.
 *
 * If your code throws, `handle` releases the reservation, so that the same request can be accepted again, and then throws the same error.
 * Pass this error to {@link refuse} or {@link refusal}. If your process dies, or the release fails, the nonce stays reserved.
 *
 * With `eventId`, a function that returns the ID of the event, your code runs once per event. A repeated event is a success: `handle` resolves
 * to `undefined`, and your code does not run. Over a nonce store, `handle` claims the event for 30 s and renews the claim while your code
 * runs. If your process dies, the claim ends, and the sender's retry runs your code. Your code can run twice if the claim is lost, or if the
 * process dies between the end of your code and its record.
 *
 * With a `PostgresTransactionStore` or a `MySqlTransactionStore`, your code runs in the same database transaction as the reservation. The
 * work of your code and the reservation are committed together or not at all, even if the process dies.
 *
 * While your code runs, copies of the request in the same process are refused with `ERR_WEBHOOK_IN_PROGRESS`. With `eventId` or a transaction
 * store, copies in other processes and other attempts of the event are refused too. If your code fails, a retry is accepted.
 *
 * @param source - the webhook's ID, the request of your framework and, optionally, `eventId`, `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret, a list of secrets while you rotate it, or a function that finds the webhook.
 * @param nonceStore - a store for nonces that has `release` and, for `eventId`, `claim`, or a transaction store. All processes that serve a
 * webhook must share one store.
 * @param work - your code, which receives the webhook, the transaction of a transaction store, and an `AbortSignal`. Run every statement in
 * this transaction. The signal aborts if your code takes longer than `workTimeout`, or if the claim of the event is lost.
 * @param clock - server time, by default `Date`.
 * @throws the errors of {@link receive}, an error with `code` `ERR_WEBHOOK_IN_PROGRESS` and `status` 503 for a copy, and the error of your
 * code.
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
export function handle<S extends Secret | FindWebhook, T, Transaction = undefined, Id extends string | number = never>(
  source: SourceOf<S> & EventSource<Omit<ReceivedWebhook, 'release'>, Id>,
  secret: S,
  nonceStore: NonceStore | TransactionStore<Transaction>,
  work: Work<Omit<ReceivedWebhook, 'release'>, NoInfer<Transaction>, T>,
  clock: Clock = Date,
): Promise<Handled<T, Id>> {
  return handleRequest(OWN_SCHEME, source, secret, nonceStore, work, clock)
}

/** Implements `handle` for every signing scheme. */
export function handleRequest<Secrets, Key, Result extends AcceptedResult, Transaction, T, Id extends string | number>(
  scheme: Scheme<Secrets, Key, Result>,
  source: AnySource & EventSource<Result & Pick<ReceivedWebhook, 'body'>, Id>,
  secret: Secrets | FindWebhook<Secrets>,
  store: NonceStore | TransactionStore<Transaction>,
  work: Work<Result & Pick<ReceivedWebhook, 'body'>, Transaction, T>,
  clock: Clock,
): Promise<Handled<T, Id>> {
  return publishResult(async (details) => {
    if (typeof work !== 'function') {
      throw invalidType(`work is ${kindOf(work)}. Pass the function that handles the webhook.`)
    }
    const note: NoteIncident = (incident, message) => {
      details.outcome = incident
      console.error(`Webhook ${oneLine(String(details.webhookId))}: ${message}`)
    }
    const findId = readEventId(source)
    const transact = transactOf<Transaction>(store, findId !== undefined, note)
    const { signed, body } = await readSigned(scheme, source, secret, clock, details, [...SOURCE_OPTIONS, 'eventId'])
    const { webhookId, keys, received } = signed
    const accepted = () => Object.assign(acceptedOrThrow(signed.conclude(), webhookId, received), { body })
    const event = findId && findEvent(findId, accepted())
    const eventKeys = event?.keys
    const result = await unlessInProgress(store, webhookId, [...keys, ...(eventKeys ?? [])], () =>
      transact<T>({
        webhookId,
        keys,
        ttlSeconds: NONCE_TTL_SECONDS,
        eventKeys,
        async work(transaction, signal) {
          const webhook = accepted()
          // A replay is refused first. Otherwise, another split of a captured body, which is no JSON, would get 500 at will.
          if (event?.failure) throw event.failure.error
          return work(webhook, transaction, signal)
        },
      }),
    )
    if (result.outcome === 'done') return result.value
    if (result.outcome === 'replayed') throw new WebhookRejectedError(signed.replayed(), webhookId, received)
    if (result.outcome === 'in_progress') {
      // The sender must retry, because the first copy may fail.
      throw new HttpError('ERR_WEBHOOK_IN_PROGRESS', 'A copy of the request, or the same event, is being handled')
    }
    details.outcome = 'repeated'
    // Without `eventId`, nothing is repeated, so the type has no `undefined`.
    return undefined as Handled<T, Id>
  })
}

/** Returns the function that reserves the keys of a request and runs the work, so that both succeed or neither. */
function transactOf<Transaction>(
  store: NonceStore | TransactionStore<Transaction>,
  hasEvents: boolean,
  note: NoteIncident,
): <T>(request: TransactionRequest<Transaction, T>) => Promise<TransactionOutcome<T>> {
  if (isTransactionStore<Transaction>(store)) return (request) => store.transact(request)
  assertNonceStore(store)
  assertRelease(store)
  if (!hasEvents) return (request) => reserveAndRun(store, request, note)
  if (!hasMethod(store, 'claim')) {
    throw invalidType(
      'source.eventId needs a nonce store with claim(), or a transaction store. Pass a store of this package, or add claim().',
    )
  }
  const eventTtlSeconds = readEventTtl(store)
  return (request) => claimAndRun(store, request, eventTtlSeconds, note)
}

function isTransactionStore<Transaction>(store: object): store is TransactionStore<Transaction> {
  return hasMethod(store, 'transact')
}

function readEventId<Webhook>(source: EventSource<Webhook>): EventSource<Webhook>['eventId'] {
  if (!('eventId' in Object(source))) return undefined
  const { eventId } = source
  if (typeof eventId === 'function') return eventId
  throw invalidType(`source.eventId is ${kindOf(eventId)}. Pass a function that returns the ID of the event.`)
}

/** Returns the key of the event, or no key and the failure of `findId`. */
function findEvent<Webhook>(
  findId: (webhook: Webhook) => unknown,
  webhook: Webhook,
): { keys: string[]; failure?: { error: unknown } } {
  try {
    return { keys: [eventKeyOf(findId(webhook))] }
  } catch (error) {
    return { keys: [], failure: { error } }
  }
}
