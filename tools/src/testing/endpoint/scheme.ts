import { Buffer } from 'node:buffer'
import { createHmac, randomUUID } from 'node:crypto'
import type { HeaderNames } from '../../../../src/rules/formats.js'
import { type SignedMessage, signMessage } from '../../../../src/rules/signature.js'
import { signEd25519 } from '../../../../src/standard-webhooks/ed25519.js'
import { signedBytes, signMessage as signStandardMessage } from '../../../../src/standard-webhooks/message.js'
import { readKeys, type StandardKey } from '../../../../src/standard-webhooks/secret.js'
import { parseSecret } from '../../../../src/standard-webhooks/secret-text.js'

/** The name of a signing scheme: the scheme with the header `X-Signature`, or Standard Webhooks. */
export type SchemeName = 'x-signature' | 'standard-webhooks'

/** The name of a table of cases. Standard Webhooks has two, because Ed25519 needs other advice. */
export type ContractName = SchemeName | 'ed25519'

/** What the cases need to know about a signing scheme. */
export interface ContractScheme {
  readonly name: ContractName
  readonly headers: HeaderNames
  /** The word for the value of the nonce header in texts. */
  readonly nonce: 'nonce' | 'ID'
  /** The characters that a nonce may have, as a regular expression in texts. */
  readonly nonceForm: string
  /** The signed message in words. */
  readonly message: string
  readonly algorithm: 'HMAC-SHA256' | 'Ed25519'
  /** What is before the signature, its length, and its form in words. */
  readonly version: '' | 'v1' | 'v1a'
  readonly length: number
  readonly form: string
  /** What an endpoint stores, so that a request is accepted once. */
  readonly reserved: string
  /** What an endpoint does with the secret to get the key. */
  readonly useOfSecret: string
  newNonce(): string
  keyOf(secret: string | Uint8Array): Uint8Array
  /** Returns the value of the signature header. */
  sign(message: SignedMessage, key: Uint8Array): string
  /** Returns the value of the signature header over bytes that are not the message of the scheme. */
  signBytes(bytes: Uint8Array, key: Uint8Array): string
}

const hmac = (bytes: Uint8Array, key: Uint8Array) => createHmac('sha256', key).update(bytes)

const OWN: ContractScheme = {
  name: 'x-signature',
  headers: { timestamp: 'X-Timestamp', nonce: 'X-Nonce', signature: 'X-Signature' },
  nonce: 'nonce',
  nonceForm: '1 to 128 characters from 0x21 to 0x7E, such as /^[!-~]{1,128}$/',
  message: 'the timestamp, a colon, the nonce, a colon and the raw body',
  algorithm: 'HMAC-SHA256',
  version: '',
  length: 64,
  form: 'lowercase hex',
  reserved: 'the nonce',
  useOfSecret:
    'Use the UTF-8 bytes of the secret as the key. Remove a newline at the end, and do not decode the secret.',
  newNonce: () => randomUUID(),
  keyOf: (secret) => Buffer.from(secret),
  sign: signMessage,
  signBytes: (bytes, key) => hmac(bytes, key).digest('hex'),
}

const STANDARD: ContractScheme = {
  name: 'standard-webhooks',
  headers: { timestamp: 'webhook-timestamp', nonce: 'webhook-id', signature: 'webhook-signature' },
  nonce: 'ID',
  nonceForm: 'visible characters without a full stop, such as /^[!-\\-/-~]{1,256}$/',
  message: 'the ID, a full stop, the timestamp, a full stop and the raw body',
  algorithm: 'HMAC-SHA256',
  version: 'v1',
  length: 44,
  form: 'base64 after v1,',
  reserved: 'ID and timestamp together',
  useOfSecret:
    'Remove whsec_ and a newline at the end from the secret, decode the rest from base64, and use the bytes as the key.',
  newNonce: () => `msg_${randomUUID().replaceAll('-', '')}`,
  keyOf: (secret) => (readKeys(secret)[0] as StandardKey).bytes,
  sign: (message, key) => `v1,${signStandardMessage(message, key)}`,
  signBytes: (bytes, key) => `v1,${hmac(bytes, key).digest('base64')}`,
}

/** Returns the seed of a private key. A case also signs with an empty secret. */
const seedOf = (key: Uint8Array) => Buffer.concat([key, Buffer.alloc(32)]).subarray(0, 32)

const ED25519: ContractScheme = {
  ...STANDARD,
  name: 'ed25519',
  algorithm: 'Ed25519',
  version: 'v1a',
  length: 88,
  form: 'base64 after v1a,',
  useOfSecret: 'Remove whpk_ from the public key, decode the rest from base64, and use the 32 bytes as the key.',
  keyOf: (secret) => (readKeys(secret, '', 'sign')[0] as StandardKey).bytes,
  sign: (message, key) => `v1a,${signEd25519(signedBytes(message), seedOf(key))}`,
  signBytes: (bytes, key) => `v1a,${signEd25519(bytes, seedOf(key))}`,
}

export const SCHEMES: { readonly [name in ContractName]: ContractScheme } = {
  'x-signature': OWN,
  'standard-webhooks': STANDARD,
  ed25519: ED25519,
}

/** Returns the table for a scheme and a secret. A key of Ed25519 has its own table, which refuses a public key. */
export function contractName(scheme: SchemeName, secret: string | Uint8Array): ContractName {
  const prefix = scheme === 'standard-webhooks' && typeof secret === 'string' ? parseSecret(secret).prefix : ''
  return prefix === 'whsk_' || prefix === 'whpk_' ? 'ed25519' : scheme
}

/** Returns how an endpoint checks the signature, in words. */
export function howToCheck({ algorithm, message, form }: ContractScheme): string {
  return algorithm === 'Ed25519'
    ? `Verify each entry that begins with v1a, over ${message}, with the public key. Return 401 if none is valid.`
    : `Compute the HMAC-SHA256 of ${message} with the secret, as ${form}. Compare the result with the header, and return 401 if the two differ.`
}
