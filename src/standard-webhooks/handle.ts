import type { Clock } from '../clock.js'
import { type EventSource, type Handled, handleRequest, type Work } from '../handle.js'
import type { FindWebhook, SourceOf } from '../receive.js'
import type { NonceStore } from '../stores/nonce-store.js'
import type { TransactionStore } from '../transactions/transaction-store.js'
import type { ReceivedMessage } from './receive.js'
import { STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/**
 * Receives a webhook as {@link receive} does and runs your code once per attempt. The parameters and the errors are those of `handle` in the
 * main entry. With `eventId: ({ messageId }) => messageId`, your code runs once per message.
 *
 * @throws the errors of `handle` in the main entry, and of {@link receive}.
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
export function handle<
  S extends StandardSecret | FindWebhook<StandardSecret>,
  T,
  Transaction = undefined,
  Id extends string | number = never,
>(
  source: SourceOf<S> & EventSource<Omit<ReceivedMessage, 'release'>, Id>,
  secret: S,
  nonceStore: NonceStore | TransactionStore<Transaction>,
  work: Work<Omit<ReceivedMessage, 'release'>, NoInfer<Transaction>, T>,
  clock: Clock = Date,
): Promise<Handled<T, Id>> {
  return handleRequest(STANDARD_WEBHOOKS, source, secret, nonceStore, work, clock)
}
