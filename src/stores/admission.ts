import { AsyncResource } from 'node:async_hooks'
import { storeError } from '../errors.js'
import { Outage } from '../hints/outage.js'
import { startTimer } from '../within.js'
import { isUnreachable } from './failure.js'

/**
 * Limits how many reservations are in flight. If the limit is reached, reservations wait. The newest waiting reservation is sent first, and
 * a reservation that has waited for half of the time-out is refused.
 *
 * Without a limit, an overloaded server responds late to every reservation (Bronson et al., "Metastable Failures in Distributed Systems",
 * HotOS 2021). The newest is first, because it has the most time left for its response (Maurer, "Fail at Scale", ACM Queue 2015). The limit
 * does not adapt to response times, because a stall of this process would look like a slow server.
 */
export class Admission {
  readonly #outage = new Outage()
  readonly #inFlight = new Set<object>()
  /** Functions that each send a waiting reservation, the newest last. */
  readonly #waiting: (() => void)[] = []
  /** How many reservations have had a response or an error. */
  #settled = 0
  /** Whether a reservation had no response within half of the time-out, and no other had one since it was sent. */
  #isSilent = false

  constructor(
    private readonly concurrency: number,
    private readonly timeout: number,
  ) {}

  /** Calls `ask` as soon as the limit allows and resolves to the response. An urgent call only waits if the server is silent. */
  send<T>(ask: () => Promise<T>, isUrgent = false): Promise<T> {
    if (this.#hasRoom() || (isUrgent && !this.#isSilent)) return this.#sendNow(ask)
    return new Promise((resolve, reject) => {
      // Another request calls this function. `bind` keeps the AsyncLocalStorage of this request, by which a client may choose the database.
      const start = AsyncResource.bind(() => {
        stopTimer()
        resolve(this.#sendNow(ask))
      })
      const stopTimer = startTimer(this.timeout / 2, () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        const silent = `No response for ${this.timeout / 2} ms, so reservations are sent one at a time. Check the server.`
        const busy =
          `${this.concurrency} reservations were in flight for ${this.timeout / 2} ms. Check the server. ` +
          'If the server is far away, raise concurrency: 100 requests per second and a round-trip time of 300 ms need 30.'
        reject(storeError('ERR_NONCE_STORE_BUSY', this.#isSilent ? silent : busy))
      })
      this.#waiting.push(start)
    })
  }

  /** Calls `ask` at once if nothing waits. Otherwise, returns `undefined`. */
  sendIfIdle<T>(ask: () => Promise<T>): Promise<T> | undefined {
    return this.#hasRoom() ? this.#sendNow(ask) : undefined
  }

  /** A silent server gets one reservation at a time: with `socketTimeout` of `redis`, each command restarts the time-out of the connection. */
  #hasRoom(): boolean {
    return this.#inFlight.size < (this.#isSilent ? 1 : this.concurrency)
  }

  async #sendNow<T>(ask: () => Promise<T>): Promise<T> {
    const sent = {}
    const settledBefore = this.#settled
    this.#inFlight.add(sent)
    let isLate = false
    const noteTimeout = () => {
      if (!isLate) this.#outage.noteTimeout()
      isLate = true
    }
    const startUnref = (milliseconds: number, act: () => void) => startTimer(milliseconds, act, { ref: false })
    let stopTimer = startUnref(this.timeout / 2, () => {
      if (this.#settled === settledBefore) this.#isSilent = true
      stopTimer = startUnref(this.timeout / 2, () => {
        noteTimeout()
        // A client can lose a statement, so a reservation no longer counts after twice the time-out.
        stopTimer = startUnref(this.timeout, () => this.#end(sent))
      })
    })
    try {
      const response = await ask()
      this.#outage.end()
      return response
    } catch (error) {
      if (isUnreachable(error)) noteTimeout()
      else this.#outage.end()
      throw error
    } finally {
      stopTimer()
      this.#settled++
      this.#isSilent = false
      this.#end(sent)
    }
  }

  #end(sent: object): void {
    this.#inFlight.delete(sent)
    while (this.#hasRoom() && this.#waiting.length > 0) this.#waiting.pop()?.()
  }
}
