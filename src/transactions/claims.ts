import { codeOf, NonceStoreError, propertyOf } from '../errors.js'
import { claimKeys, type NonceStore, newOwner, releaseKeys } from '../stores/nonce-store.js'
import { startTimer } from '../within.js'

/** How long a claim lasts, in seconds, if the process that has it dies. */
const CLAIM_SECONDS = 30
const RENEWAL_MILLISECONDS = 10_000

/** The pause before a failed call of the store is repeated. */
const RETRY_MILLISECONDS = 1000

/** How long a failed record is repeated, and how long it keeps the process alive, so that a deployment does not end it. */
const RECORDING_MILLISECONDS = 600_000
const KEEP_ALIVE_MILLISECONDS = 30_000

/** Keys that are claimed in one step, and how long they are recorded. */
interface Group {
  readonly keys: readonly string[]
  readonly ttlSeconds: number
}

/** The claims of one attempt, which are renewed while its code runs. */
export class Claims {
  readonly #owner = newOwner()
  readonly #groups: Group[] = []
  readonly #controller = new AbortController()
  /** When the last claim or renewal that succeeded was sent. */
  #sentAt = performance.now()
  #isOver = false
  #renewing: Promise<void> | undefined
  #stopRenewal = () => {}
  #stopDeadline = () => {}

  /** Aborts if another attempt has claimed the keys, or may have claimed them because the claim could not be renewed. */
  readonly signal: AbortSignal = this.#controller.signal

  constructor(
    private readonly nonceStore: NonceStore,
    private readonly webhookId: string,
  ) {}

  /** Claims a group of keys. If the store fails, frees all keys without waiting, because the store may have claimed the keys. */
  async add(group: Group): Promise<'claimed' | 'in_progress' | 'taken'> {
    try {
      const state = await this.#claim(group)
      if (state === 'claimed') this.#groups.push(group)
      return state
    } catch (error) {
      // A claim that was refused before it was sent needs no release. While a server is silent, each command would keep the connection.
      if (codeOf(propertyOf(error, 'cause')) !== 'ERR_NONCE_STORE_BUSY') this.#groups.push(group)
      void this.release().catch(() => {})
      throw error
    }
  }

  /** Starts to renew the claims. The timers keep no process alive. */
  renew(): void {
    this.#restartDeadline()
    this.#renewIn(RENEWAL_MILLISECONDS)
  }

  /** Frees the keys. A renewal in flight must end first, because it would claim the keys again. */
  async release(): Promise<void> {
    this.#stop()
    await this.#renewing
    await Promise.all(this.#groups.map(({ keys }) => releaseKeys(this.nonceStore, this.webhookId, keys, this.#owner)))
  }

  /** Records the keys as done. Resolves to whether all claims were still valid. From then on, nothing frees a key. */
  async record(): Promise<boolean> {
    this.#stop()
    const states = await Promise.all(this.#groups.map((group) => this.#claim(group, true)))
    return states.every((state) => state === 'claimed')
  }

  /** Repeats a failed record until the store responds. Resolves to the result of {@link record}, or to `undefined` if it gave up. */
  async recordLater(): Promise<boolean | undefined> {
    const start = performance.now()
    for (;;) {
      const elapsed = performance.now() - start
      if (elapsed >= RECORDING_MILLISECONDS) return undefined
      await new Promise<void>((resolve) => {
        startTimer(RETRY_MILLISECONDS, resolve, { ref: elapsed < KEEP_ALIVE_MILLISECONDS })
      })
      const isValid = await this.record().catch(() => undefined)
      if (isValid !== undefined) return isValid
    }
  }

  #claim({ keys, ttlSeconds }: Group, isDone = false): Promise<'claimed' | 'in_progress' | 'taken'> {
    return claimKeys(this.nonceStore, this.webhookId, keys, isDone ? ttlSeconds : CLAIM_SECONDS, this.#owner, isDone)
  }

  #renewIn(milliseconds: number): void {
    const act = () => {
      this.#renewing = this.#renewNow()
    }
    this.#stopRenewal = startTimer(milliseconds, act, { ref: false })
  }

  async #renewNow(): Promise<void> {
    const sentAt = performance.now()
    let pause = RENEWAL_MILLISECONDS
    try {
      const states = await Promise.all(this.#groups.map((group) => this.#claim(group)))
      if (this.#isOver) return
      if (states.some((state) => state !== 'claimed')) return this.#abort()
      this.#sentAt = sentAt
      this.#restartDeadline()
    } catch {
      pause = RETRY_MILLISECONDS
    }
    if (!this.#isOver) this.#renewIn(pause)
  }

  #restartDeadline(): void {
    this.#stopDeadline()
    const left = this.#sentAt + CLAIM_SECONDS * 1000 - performance.now()
    this.#stopDeadline = startTimer(left, () => this.#abort(), { ref: false })
  }

  #abort(): void {
    const lost = 'The claim of the event was lost or could not be renewed, so another attempt may run'
    this.#controller.abort(new NonceStoreError(lost))
  }

  #stop(): void {
    this.#isOver = true
    this.#stopRenewal()
    this.#stopDeadline()
  }
}
