import type { Clock } from '../clock.js'
import { type FindWebhook, type ReceivedWebhook, receiveRequest, type WebhookSource } from '../receive.js'
import type { NonceStore } from '../stores/nonce-store.js'
import { type AcceptedMessage, STANDARD_WEBHOOKS } from './scheme.js'
import type { StandardSecret } from './secret.js'

/** A request that met every rule, with its body. */
export type ReceivedMessage = AcceptedMessage & Pick<ReceivedWebhook, 'body' | 'release'>

/**
 * Reads a webhook request, and checks that the request is authentic by the rules of
 * [Standard Webhooks](https://www.standardwebhooks.com), recent and not a replay. Resolves to the accepted request with its body.
 *
 * Apart from the signing scheme, this function works like `receive` of the main entry, with the same options, limits and errors. If this
 * function throws, pass the error to `refuse` or `refusal` of the main entry.
 *
 * @param source - the webhook's ID, the request of your framework and, optionally, `maxBytes` and `bodyTimeout`.
 * @param secret - the webhook's signing secret, a list of secrets while you rotate it, or a function that finds the webhook.
 * @param nonceStore - the store for attempts. All processes that serve a webhook must share one store.
 * @param clock - server time, by default `Date`.
 * @throws the errors of `receive` in the main entry.
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
export function receive(
  source: WebhookSource,
  secret: StandardSecret | FindWebhook<StandardSecret>,
  nonceStore: NonceStore,
  clock: Clock = Date,
): Promise<ReceivedMessage> {
  return receiveRequest(STANDARD_WEBHOOKS, source, secret, nonceStore, clock)
}
