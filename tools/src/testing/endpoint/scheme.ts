import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { HeaderNames } from '../../../../src/rules/formats.js'
import { type SignedMessage, signMessage } from '../../../../src/rules/signature.js'
import { signMessage as signStandardMessage } from '../../../../src/standard-webhooks/message.js'
import { readKeys, type StandardKey } from '../../../../src/standard-webhooks/secret.js'

/** The name of a signing scheme: the scheme with the header `X-Signature`, or Standard Webhooks. */
export type SchemeName = 'x-signature' | 'standard-webhooks'

/** What the cases need to know about a signing scheme. */
export interface ContractScheme {
  readonly name: SchemeName
  readonly headers: HeaderNames
  /** The word for the value of the nonce header in texts. */
  readonly nonce: 'nonce' | 'ID'
  /** The characters that a nonce may have, as a regular expression in texts. */
  readonly nonceForm: string
  /** The separator between the parts of the signed message, and its name. */
  readonly separator: readonly [character: string, name: string]
  /** The signed message in words. */
  readonly message: string
  /** The form of the signature in words. */
  readonly form: string
  /** What an endpoint stores, so that a request is accepted once. */
  readonly reserved: string
  /** What an endpoint does with the secret to get the key. */
  readonly useOfSecret: string
  newNonce(): string
  keyOf(secret: string | Uint8Array): Uint8Array
  /** Returns the value of the signature header. */
  sign(message: SignedMessage, key: Uint8Array): string
  /** Writes a digest in the form of the signature header. */
  write(digest: Uint8Array): string
}

const OWN: ContractScheme = {
  name: 'x-signature',
  headers: { timestamp: 'X-Timestamp', nonce: 'X-Nonce', signature: 'X-Signature' },
  nonce: 'nonce',
  nonceForm: '1 to 128 characters from 0x21 to 0x7E, such as /^[!-~]{1,128}$/',
  separator: [':', 'colon'],
  message: 'the timestamp, a colon, the nonce, a colon and the raw body',
  form: 'lowercase hex',
  reserved: 'the nonce',
  useOfSecret:
    'Use the UTF-8 bytes of the secret as the key. Do not decode the secret, and remove a newline at the end.',
  newNonce: () => randomUUID(),
  keyOf: (secret) => Buffer.from(secret),
  sign: signMessage,
  write: (digest) => Buffer.from(digest).toString('hex'),
}

const STANDARD: ContractScheme = {
  name: 'standard-webhooks',
  headers: { timestamp: 'webhook-timestamp', nonce: 'webhook-id', signature: 'webhook-signature' },
  nonce: 'ID',
  nonceForm: 'visible characters without a full stop, such as /^[!-\\-/-~]{1,256}$/',
  separator: ['.', 'full stop'],
  message: 'the ID, a full stop, the timestamp, a full stop and the raw body',
  form: 'base64 after v1,',
  reserved: 'ID and timestamp together',
  useOfSecret:
    'Remove whsec_ and a newline at the end from the secret, decode the rest from base64, and use the bytes as the key.',
  newNonce: () => `msg_${randomUUID().replaceAll('-', '')}`,
  keyOf: (secret) => (readKeys(secret)[0] as StandardKey).bytes,
  sign: (message, key) => `v1,${signStandardMessage(message, key)}`,
  write: (digest) => `v1,${Buffer.from(digest).toString('base64')}`,
}

export const SCHEMES: { readonly [name in SchemeName]: ContractScheme } = {
  'x-signature': OWN,
  'standard-webhooks': STANDARD,
}
