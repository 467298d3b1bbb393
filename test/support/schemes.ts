import {
  type Accepted,
  type Body,
  type Clock,
  handle,
  type NonceStore,
  type Rejected,
  sign,
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
  /** The name of the header with the timestamp, the nonce and the signature. */
  readonly headers: { readonly timestamp: string; readonly nonce: string; readonly signature: string }
  /** The part of the signed message that is beside the body. */
  readonly besideBody: 'timestamp' | 'nonce'
  /** The separator between the parts of the signed message. */
  readonly separator: string
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
  sign(body: Body, secret: string, nonce: string | undefined, clock: Clock): Record<string, string>
  /** Returns a valid request. It is signed without the library. */
  request(parts?: Partial<Parts & { signature: string }>): WebhookRequest & { headers: Record<string, string> }
  /** Returns the signed message, by the specification. */
  message(parts: Pick<Parts, 'timestamp' | 'nonce'> & { body: Uint8Array }): Buffer
  /** Returns the part of a result that names the nonce. */
  accepted(nonce: string): object
}

export const OWN: TestScheme = {
  name: 'X-Signature',
  headers: { timestamp: 'x-timestamp', nonce: 'x-nonce', signature: 'x-signature' },
  besideBody: 'nonce',
  separator: ':',
  nonces,
  isSplittable: true,
  verify,
  handle: (source, secret, store, work, clock) => handle(source, secret, store, work, clock),
  sign: (body, secret, nonce, clock) => sign(body, secret, { nonce, clock }),
  request: signedRequest,
  message: ({ timestamp, nonce, body }) => Buffer.concat([Buffer.from(`${timestamp}:${nonce}:`, 'latin1'), body]),
  accepted: (nonce) => ({ nonce }),
}

const keysOf = (secret: Secrets) =>
  typeof secret === 'string' ? Buffer.from(secret) : secret.map((one) => Buffer.from(one))

export const STANDARD: TestScheme = {
  name: 'Standard Webhooks',
  headers: { timestamp: 'webhook-timestamp', nonce: 'webhook-id', signature: 'webhook-signature' },
  besideBody: 'timestamp',
  separator: '.',
  nonces: fc.oneof(nonces, fc.constant('x'.repeat(256))).map((nonce) => nonce.replaceAll('.', '-')),
  isSplittable: false,
  verify: (request, secret, store, clock) => standard.verify(request, keysOf(secret), store, clock),
  handle: (source, secret, store, work, clock) => standard.handle(source, keysOf(secret), store, work, clock),
  sign: (body, secret, messageId, clock) => standard.sign(body, Buffer.from(secret), { messageId, clock }),
  request: ({ secret = SECRET, ...parts } = {}) => signedMessage({ ...parts, secret: Buffer.from(secret) }),
  message: ({ timestamp, nonce, body }) => Buffer.concat([Buffer.from(`${nonce}.${timestamp}.`, 'latin1'), body]),
  accepted: (messageId) => ({ messageId }),
}

export const SCHEMES = [OWN, STANDARD].map((scheme) => [scheme.name, scheme] as const)
