import { Admission } from './admission.js'
import { within } from './with-timeout.js'

/** For how many milliseconds a taken key is remembered. */
const REMEMBERED = 250

/** The maximum number of taken keys that are remembered. */
const MAX_REMEMBERED = 10_000

/** A reservation without a response so far. */
interface Pending {
  readonly id: string
  readonly outcome: Promise<boolean>
}

/**
 * The pending reservations of one process, and the keys that were taken a moment ago.
 *
 * A copy of a pending or remembered reservation is refused without a statement, so that a flood of copies does not load the server. A copy
 * never gets the key before the original does, even if reservations are sent in another order.
 */
export class Reservations {
  readonly #timeout: number
  readonly #admission: Admission
  readonly #now: () => number
  /** The latest pending reservation of each key. */
  readonly #pending = new Map<string, Pending>()
  /** The time until which each taken key is remembered, the oldest key first. */
  readonly #takenUntil = new Map<string, number>()

  /**
   * @param timeout - how long a reservation may take, in milliseconds.
   * @param concurrency - the maximum number of reservations that wait for the server.
   * @param now - returns the time in milliseconds.
   */
  constructor(timeout: number, concurrency: number, now: () => number = () => performance.now()) {
    this.#timeout = timeout
    this.#admission = new Admission(concurrency, timeout)
    this.#now = now
  }

  /**
   * Reserves all keys or none with `ask`, and resolves to whether all keys were free. Rejects after the time-out.
   *
   * A copy does not call `ask`, but waits for the first reservation. The copy is then refused, or rejects with the same error. If another
   * pending reservation contains some of the keys, such as another split of the message, this reservation waits too. If the other
   * reservation fails or is refused, this reservation calls `ask`.
   *
   * @param keys - the keys as the store names them, the webhook included.
   */
  async reserve(keys: readonly string[], ttlSeconds: number, ask: () => Promise<boolean>): Promise<boolean> {
    if (this.isTaken(keys)) return false
    const id = idOf(keys)
    const earlier = new Set(keys.flatMap((key) => this.#pending.get(key) ?? []))
    for (const other of earlier) if (other.id === id) return other.outcome.then(() => false)

    const send = () => this.#admission.send(ask)
    const pending = { id, outcome: within(this.#timeout, askAfter(earlier, send)) }
    for (const key of keys) this.#pending.set(key, pending)
    try {
      const isReserved = await pending.outcome
      this.remember(keys, isReserved, ttlSeconds)
      return isReserved
    } finally {
      for (const key of keys) if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
  }

  /** Returns whether one of the keys is remembered as taken, or whether these keys were refused together. */
  isTaken(keys: readonly string[]): boolean {
    const now = this.#now()
    return [...keys, idOf(keys)].some((key) => Number(this.#takenUntil.get(key)) > now)
  }

  /**
   * Remembers the server's response to a reservation for 250 ms. A key with a short TTL is remembered for a thousandth of the TTL, because
   * the response does not say when a taken key expires.
   */
  remember(keys: readonly string[], isReserved: boolean, ttlSeconds: number): void {
    const now = this.#now()
    // If a reservation of several keys was refused, this process does not know which key was taken.
    for (const key of isReserved ? keys : [idOf(keys)]) {
      this.#takenUntil.delete(key)
      this.#takenUntil.set(key, now + Math.min(REMEMBERED, Math.floor(ttlSeconds)))
    }
    for (const [key, until] of this.#takenUntil) {
      if (until > now && this.#takenUntil.size <= MAX_REMEMBERED) break
      this.#takenUntil.delete(key)
    }
  }

  /**
   * Releases the keys of a reservation with `ask`, and forgets that they were taken. Rejects after the time-out. A release is sent at once,
   * because the sender's retry would otherwise be refused.
   */
  async release(keys: readonly string[], ask: () => Promise<unknown>): Promise<void> {
    await within(this.#timeout, ask())
    this.forget(keys)
  }

  /** Forgets that the keys were taken, because the reservation was released. */
  forget(keys: readonly string[]): void {
    for (const key of [...keys, idOf(keys)]) this.#takenUntil.delete(key)
  }
}

/** Returns one string for the keys of a reservation. The keys are joined with a NUL, because no key of a store contains a NUL. */
function idOf(keys: readonly string[]): string {
  return keys.join('\0')
}

async function askAfter(earlier: ReadonlySet<Pending>, ask: () => Promise<boolean>): Promise<boolean> {
  if (earlier.size === 0) return ask()
  const outcomes = await Promise.allSettled([...earlier].map(({ outcome }) => outcome))
  return !outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value) && ask()
}
