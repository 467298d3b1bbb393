import { type Clock, MemoryNonceStore, type RejectionReason, type WebhookRequest } from '../../../src/index.js'
import { signedRequest } from '../request.js'

const CAPACITY = 1000

/** Returns a store that is full of live nonces. */
export function fullStore(clock?: Clock): MemoryNonceStore {
  const store = new MemoryNonceStore({ maxEntries: CAPACITY, clock })
  for (let index = 0; index < CAPACITY; index++) store.reserve('42', `live-${index}`, 600)
  return store
}

/** Requests that an attacker or many senders could send, and what each leads to while the store is full. */
export const FLOODS: readonly {
  what: string
  request: (index: number) => WebhookRequest
  expected: RejectionReason | 'ERR_NONCE_STORE'
  hmacs: number
}[] = [
  {
    what: 'forged',
    request: (index) => signedRequest({ nonce: String(index), signature: '0'.repeat(64) }),
    expected: 'signature_mismatch',
    hmacs: 1,
  },
  {
    what: 'stale',
    request: (index) => signedRequest({ nonce: String(index), timestamp: '1699999699' }),
    expected: 'timestamp_outside_window',
    hmacs: 0,
  },
  { what: 'malformed', request: (index) => signedRequest({ nonce: `${index} ` }), expected: 'invalid_nonce', hmacs: 0 },
  {
    what: 'unsigned',
    request: () => ({ webhookId: '42', headers: {}, body: 'a body' }),
    expected: 'missing_header',
    hmacs: 0,
  },
  {
    what: 'replayed',
    request: (index) => signedRequest({ nonce: `live-${index % CAPACITY}` }),
    expected: 'replayed_nonce',
    hmacs: 1,
  },
  {
    what: 'valid',
    request: (index) => signedRequest({ nonce: String(index) }),
    expected: 'ERR_NONCE_STORE',
    hmacs: 1,
  },
  {
    what: 'valid, on new webhooks',
    request: (index) => signedRequest({ webhookId: String(index), nonce: String(index) }),
    expected: 'ERR_NONCE_STORE',
    hmacs: 1,
  },
]
