/** Remembers a bounded number of keys for a short time, each with a value. At the bound, the oldest key is forgotten. */
export class RecentKeys<Value> {
  readonly #maxKeys: number
  readonly #now: () => number
  /** The oldest key is first. */
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  /** `now` returns milliseconds. */
  constructor(maxKeys: number, now: () => number = () => performance.now()) {
    this.#maxKeys = maxKeys
    this.#now = now
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.until > this.#now() ? entry.value : undefined
  }

  set(key: string, value: Value, milliseconds: number): void {
    const now = this.#now()
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: now + milliseconds })
    for (const [oldest, { until }] of this.#entries) {
      if (until > now && this.#entries.size <= this.#maxKeys) break
      this.#entries.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
