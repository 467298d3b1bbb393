import { NONCE_TTL_SECONDS } from '../rules/nonce.js'
import { within } from '../within.js'
import { Admission } from './admission.js'
import { MemoryNonceStore } from './memory.js'
import type { ClaimState } from './nonce-store.js'
import { REMEMBERED_MILLISECONDS, RecentKeys } from './recent-keys.js'
import { LateReservations } from './with-timeout.js'

/** The maximum number of keys of this process. They take about 30 MB. */
const MAX_OWN = 100_000

const OWNER = 'this process'

/** A subclass, so that it does not count for the warning about a memory store per request. */
class OwnKeys extends MemoryNonceStore {
  hasOneOf(keys: readonly string[]): boolean {
    return this.has('', keys)
  }
}

/** A reservation without a response so far. */
interface Pending {
  readonly id: string
  readonly outcome: Promise<boolean>
}

/**
 * The pending reservations of one process, and the keys that are known to be taken.
 *
 * A copy of a pending or remembered reservation is refused without a statement, so that a flood of copies does not load the server. No copy
 * overtakes the original. The memory only refuses: a reservation is accepted only if the server accepts it.
 */
export class Reservations {
  readonly timeout: number
  readonly admission: Admission
  readonly #late: LateReservations
  /** The latest pending reservation of each key. */
  readonly #pending = new Map<string, Pending>()
  /** The keys that this process has reserved or is about to reserve. Only this process can release them before their TTL ends. */
  readonly #own: OwnKeys
  /** What the server said about the keys of another process. */
  readonly #refused: RecentKeys<Exclude<ClaimState, 'claimed'>>
  /** The owners in this process that have claimed keys. */
  readonly #claimers = new Set<string>()

  /** The times `timeout` and `now()` are in milliseconds. `concurrency` is the maximum number of reservations in flight. */
  constructor(timeout: number, concurrency: number, now: () => number = () => performance.now()) {
    this.timeout = timeout
    this.admission = new Admission(concurrency, timeout)
    this.#late = new LateReservations(timeout)
    this.#refused = new RecentKeys(now)
    this.#own = new OwnKeys({ maxEntries: MAX_OWN, whenFull: 'evict', clock: { now } })
  }

  /**
   * Reserves all keys or none with `ask` and resolves to whether all were free. Rejects after the time-out. `release` frees a late reservation.
   *
   * A copy waits for the first reservation. It is then refused, or rejects with the same error. A reservation of some of the keys, such as
   * another split of the message, waits too. It calls `ask` only if the first reservation failed or was refused.
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

    let isStarted = false
    let isOver = false
    const send = () => {
      this.#late.assertNone(keys)
      isStarted = this.start(keys, ttlSeconds)
      // After the time-out, nothing is sent.
      return isStarted && this.admission.send(async () => !isOver && ask())
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
      if (isStarted) this.settle(keys, isReserved, ttlSeconds)
      for (const key of keys) if (this.#pending.get(key) === pending) this.#pending.delete(key)
    }
  }

  /** Marks keys as taken before the server does, so that the mark ends first. Returns `false` if a key is known to be taken. */
  start(keys: readonly string[], ttlSeconds: number): boolean {
    return this.stateOf(keys) === undefined && this.#own.reserveAll('', keys, ttlSeconds, OWNER)
  }

  /** Ends what {@link start} began: keeps the mark only if the server reserved the keys. */
  settle(keys: readonly string[], isReserved: boolean | undefined, ttlSeconds: number): void {
    if (isReserved) return
    this.#own.release('', keys, OWNER)
    // A live claim is taken for a reservation, so this process does not know whether the keys are done or in progress.
    if (isReserved === false) this.#remember(keys, 'in_progress', ttlSeconds)
  }

  /**
   * Claims keys with `ask`, or records them as done. Rejects after the time-out. A late claim ends by itself. Only the first claim of an
   * owner obeys the limit. Later calls are urgent, because the work of the earlier calls would be lost if the claim ended meanwhile.
   */
  async claim(
    keys: readonly string[],
    seconds: number,
    owner: string,
    isDone: boolean,
    ask: () => Promise<ClaimState>,
  ): Promise<ClaimState> {
    const isFirst = this.isFirst(owner, isDone)
    const known = isFirst ? this.stateOf(keys) : undefined
    if (known !== undefined) return known
    const state = await within(this.timeout, this.admission.send(ask, !isFirst))
    this.note(keys, seconds, owner, isDone, state)
    return state
  }

  /** Returns whether a call is the first claim of its owner, and does not extend or record one. */
  isFirst(owner: string, isDone: boolean): boolean {
    return !isDone && !this.#claimers.has(owner)
  }

  /** Returns why keys cannot be reserved or claimed, if this process knows it without a statement. */
  stateOf(keys: readonly string[]): 'taken' | 'in_progress' | undefined {
    if (this.#own.hasOneOf(keys)) return keys.some((key) => this.#pending.has(key)) ? 'in_progress' : 'taken'
    for (const key of [...keys, idOf(keys)]) {
      const refusal = this.#refused.get(key)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  /** Remembers the response to a claim. An event is remembered for 600 s, because its own TTL is days. */
  note(keys: readonly string[], seconds: number, owner: string, isDone: boolean, state: ClaimState): void {
    if (isDone) this.#claimers.delete(owner)
    else if (state === 'claimed') this.#claimers.add(owner)
    // `handle` remembers keys that are in progress.
    if (state === 'taken') this.#remember(keys, state, seconds)
    else if (state === 'claimed' && isDone) this.#own.reserveAll('', keys, Math.min(seconds, NONCE_TTL_SECONDS), OWNER)
  }

  /** Releases keys with `ask` at once, so that the sender's retry is not refused. Rejects after the time-out. */
  async release(keys: readonly string[], ask: () => Promise<unknown>, owner = ''): Promise<void> {
    // The keys are forgotten now and when the release ends, because a lost response must not refuse the retry either.
    this.forget(keys)
    try {
      await within(this.timeout, ask())
    } finally {
      this.forget(keys, owner)
    }
  }

  forget(keys: readonly string[], owner = ''): void {
    this.#claimers.delete(owner)
    this.#own.release('', keys, OWNER)
    for (const key of [...keys, idOf(keys)]) this.#refused.delete(key)
  }

  /** Remembers briefly that the server refused the keys, because the response does not say when a taken key expires. */
  #remember(keys: readonly string[], state: 'taken' | 'in_progress', seconds: number): void {
    // If several keys were refused together, this process does not know which key was taken.
    this.#refused.set(idOf(keys), state, Math.min(REMEMBERED_MILLISECONDS, Math.floor(10 * seconds)))
  }
}

/** Returns one string for the keys of a reservation. The keys are joined with a NUL, because no key of a store contains a NUL. */
function idOf(keys: readonly string[]): string {
  return keys.join('\0')
}
