import { assertTimeout } from '../arguments.js'
import { storeError } from '../errors.js'
import { noResponse, within } from '../within.js'
import { scopedKey } from './keys.js'
import { assertNonceStore, type NonceStore } from './nonce-store.js'
import { RecentKeys } from './recent-keys.js'

/**
 * Returns a store that waits at most `milliseconds` for a response of `nonceStore` and then rejects. The network stores of this package
 * already have a `timeout`.
 *
 * If `nonceStore` has `release`, a reservation that comes too late is released, so that a retry of the same request can be accepted. Until
 * then, for at most 60 s, a retry is refused with an error.
 *
 * @param nonceStore - the store to wait for. The store continues after the time-out, so also set a time-out in the client of the store.
 * @param milliseconds - a whole number from 1, such as 1000.
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid argument.
 *
 * @example
 * ```ts
 * import { type NonceStore, withTimeout } from 'inbound-webhook-auth'
 *
 * declare const ownStore: NonceStore
 *
 * const nonceStore = withTimeout(ownStore, 1000)
 * ```
 */
export function withTimeout(nonceStore: NonceStore, milliseconds: number): NonceStore {
  assertNonceStore(nonceStore)
  assertTimeout(milliseconds, 'milliseconds')
  const late = new LateReservations(milliseconds)
  const { reserveAll, release, claim, eventTtlSeconds } = nonceStore
  const limited: NonceStore = {
    ...(eventTtlSeconds !== undefined && { eventTtlSeconds }),
    reserve: (...call) => reserve(call[0], [call[1]], call[3], () => nonceStore.reserve(...call)),
  }
  if (reserveAll) {
    limited.reserveAll = (...call) => reserve(call[0], call[1], call[3], () => reserveAll.apply(nonceStore, call))
  }
  if (release) {
    limited.release = (...call) => within(milliseconds, release.apply(nonceStore, call))
  }
  if (claim) {
    // A late claim is not given back. It ends by itself, and it may extend a claim whose code is running.
    limited.claim = (...call) => within(milliseconds, claim.apply(nonceStore, call))
  }
  return limited

  function reserve(
    webhookId: string,
    keys: readonly string[],
    owner: string | undefined,
    ask: () => boolean | Promise<boolean>,
  ): boolean | Promise<boolean> {
    const scopedKeys = keys.map((key) => scopedKey(webhookId, key))
    late.assertNone(scopedKeys)
    const response = ask()
    if (typeof response === 'boolean') return response
    return late.wait(scopedKeys, response, () => owner !== undefined && limited.release?.(webhookId, keys, owner))
  }
}

/** For how many milliseconds copies of a reservation without a response are refused. */
const REFUSED_MILLISECONDS = 60_000

/**
 * Waits for reservations, and gives back those that come after their time-out.
 *
 * A client can keep a reservation while its server is down, and send the reservation when the server is back. The request got a 503, so
 * nobody's code ran, but every retry would get a 401. Until the reservation is given back, copies fail with an error, so that senders retry.
 */
export class LateReservations {
  /** The keys whose copies are refused, and for each key an object that identifies the late reservation. */
  readonly #refusals = new RecentKeys<object>()

  constructor(private readonly timeout: number) {}

  /** Throws if an earlier reservation of one of the keys had no response in time, and may still come. */
  assertNone(keys: readonly string[]): void {
    if (!keys.some((key) => this.#refusals.get(key))) return
    const text = `An earlier copy of the request got no response within ${this.timeout} ms. Check the server. A later retry can be accepted.`
    throw storeError('ETIMEDOUT', text)
  }

  /** Resolves to the response to a reservation, or rejects after the time-out. If the response `true` comes later, calls `release`. */
  wait(keys: readonly string[], response: Promise<boolean>, release?: () => unknown): Promise<boolean> {
    // The client of a store may return a thenable that runs its statement again with each `then`.
    const answered = Promise.resolve(response)
    return within(this.timeout, answered, () => {
      void this.#giveBack(keys, answered, release)
      return noResponse(this.timeout)
    })
  }

  async #giveBack(keys: readonly string[], response: Promise<boolean>, release?: () => unknown): Promise<void> {
    const refusal = {}
    const refuseCopies = () => {
      for (const key of keys) this.#refusals.set(key, refusal, REFUSED_MILLISECONDS)
    }
    refuseCopies()
    try {
      if ((await response) !== true) return
      refuseCopies()
      await release?.()
    } catch {
      // The client responded with an error, so nobody knows whether the keys are reserved.
    } finally {
      for (const key of keys) if (this.#refusals.get(key) === refusal) this.#refusals.delete(key)
    }
  }
}
