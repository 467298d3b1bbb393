import type { Clock } from '../clock.js'
import { handleRequest, type TransactionSource } from '../handle.js'
import type { FindWebhook, WebhookSource } from '../receive.js'
import type { NonceStore } from '../stores/nonce-store.js'
import type { TransactionStore, WorkSignal } from '../transactions/transaction-store.js'
import type { ReceivedMessage } from './receive.js'
import { STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/**
 * Receives a webhook by the rules of [Standard Webhooks](https://www.standardwebhooks.com), and runs your code. Resolves to what your code
 * returns.
 *
 * Apart from the signing scheme, this function works like `handle` of the main entry. Your code runs once per attempt. With a transaction
 * store and `eventId: ({ messageId }) => messageId`, your code runs once per message.
 *
 * @param source - the webhook's ID, the request of your framework and, optionally, `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret, a list of secrets while you rotate it, or a function that finds the webhook.
 * @param nonceStore - the store for attempts, with the method `release`. All processes that serve a webhook must share one store.
 * @param work - your code, which gets the webhook and, with a transaction store, the transaction and an `AbortSignal`. Run every statement in
 * this transaction. The signal aborts if your code takes longer than `workTimeout`.
 * @param clock - server time, by default `Date`.
 * @throws the errors of `handle` in the main entry.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 * import { generateSecret, handle, sign } from 'inbound-webhook-auth/standard-webhooks'
 *
 * const secret = generateSecret()
 * const text = '{"type":"invoice.paid"}'
 * const request = new Request('https://example.com/hooks', { method: 'POST', headers: sign(text, secret), body: text })
 *
 * const type = await handle({ webhookId: '42', request }, secret, new MemoryNonceStore(), async ({ body }) => {
 *   return JSON.parse(body.toString()).type
 * })
 *
 * console.log(type) // invoice.paid
 * ```
 */
export function handle<T, Transaction>(
  source: TransactionSource<Omit<ReceivedMessage, 'release'>>,
  secret: StandardSecret | FindWebhook<StandardSecret>,
  transactionStore: TransactionStore<Transaction>,
  work: (
    webhook: Omit<ReceivedMessage, 'release'>,
    transaction: NoInfer<Transaction>,
    signal: WorkSignal,
  ) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T>(
  source: WebhookSource,
  secret: StandardSecret | FindWebhook<StandardSecret>,
  nonceStore: NonceStore,
  work: (webhook: Omit<ReceivedMessage, 'release'>) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T, Transaction>(
  source: WebhookSource,
  secret: StandardSecret | FindWebhook<StandardSecret>,
  store: NonceStore | TransactionStore<Transaction>,
  work: (webhook: Omit<ReceivedMessage, 'release'>, transaction: Transaction, signal: WorkSignal) => T | Promise<T>,
  clock: Clock = Date,
): Promise<T> {
  return handleRequest(STANDARD_WEBHOOKS, source, secret, store, work, clock)
}
