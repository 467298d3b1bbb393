import { MemoryNonceStore, type NonceStore } from '../../../../src/index.js'
import { isNonce, NONCE_TTL_SECONDS } from '../../../../src/rules/nonce.js'

/** The view of {@link SeenNonces} that checks one request, and remembers which key was taken. */
export interface RequestStore extends NonceStore {
  /** Returns when a replay was accepted before: `the same nonce 12 s ago`. */
  describeReplay(): string
}

/**
 * Remembers nonces, and the time of each reservation. Only signed requests reserve keys, so nobody without the secret can fill the memory.
 */
export class SeenNonces {
  readonly #store = new MemoryNonceStore()
  /** The time of each reservation by key, in milliseconds since the Unix epoch, the oldest first. */
  readonly #times = new Map<string, number>()

  /** Returns the view that checks one request. `now` is the time of arrival, in milliseconds since the Unix epoch. */
  storeFor(now: number): RequestStore {
    let takenKey = ''
    return {
      reserve: (webhookId, key, ttlSeconds) => {
        const isReserved = this.#store.reserve(webhookId, key, ttlSeconds)
        if (isReserved) this.#remember(key, now)
        else takenKey = key
        return isReserved
      },
      describeReplay: () => {
        const age = Math.max(0, Math.round((now - (this.#times.get(takenKey) ?? now)) / 1000))
        return isNonce(takenKey)
          ? `the same nonce ${age} s ago`
          : `the same signed message ${age} s ago, split differently between nonce and body`
      },
    }
  }

  #remember(key: string, now: number): void {
    for (const [old, time] of this.#times) {
      if (now - time <= NONCE_TTL_SECONDS * 1000) break
      this.#times.delete(old)
    }
    this.#times.set(key, now)
  }
}
