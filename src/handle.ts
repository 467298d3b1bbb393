import { randomUUID } from 'node:crypto'
import { hasMethod, invalidType, kindOf } from './arguments.js'
import { reserve, type SignedRequest } from './checks.js'
import type { Clock } from './clock.js'
import { describeError, oneLine } from './describe-error.js'
import { NonceStoreError, WebhookInProgressError, WebhookRejectedError } from './errors.js'
import { publishResult } from './publish-result.js'
import { type Accepting, acceptedOrThrow, type ReceivedWebhook, readSigned, type WebhookSource } from './receive.js'
import type { Secret } from './request.js'
import { NONCE_TTL_SECONDS } from './rules/nonce.js'
import { OWN_SCHEME, type Scheme } from './scheme.js'
import { assertNonceStore, assertRelease, type NonceStore, releaseKeys } from './stores/nonce-store.js'
import type { TransactionStore } from './stores/transaction-store.js'

/**
 * Receives a webhook as {@link receive} does, and runs your code. Resolves to what your code returns.
 *
 * If your code throws, the reservation is released, so that the same request is accepted again, and the error of your code goes on. Answer
 * it with {@link refuse} or {@link refusal}. If your process dies, or the release fails, the nonce stays used.
 *
 * With a `PostgresTransactionStore` or a `MySqlTransactionStore`, your code runs in the transaction of the reservation. Both are committed,
 * or neither, even if the process dies.
 *
 * A copy of a request that this process is working on is refused with `ERR_WEBHOOK_IN_PROGRESS`: whether it is needed, is not known yet.
 *
 * @param source - the webhook's ID, and the request of your framework. Optional: `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret as text. While you rotate the secret, pass a list of secrets.
 * @param nonceStore - remembers the nonces. All processes that serve a webhook share one store, which needs `release`.
 * @param work - your code. It gets the webhook and, with a transaction store, the transaction: use it for every statement.
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
export function handle<T>(
  source: WebhookSource,
  secret: Secret,
  nonceStore: NonceStore,
  work: (webhook: Omit<ReceivedWebhook, 'release'>) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T, Transaction>(
  source: WebhookSource,
  secret: Secret,
  nonceStore: TransactionStore<Transaction>,
  work: (webhook: Omit<ReceivedWebhook, 'release'>, transaction: Transaction) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T, Transaction>(
  source: WebhookSource,
  secret: Secret,
  nonceStore: NonceStore | TransactionStore<Transaction>,
  work: (webhook: Omit<ReceivedWebhook, 'release'>, transaction: Transaction) => T | Promise<T>,
  clock: Clock = Date,
): Promise<T> {
  return handleRequest(OWN_SCHEME, source, secret, nonceStore, work, clock)
}

/** Does what `handle` does, for any scheme. */
export async function handleRequest<Secrets, Key, Result extends Accepting, Transaction, T>(
  scheme: Scheme<Secrets, Key, Result>,
  source: WebhookSource,
  secret: Secrets,
  store: NonceStore | TransactionStore<Transaction>,
  work: (webhook: Result & Pick<ReceivedWebhook, 'body'>, transaction: Transaction) => T | Promise<T>,
  clock: Clock,
): Promise<T> {
  if (typeof work !== 'function') {
    throw invalidType(`work is ${kindOf(work)}. Pass the function that does the work of a webhook.`)
  }
  if (!isTransactionStore(store)) {
    assertNonceStore(store)
    assertRelease(store)
  }
  return publishResult(async (details) => {
    const { signed, body } = await readSigned(scheme, source, secret, clock, details)
    const run = async (result: Result, transaction: Transaction) => work({ ...result, body }, transaction)
    return whileInProgress(store, signed, () =>
      isTransactionStore(store)
        ? runInTransaction(store, signed, run)
        : runWithRelease(store, signed, (result) => run(result, undefined as Transaction)),
    )
  })
}

function isTransactionStore<Transaction>(
  store: NonceStore | TransactionStore<Transaction>,
): store is TransactionStore<Transaction> {
  return hasMethod(store, 'transact')
}

/** The keys of the messages that this process is working on, by store. */
const inProgress = new WeakMap<object, Set<string>>()

/** Runs `run`, or throws if this process is working on a copy of the request, or on another split of its message. */
async function whileInProgress<T>(store: object, signed: SignedRequest<unknown>, run: () => Promise<T>): Promise<T> {
  const running = inProgress.get(store) ?? new Set()
  inProgress.set(store, running)
  const keys = signed.keys.map((key) => JSON.stringify([signed.webhookId, key]))
  if (keys.some((key) => running.has(key))) throw new WebhookInProgressError()
  for (const key of keys) running.add(key)
  try {
    return await run()
  } finally {
    for (const key of keys) running.delete(key)
  }
}

/** Reserves the keys, runs `run`, and releases the keys if `run` rejects. */
async function runWithRelease<Result extends Accepting, T>(
  nonceStore: NonceStore,
  signed: SignedRequest<Result>,
  run: (result: Result) => Promise<T>,
): Promise<T> {
  const owner = randomUUID()
  const result = acceptedOrThrow(await reserve(signed, nonceStore, owner), signed.webhookId)
  try {
    return await run(result)
  } catch (error) {
    await releaseKeys(nonceStore, signed.webhookId, signed.keys, owner).catch((failure: unknown) => {
      const webhook = oneLine(signed.webhookId)
      console.error(`Webhook ${webhook}: the nonce stays used, because its release failed: ${describeError(failure)}`)
    })
    throw error
  }
}

/** Runs `run` in the transaction that reserves the keys. */
async function runInTransaction<Result extends Accepting, Transaction, T>(
  store: TransactionStore<Transaction>,
  signed: SignedRequest<Result>,
  run: (result: Result, transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { webhookId, keys } = signed
  // The store and the client between them may lose both, so they are kept here.
  let returned: { value: T } | undefined
  let thrown: { error: unknown } | undefined
  const runOnce = async (transaction: Transaction) => {
    try {
      returned = { value: await run(acceptedOrThrow(signed.conclude(), webhookId), transaction) }
    } catch (error) {
      thrown = { error }
      throw error
    }
  }
  const outcome = await store.transact(webhookId, keys, NONCE_TTL_SECONDS, runOnce).catch((cause: unknown) => {
    if (thrown === undefined) throw new NonceStoreError('The nonce store failed. See the cause.', { cause })
  })
  if (thrown !== undefined) throw thrown.error
  if (outcome === 'replayed') throw new WebhookRejectedError(signed.replayed, webhookId)
  if (outcome === 'in_progress') throw new WebhookInProgressError()
  if (outcome === 'done' && returned !== undefined) return returned.value
  throw new NonceStoreError(`The transaction store returned ${kindOf(outcome)}. Return done, replayed or in_progress.`)
}
