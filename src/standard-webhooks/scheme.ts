import { type Accepted, MESSAGES } from '../result.js'
import { isEqual } from '../rules/hmac.js'
import type { Scheme } from '../scheme.js'
import {
  attemptKey,
  describeMessageId,
  describeSignatures,
  isMessageId,
  listSignatures,
  MAX_ID_LENGTH,
  signMessage,
} from './message.js'
import { readKeys, type StandardSecret } from './secret.js'

/** A request that met every rule. */
export type AcceptedMessage = Omit<Accepted, 'nonce'> & {
  /** The value of `webhook-id`. It stays the same when the sender tries again, so use it to do the work of a message once. */
  messageId: string
}

/** The scheme of Standard Webhooks. `svix-id`, `svix-timestamp` and `svix-signature` are older names of the same headers. */
export const STANDARD_WEBHOOKS: Scheme<StandardSecret, Uint8Array, AcceptedMessage> = {
  headers: [
    { timestamp: 'webhook-timestamp', nonce: 'webhook-id', signature: 'webhook-signature' },
    { timestamp: 'svix-timestamp', nonce: 'svix-id', signature: 'svix-signature' },
  ],
  messages: {
    invalid_timestamp: ['webhook-timestamp is not Unix time in seconds', MESSAGES.invalid_timestamp[1]],
    timestamp_outside_window: [
      MESSAGES.timestamp_outside_window[0].replace('X-Timestamp', 'webhook-timestamp'),
      MESSAGES.timestamp_outside_window[1],
    ],
    invalid_nonce: [
      `webhook-id is not 1 to ${MAX_ID_LENGTH} visible ASCII characters without a full stop`,
      'Send an ID such as msg_ and random letters.',
    ],
    signature_mismatch: [
      'webhook-signature has no v1 signature of id.timestamp.body',
      'Compare the secrets and the bytes. If the sender uses the text of the secret as the key, pass Buffer.from(secret).',
    ],
    replayed_nonce: [
      'This attempt, webhook-id and webhook-timestamp together, was used in the last 600 s',
      'Sign each attempt with the current time.',
    ],
  },
  readSecrets: readKeys,
  isNonce: isMessageId,
  describeNonce: describeMessageId,
  isSignature: (value) => listSignatures(value).length > 0,
  describeSignature: describeSignatures,
  isSignatureOf(message, value, key) {
    const expected = signMessage(message, key)
    return listSignatures(value).some((signature) => isEqual(signature, expected))
  },
  reservationKeys: (message) => [attemptKey(message)],
  adviseOnSecrets: () => undefined,
  accept: (common, messageId) => ({ ...common, messageId }),
}
