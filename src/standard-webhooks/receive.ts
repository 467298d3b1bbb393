import type { Clock } from '../clock.js'
import { type FindWebhook, type ReceivedWebhook, receiveRequest, type SourceOf } from '../receive.js'
import type { NonceStore } from '../stores/nonce-store.js'
import { type AcceptedMessage, STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/** A request that met every rule, with its body. */
export type ReceivedMessage = AcceptedMessage & Pick<ReceivedWebhook, 'body' | 'release'>

/**
 * Reads and checks a webhook request by the rules of [Standard Webhooks](https://www.standardwebhooks.com), which {@link verify} lists. The
 * parameters, the limits and the errors are those of `receive` in the main entry.
 *
 * @throws the errors of `receive` in the main entry, and of {@link verify}.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 * import { generateSecret, receive, sign } from 'inbound-webhook-auth/standard-webhooks'
 *
 * const secret = generateSecret()
 * const text = '{"type":"invoice.paid"}'
 * const request = new Request('https://example.com/hooks', { method: 'POST', headers: sign(text, secret), body: text })
 *
 * const { body } = await receive({ webhookId: '42', request }, secret, new MemoryNonceStore())
 *
 * console.log(body.toString()) // {"type":"invoice.paid"}
 * ```
 */
export function receive<S extends StandardSecret | FindWebhook<StandardSecret>>(
  source: SourceOf<S>,
  secret: S,
  nonceStore: NonceStore,
  clock: Clock = Date,
): Promise<ReceivedMessage> {
  return receiveRequest(STANDARD_WEBHOOKS, source, secret, nonceStore, clock)
}
