import { storeOverload } from '../errors.js'
import { Outage } from '../hints/outage.js'
import { isUnreachable } from './failure.js'
import { startTimer } from './with-timeout.js'

/**
 * Limits how many reservations are in flight. If the limit is reached, reservations wait. The newest waiting reservation is sent first, and
 * a reservation that has waited for half of the time-out is refused.
 *
 * Without a limit, an overloaded server responds late to every reservation (Bronson et al., "Metastable Failures in Distributed Systems",
 * HotOS 2021). The newest is first, because it has the most time left for its response (Maurer, "Fail at Scale", ACM Queue 2015). The limit
 * does not adapt to response times, because a stall of this process would look like a slow server.
 */
export class Admission {
  readonly #concurrency: number
  readonly #timeout: number
  readonly #tooLate: string
  readonly #outage = new Outage()
  /** The reservations in flight. */
  readonly #inFlight = new Set<object>()
  /** Functions that each send a waiting reservation, the newest last. */
  readonly #waiting: (() => void)[] = []

  constructor(concurrency: number, timeout: number) {
    this.#concurrency = concurrency
    this.#timeout = timeout
    this.#tooLate =
      `${concurrency} reservations were in flight for ${timeout / 2} ms. Check the server. ` +
      'If the server is far away, raise concurrency: 100 requests per second and a round-trip time of 300 ms need 40.'
  }

  /** Calls `ask` as soon as the limit allows, and resolves to the response. */
  send<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#inFlight.size < this.#concurrency) return this.#sendNow(ask)
    return new Promise((resolve, reject) => {
      const start = () => {
        stopTimer()
        resolve(this.#sendNow(ask))
      }
      const stopTimer = startTimer(this.#timeout / 2, () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(storeOverload('ERR_NONCE_STORE_BUSY', this.#tooLate))
      })
      this.#waiting.push(start)
    })
  }

  /** Calls `ask` at once if nothing waits. Otherwise, returns `undefined`. */
  sendIfIdle<T>(ask: () => Promise<T>): Promise<T> | undefined {
    return this.#inFlight.size < this.#concurrency ? this.#sendNow(ask) : undefined
  }

  async #sendNow<T>(ask: () => Promise<T>): Promise<T> {
    const sent = {}
    this.#inFlight.add(sent)
    const noteTimeout = this.#outage.newStatement()
    const startUnref = (act: () => void) => startTimer(this.#timeout, act, { ref: false })
    let stopTimer = startUnref(() => {
      noteTimeout()
      // A client can lose a statement, so a reservation no longer counts after twice the time-out.
      stopTimer = startUnref(() => this.#end(sent))
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
      this.#end(sent)
    }
  }

  #end(sent: object): void {
    this.#inFlight.delete(sent)
    while (this.#inFlight.size < this.#concurrency && this.#waiting.length > 0) this.#waiting.pop()?.()
  }
}
