import {
  type Accepted,
  type Clock,
  handle,
  type NonceStore,
  type Rejected,
  verify,
  type WebhookRequest,
  type WebhookSource,
} from '../../src/index.js'
import * as standard from '../../src/standard-webhooks/index.js'
import { nonces } from './arbitraries.js'
import { fc } from './fast-check.js'
import { type Parts, SECRET, signedRequest } from './request.js'
import { signedMessage } from './standard-webhooks.js'

// Both schemes behind one interface, for the tests that run for both. A secret is text, whose bytes are the key.

type Secrets = string | readonly string[]

export interface TestScheme {
  readonly name: string
  readonly nonces: fc.Arbitrary<string>
  /** Whether one message can be split in several ways. */
  readonly isSplittable: boolean
  verify(
    request: WebhookRequest,
    secret: Secrets,
    store: NonceStore,
    clock?: Clock,
  ): Promise<Rejected | ({ ok: true } & Pick<Accepted, 'webhookId' | 'timestamp' | 'secretIndex'>)>
  handle<T>(source: WebhookSource, secret: Secrets, store: NonceStore, work: () => T, clock?: Clock): Promise<T>
  /** Returns a valid request. It is signed without the library. */
  request(parts?: Partial<Parts & { signature: string }>): WebhookRequest & { headers: Record<string, string> }
  /** Returns the signed message, by the specification. */
  message(parts: Pick<Parts, 'timestamp' | 'nonce'> & { body: Uint8Array }): Buffer
}

export const OWN: TestScheme = {
  name: 'X-Signature',
  nonces,
  isSplittable: true,
  verify,
  handle: (source, secret, store, work, clock) => handle(source, secret, store, work, clock),
  request: signedRequest,
  message: ({ timestamp, nonce, body }) => Buffer.concat([Buffer.from(`${timestamp}:${nonce}:`, 'latin1'), body]),
}

const keysOf = (secret: Secrets) =>
  typeof secret === 'string' ? Buffer.from(secret) : secret.map((one) => Buffer.from(one))

export const STANDARD: TestScheme = {
  name: 'Standard Webhooks',
  nonces: fc.oneof(nonces, fc.constant('x'.repeat(256))).map((nonce) => nonce.replaceAll('.', '-')),
  isSplittable: false,
  verify: (request, secret, store, clock) => standard.verify(request, keysOf(secret), store, clock),
  handle: (source, secret, store, work, clock) => standard.handle(source, keysOf(secret), store, work, clock),
  request: ({ secret = SECRET, ...parts } = {}) => signedMessage({ ...parts, secret: Buffer.from(secret) }),
  message: ({ timestamp, nonce, body }) => Buffer.concat([Buffer.from(`${nonce}.${timestamp}.`, 'latin1'), body]),
}

export const SCHEMES = [OWN, STANDARD].map((scheme) => [scheme.name, scheme] as const)
