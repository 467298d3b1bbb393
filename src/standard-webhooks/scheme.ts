import { type Accepted, commonMessages } from '../result.js'
import { NONCE_TTL_SECONDS } from '../rules/nonce.js'
import type { Scheme } from '../scheme.js'
import { generateKeyPair } from './generate-key-pair.js'
import { generateSecret } from './generate-secret.js'
import { attemptKey, describeMessageId, describeSignatures, signatureMatcher } from './message.js'
import { isMessageId, MAX_ID_LENGTH } from './message-id.js'
import { adviseOnKeys, readKeys, type StandardKey, type StandardSecret } from './secret.js'
import { listSignatures, type SignatureVersion } from './signature-list.js'

/** A request that met every rule. */
export type AcceptedMessage = Omit<Accepted, 'nonce'> & {
  /** The value of `webhook-id`. A retry has the same `messageId`, so use `messageId` to do the work of a message only once. */
  messageId: string
}

const VERSIONS: readonly SignatureVersion[] = ['v1', 'v1a']

const dummies = new Map<SignatureVersion, string>()

/** Returns the dummy of this process, which is decoded for each request, as the secret of a webhook is. */
function dummyKey(version: SignatureVersion): readonly StandardKey[] {
  try {
    const dummy = dummies.get(version) ?? (version === 'v1' ? generateSecret() : generateKeyPair().publicKey)
    dummies.set(version, dummy)
    return readKeys(dummy)
  } catch {
    // Without Ed25519, as in FIPS mode, no webhook has a public key. A stranger's signature must not become an error.
    return []
  }
}

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
  dummyKeys(keys, value) {
    const isMissing = (version: SignatureVersion) =>
      listSignatures(value, version).length > 0 && !keys.some((key) => key.version === version)
    return VERSIONS.filter(isMissing).flatMap(dummyKey)
  },
  isNonce: isMessageId,
  describeNonce: describeMessageId,
  isSignature: (value) => VERSIONS.some((version) => listSignatures(value, version).length > 0),
  describeSignature: describeSignatures,
  matcher: signatureMatcher,
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
