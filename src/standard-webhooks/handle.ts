import type { Clock } from '../clock.js'
import { handleRequest } from '../handle.js'
import type { WebhookSource } from '../receive.js'
import type { NonceStore } from '../stores/nonce-store.js'
import type { TransactionStore } from '../stores/transaction-store.js'
import type { ReceivedMessage } from './receive.js'
import { STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/**
 * Receives a webhook by the rules of [Standard Webhooks](https://www.standardwebhooks.com), and runs your code. Resolves to what your code
 * returns.
 *
 * Everything but the scheme is as in `handle` of the main entry. Your code runs once per attempt: to do the work of a message once, store
 * its `messageId` in a unique column in the same transaction.
 *
 * @param source - the webhook's ID, and the request of your framework. Optional: `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret, or a list of secrets while you rotate it.
 * @param nonceStore - remembers the attempts. All processes that serve a webhook share one store, which needs `release`.
 * @param work - your code. It gets the webhook and, with a transaction store, the transaction: use it for every statement.
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
export function handle<T>(
  source: WebhookSource,
  secret: StandardSecret,
  nonceStore: NonceStore,
  work: (webhook: Omit<ReceivedMessage, 'release'>) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T, Transaction>(
  source: WebhookSource,
  secret: StandardSecret,
  nonceStore: TransactionStore<Transaction>,
  work: (webhook: Omit<ReceivedMessage, 'release'>, transaction: Transaction) => T | Promise<T>,
  clock?: Clock,
): Promise<T>
export function handle<T, Transaction>(
  source: WebhookSource,
  secret: StandardSecret,
  nonceStore: NonceStore | TransactionStore<Transaction>,
  work: (webhook: Omit<ReceivedMessage, 'release'>, transaction: Transaction) => T | Promise<T>,
  clock: Clock = Date,
): Promise<T> {
  return handleRequest(STANDARD_WEBHOOKS, source, secret, nonceStore, work, clock)
}
