import { type Accepted, commonMessages } from '../result.js'
import { isEqual } from '../rules/hmac.js'
import { NONCE_TTL_SECONDS } from '../rules/nonce.js'
import type { Scheme } from '../scheme.js'
import { generateSecret } from './generate-secret.js'
import { attemptKey, describeMessageId, describeSignatures, signMessage } from './message.js'
import { isMessageId, MAX_ID_LENGTH } from './message-id.js'
import { adviseOnKeys, readKeys, type StandardKey, type StandardSecret } from './secret.js'
import { listSignatures } from './signature-list.js'

/** A request that met every rule. */
export type AcceptedMessage = Omit<Accepted, 'nonce'> & {
  /** The value of `webhook-id`. A retry has the same `messageId`, so use `messageId` to do the work of a message only once. */
  messageId: string
}

let dummySecret: string | undefined

/** The scheme of Standard Webhooks. `svix-id`, `svix-timestamp` and `svix-signature` are older names of the same headers. */
export const STANDARD_WEBHOOKS: Scheme<StandardSecret, StandardKey, AcceptedMessage> = {
  headers: [
    { timestamp: 'webhook-timestamp', nonce: 'webhook-id', signature: 'webhook-signature' },
    { timestamp: 'svix-timestamp', nonce: 'svix-id', signature: 'svix-signature' },
  ],
  messages: (names) => ({
    ...commonMessages(names),
    invalid_nonce: [
      `${names.nonce} is not 1 to ${MAX_ID_LENGTH} visible ASCII characters without a full stop`,
      'Send msg_ followed by random letters.',
    ],
    signature_mismatch: [`${names.signature} does not match`, 'Compare the secrets and the body bytes.'],
    replayed_nonce: [
      `${names.nonce} and ${names.timestamp} were used together in the last ${NONCE_TTL_SECONDS} s`,
      'Sign each attempt with the current time.',
    ],
  }),
  readSecrets: readKeys,
  dummyKeys(keys) {
    dummySecret ??= generateSecret()
    // The dummy is decoded for each request, as the secret of a webhook is.
    return keys.length > 0 ? [] : readKeys(dummySecret)
  },
  isNonce: isMessageId,
  describeNonce: describeMessageId,
  isSignature: (value) => listSignatures(value).length > 0,
  describeSignature: describeSignatures,
  isSignatureOf(message, value, { bytes }) {
    const expected = signMessage(message, bytes)
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
