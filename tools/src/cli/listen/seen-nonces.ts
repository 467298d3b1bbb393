import { MemoryNonceStore, type NonceStore } from '../../../../src/index.js'
import { isNonce, NONCE_TTL_SECONDS } from '../../../../src/rules/nonce.js'

/** A nonce store for one request. If the request is a replay, this store can say when the first copy was accepted. */
interface RequestStore extends NonceStore {
  describeReplay(): string
}

/** Remembers nonces and when they were used. Only a request with a right signature is remembered, so nobody else can fill the memory. */
export class SeenNonces {
  readonly #store = new MemoryNonceStore()
  /** When each key was reserved, in milliseconds since the Unix epoch, the oldest first. */
  readonly #times = new Map<string, number>()

  /** Returns the store for one request, which arrived at `now`, in milliseconds since the Unix epoch. */
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
        if (isNonce(takenKey)) return `the same nonce ${age} s ago`
        return takenKey.startsWith('attempt ')
          ? `the same attempt ${age} s ago`
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
