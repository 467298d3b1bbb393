import type { Clock } from '../clock.js'
import { handleRequest, type TransactionSource, type Work } from '../handle.js'
import type { FindWebhook, WebhookSource } from '../receive.js'
import type { NonceStore } from '../stores/nonce-store.js'
import type { TransactionStore } from '../transactions/transaction-store.js'
import type { ReceivedMessage } from './receive.js'
import { STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/**
 * Receives a webhook as {@link receive} does, and runs your code once per attempt. The parameters and the errors are those of `handle` in the
 * main entry. With a transaction store and `eventId: ({ messageId }) => messageId`, your code runs once per message.
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
  nonceStore: TransactionStore<Transaction>,
  work: Work<Omit<ReceivedMessage, 'release'>, NoInfer<Transaction>, T>,
  clock?: Clock,
): Promise<T>
/** Receives a webhook and runs your code, with a nonce store in place of a transaction store. */
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
  work: Work<Omit<ReceivedMessage, 'release'>, Transaction, T>,
  clock: Clock = Date,
): Promise<T> {
  return handleRequest(STANDARD_WEBHOOKS, source, secret, store, work, clock)
}
