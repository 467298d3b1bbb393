import { type Accepted, timestampMessages } from '../result.js'
import { isEqual } from '../rules/hmac.js'
import { NONCE_TTL_SECONDS } from '../rules/nonce.js'
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
import { adviseOnKeys, readKeys, type StandardSecret } from './secret.js'

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
  messages: (names) => ({
    ...timestampMessages(names),
    invalid_nonce: [
      `${names.nonce} is not 1 to ${MAX_ID_LENGTH} visible ASCII characters without a full stop`,
      'Send an ID such as msg_ and random letters.',
    ],
    signature_mismatch: [
      `${names.signature} does not match`,
      'Compare secrets and bytes. Is the key text? Pass Buffer.from(secret).',
    ],
    replayed_nonce: [
      `This attempt, ${names.nonce} and ${names.timestamp} together, was used in the last ${NONCE_TTL_SECONDS} s`,
      'Sign each attempt with the current time.',
    ],
  }),
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
  adviseOnSecrets: adviseOnKeys,
  accept: ({ ok, webhookId, timestamp, secretIndex }, messageId) => ({
    ok,
    webhookId,
    messageId,
    timestamp,
    secretIndex,
  }),
}
