import { createHmac } from 'node:crypto'
import type { WebhookRequest } from '../../src/index.js'
import { type Parts, TIMESTAMP } from './request.js'

/** The secret and the message of the examples in the specification. */
export const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
export const MESSAGE_ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek'

/** The keys of Svix, with which the `v1a` signature in the specification was made, and this signature. */
export const PUBLIC_KEY = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4='
export const PRIVATE_KEY =
  'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg=='
export const ED25519_SIGNATURE =
  'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=='

/** The parts of a message. `nonce` is `webhook-id`. */
export type MessageParts = Omit<Parts, 'secret'> & { secret: string | Uint8Array }

/**
 * Returns a valid request of Standard Webhooks, with the given parts instead of its own. It is signed here, without the library.
 *
 * @param prefix - the start of the names of headers.
 */
export function signedMessage(parts: Partial<MessageParts & { signature: string }> = {}, prefix = 'webhook') {
  const { webhookId = '42', timestamp = TIMESTAMP, nonce = MESSAGE_ID, body = 'a body' } = parts
  const { secret = STANDARD_SECRET, signature = standardSignatureOf({ timestamp, nonce, body, secret }) } = parts
  return {
    webhookId,
    headers: { [`${prefix}-id`]: nonce, [`${prefix}-timestamp`]: timestamp, [`${prefix}-signature`]: signature },
    body,
  } satisfies WebhookRequest
}

/** Returns `v1,` and the signature. The bytes of a secret are the key, and a text is decoded. */
export function standardSignatureOf({ timestamp, nonce, body, secret }: Omit<MessageParts, 'webhookId'>): string {
  const key = typeof secret === 'string' ? Buffer.from(secret.replace('whsec_', ''), 'base64') : secret
  const message = Buffer.concat([Buffer.from(`${nonce}.${timestamp}.`), Buffer.from(body)])
  return `v1,${createHmac('sha256', key).update(message).digest('base64')}`
}
