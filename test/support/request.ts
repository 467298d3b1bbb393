import { createHmac } from 'node:crypto'
import type { Clock, NonceStore, WebhookRequest } from '../../src/index.js'

/** Server time of the tests, and the timestamp of a request signed at that moment. */
export const NOW = 1_700_000_000_000
export const TIMESTAMP = '1700000000'
export const NONCE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
export const SECRET = 'the signing secret of webhook 42'

/** Every reason for a rejection, in the order of the rules. */
export const REASONS = [
  'missing_header',
  'invalid_timestamp',
  'timestamp_outside_window',
  'invalid_nonce',
  'signature_mismatch',
  'replayed_nonce',
] as const

export interface Parts {
  webhookId: string
  timestamp: string
  nonce: string
  body: string | Uint8Array
  secret: string
}

/**
 * Returns a valid request, with the given parts instead of its own. It is signed here, without the library. Otherwise a fault
 * that `verify` and `sign` share would not be found.
 */
export function signedRequest(parts: Partial<Parts & { signature: string }> = {}) {
  const { webhookId = '42', timestamp = TIMESTAMP, nonce = NONCE, body = 'a body', secret = SECRET } = parts
  const { signature = signatureOf(timestamp, nonce, body, secret) } = parts
  return {
    webhookId,
    headers: { 'x-timestamp': timestamp, 'x-nonce': nonce, 'x-signature': signature },
    body,
  } satisfies WebhookRequest
}

export function signatureOf(
  timestamp: string,
  nonce: string,
  body: string | Uint8Array,
  secret: string | Uint8Array,
): string {
  const message = Buffer.concat([Buffer.from(`${timestamp}:${nonce}:`), Buffer.from(body)])
  return createHmac('sha256', Buffer.from(secret)).update(message).digest('hex')
}

/** A clock that only moves when it is set, in milliseconds. */
export class TestClock implements Clock {
  constructor(public milliseconds = NOW) {}
  now(): number {
    return this.milliseconds
  }
}

/** A store that forgets nothing and records every call, to test how `verify` uses its store. */
export class RecordingStore implements NonceStore {
  readonly calls: [webhookId: string, key: string, ttlSeconds: number][] = []

  get keys(): string[] {
    return this.calls.map(([, key]) => key)
  }

  reserve(...call: [webhookId: string, key: string, ttlSeconds: number]): boolean {
    const taken = this.calls.some(([webhookId, key]) => webhookId === call[0] && key === call[1])
    this.calls.push(call)
    return !taken
  }
}
