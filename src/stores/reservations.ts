import { within } from '../within.js'
import { Admission } from './admission.js'
import { MemoryNonceStore } from './memory.js'
import { LateReservations } from './with-timeout.js'

/** For how many milliseconds a key that another process holds is remembered, because that process can release the key. */
const REMEMBERED = 250
const MAX_REMEMBERED = 10_000

/** The maximum number of keys that are remembered because this process reserved them. They take about 30 MB. */
const MAX_OWN = 100_000

/** The owner of all keys in the memory of this process. */
const OWNER = 'this process'

/** A subclass, so that it does not count for the warning about a memory store per request. */
class OwnKeys extends MemoryNonceStore {}

/** A reservation without a response so far. */
interface Pending {
  readonly id: string
  readonly outcome: Promise<boolean>
}

/**
 * The pending reservations of one process, and the keys that are known to be taken.
 *
 * A copy of a pending or remembered reservation is refused without a statement, so that a flood of copies does not load the server. A copy
 * never gets the key before the original does, even if reservations are sent in another order. The memory only refuses: a reservation is
 * accepted only if the server accepts it.
 */
export class Reservations {
  readonly timeout: number
  readonly #admission: Admission
  readonly #late: LateReservations
  readonly #now: () => number
  /** The latest pending reservation of each key. */
  readonly #pending = new Map<string, Pending>()
  /** The keys that this process has reserved or is about to reserve. Only this process can release them before their TTL ends. */
  readonly #own: OwnKeys
  /** The time until which each key of another process is remembered, the oldest key first. */
  readonly #takenUntil = new Map<string, number>()

  /** The times `timeout` and `now()` are in milliseconds. `concurrency` is the maximum number of reservations in flight. */
  constructor(timeout: number, concurrency: number, now: () => number = () => performance.now()) {
    this.timeout = timeout
    this.#admission = new Admission(concurrency, timeout)
    this.#late = new LateReservations(timeout)
    this.#now = now
    this.#own = new OwnKeys({ maxEntries: MAX_OWN, whenFull: 'evict', clock: { now } })
  }

  /**
   * Reserves all keys or none with `ask`, and resolves to whether all keys were free. Rejects after the time-out.
   *
   * A copy does not call `ask`, but waits for the first reservation. The copy is then refused, or rejects with the same error. If another
   * pending reservation contains some of the keys, such as another split of the message, this reservation waits too. If the other
   * reservation fails or is refused, this reservation calls `ask`. If the server reserves the keys after the time-out, calls `release`.
   */
  async reserve(
    keys: readonly string[],
    ttlSeconds: number,
    ask: () => Promise<boolean>,
    release?: (() => Promise<unknown>) | undefined,
  ): Promise<boolean> {
    const id = idOf(keys)
    const earlier = new Set(keys.flatMap((key) => this.#pending.get(key) ?? []))
    for (const other of earlier) if (other.id === id) return other.outcome.then(() => false)

    let isClaimed = false
    let isOver = false
    const send = () => {
      this.#late.assertNone(keys)
      isClaimed = this.claim(keys, ttlSeconds)
      // After the time-out, nothing is sent.
      return isClaimed && this.#admission.send(async () => !isOver && ask())
    }
    const response = Promise.allSettled([...earlier].map(({ outcome }) => outcome)).then(send)
    const pending = { id, outcome: this.#late.wait(keys, response, release && (() => this.release(keys, release))) }
    for (const key of keys) this.#pending.set(key, pending)
    let isReserved: boolean | undefined
    try {
      isReserved = await pending.outcome
      return isReserved
    } finally {
      isOver = true
      if (isClaimed) this.settle(keys, isReserved, ttlSeconds)
      for (const key of keys) if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
  }

  /**
   * Claims all keys or none for a reservation that is about to be sent, and returns whether no key is known to be taken. A claim lasts for
   * the TTL, so it ends before the server frees the keys. Call {@link settle} when the reservation ends.
   */
  claim(keys: readonly string[], ttlSeconds: number): boolean {
    return !this.#isHeldElsewhere(keys) && this.#own.reserveAll('', keys, ttlSeconds, OWNER)
  }

  /** Keeps the claim of the keys if the server reserved them. Otherwise, gives the claim back. */
  settle(keys: readonly string[], isReserved: boolean | undefined, ttlSeconds: number): void {
    if (isReserved) return
    this.#own.release('', keys, OWNER)
    if (isReserved === false) this.#remember(keys, ttlSeconds)
  }

  sendIfIdle<T>(ask: () => Promise<T>): Promise<T> | undefined {
    return this.#admission.sendIfIdle(ask)
  }

  /**
   * Releases the keys of a reservation with `ask`. Rejects after the time-out. A release is sent at once, because the sender's retry would
   * otherwise be refused. The keys are forgotten now and when the release ends, because a lost response must not refuse the retry.
   */
  async release(keys: readonly string[], ask: () => Promise<unknown>): Promise<void> {
    this.forget(keys)
    try {
      await within(this.timeout, ask())
    } finally {
      this.forget(keys)
    }
  }

  /** Forgets that the keys were taken, because the reservation is released. */
  forget(keys: readonly string[]): void {
    this.#own.release('', keys, OWNER)
    for (const key of [...keys, idOf(keys)]) this.#takenUntil.delete(key)
  }

  /** Returns whether another process holds one of the keys, or whether these keys were refused together. */
  #isHeldElsewhere(keys: readonly string[]): boolean {
    const now = this.#now()
    return [...keys, idOf(keys)].some((key) => Number(this.#takenUntil.get(key)) > now)
  }

  /**
   * Remembers for 250 ms that the server refused a reservation. A key with a short TTL is remembered for a thousandth of the TTL, because the
   * response does not say when a taken key expires.
   */
  #remember(keys: readonly string[], ttlSeconds: number): void {
    const now = this.#now()
    // If a reservation of several keys was refused, this process does not know which key was taken.
    const id = idOf(keys)
    this.#takenUntil.delete(id)
    this.#takenUntil.set(id, now + Math.min(REMEMBERED, Math.floor(ttlSeconds)))
    for (const [oldest, until] of this.#takenUntil) {
      if (until > now && this.#takenUntil.size <= MAX_REMEMBERED) break
      this.#takenUntil.delete(oldest)
    }
  }
}

/** Returns one string for the keys of a reservation. The keys are joined with a NUL, because no key of a store contains a NUL. */
function idOf(keys: readonly string[]): string {
  return keys.join('\0')
}
