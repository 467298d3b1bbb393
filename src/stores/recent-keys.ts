/** For how many milliseconds a key that another process holds is remembered, because that process can free the key. */
export const REMEMBERED_MILLISECONDS = 250

const MAX_KEYS = 10_000

/** Remembers up to 10 000 keys for a short time, each with a value. At the bound, the oldest key is forgotten. */
export class RecentKeys<Value> {
  /** The oldest key is first. */
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  constructor(private readonly now: () => number = () => performance.now()) {}

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.until > this.now() ? entry.value : undefined
  }

  set(key: string, value: Value, milliseconds: number): void {
    const now = this.now()
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: now + milliseconds })
    for (const [oldest, { until }] of this.#entries) {
      if (until > now && this.#entries.size <= MAX_KEYS) break
      this.#entries.delete(oldest)
    }
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
