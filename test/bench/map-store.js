/**
 * A simple nonce store with a Map, to compare MemoryNonceStore with. It supports one TTL. The entries are also a linked list,
 * because a Map finds its oldest entry slowly after many were deleted.
 */
export class MapStore {
  /** @type {Map<string, Entry>} */
  #entries = new Map()
  #oldest = new Entry('', Number.POSITIVE_INFINITY)
  #newest = this.#oldest
  #clock

  /** @param {{ now(): number }} clock */
  constructor(clock) {
    this.#clock = clock
  }

  /** @param {string} webhookId @param {string} key @param {number} ttlSeconds */
  reserve(webhookId, key, ttlSeconds) {
    const now = this.#clock.now()
    const reservation = `${webhookId.length}:${webhookId}${key}`
    const known = this.#entries.get(reservation)
    if (known !== undefined && known.expiresAt >= now) return false
    for (let removals = 0; removals < 2 && this.#oldest.expiresAt < now; removals++) {
      this.#entries.delete(this.#oldest.reservation)
      this.#oldest = this.#oldest.newer ?? this.#oldest
    }
    // The last entry of the list is empty. It is written next.
    const entry = this.#newest
    entry.reservation = reservation
    entry.expiresAt = now + ttlSeconds * 1000
    entry.newer = new Entry('', Number.POSITIVE_INFINITY)
    this.#newest = entry.newer
    this.#entries.set(reservation, entry)
    return true
  }
}

class Entry {
  /** @type {Entry | undefined} */
  newer = undefined

  /** @param {string} reservation @param {number} expiresAt */
  constructor(reservation, expiresAt) {
    this.reservation = reservation
    this.expiresAt = expiresAt
  }
}
