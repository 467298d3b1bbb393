import type { NonceStore } from '../nonce-store.js'

/**
 * Reserves a key twice, so that a missing permission is an error at the start and not at the first request. The second call
 * meets the row of the first one, which needs the permissions of a replay.
 */
export async function probe(store: NonceStore): Promise<void> {
  for (let round = 0; round < 2; round++) await store.reserve('inbound-webhook-auth', 'connects', 0.001)
}
