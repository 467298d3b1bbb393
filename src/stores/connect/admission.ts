import { storeOverload } from '../../errors.js'
import { startTimer } from '../with-timeout.js'

/** How many statements may be in flight by default. */
export const CONCURRENCY = 16

/**
 * Limits how many statements are in flight. If there is no room, the newest statement is sent first, and a statement that has waited for
 * half of the time-out is refused.
 *
 * A server that gets more than it can do responds late to everything, as long as the load lasts (Bronson et al., "Metastable Failures in
 * Distributed Systems", HotOS 2021). The newest statement has the most time left, so its response still arrives in time (Maurer, "Fail at
 * Scale", ACM Queue 2015). The limit measures nothing, so a stall of this process is not mistaken for a slow server.
 */
export class Admission {
  readonly #concurrency: number
  readonly #timeout: number
  readonly #tooLate: string
  /** The statements in flight. */
  readonly #inFlight = new Set<object>()
  /** Sends each statement that waits. The newest comes last. */
  readonly #waiting: (() => void)[] = []

  constructor(concurrency: number, timeout: number) {
    this.#concurrency = concurrency
    this.#timeout = timeout
    this.#tooLate =
      `${concurrency} statements had no response for ${timeout / 2} ms. Check the server. ` +
      'If it is far away, raise concurrency: 100 requests per second at 300 ms need 40.'
  }

  /** Sends a statement, now or as soon as there is room for it, and resolves to the response. */
  send<T>(statement: () => Promise<T>): Promise<T> {
    if (this.#inFlight.size < this.#concurrency) return this.#sendNow(statement)
    return new Promise((resolve, reject) => {
      const start = () => {
        stopTimer()
        resolve(this.#sendNow(statement))
      }
      const stopTimer = startTimer(this.#timeout / 2, () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(storeOverload('ERR_NONCE_STORE_BUSY', this.#tooLate))
      })
      this.#waiting.push(start)
    })
  }

  async #sendNow<T>(statement: () => Promise<T>): Promise<T> {
    const sent = {}
    this.#inFlight.add(sent)
    // A client may lose a statement. After twice the time-out, the server no longer runs it.
    const stopTimer = startTimer(2 * this.#timeout, () => this.#end(sent), { ref: false })
    try {
      return await statement()
    } finally {
      stopTimer()
      this.#end(sent)
    }
  }

  /** Stops counting all statements in flight, because a new client has replaced the one that sent them. */
  forget(): void {
    for (const sent of [...this.#inFlight]) this.#end(sent)
  }

  #end(sent: object): void {
    this.#inFlight.delete(sent)
    while (this.#inFlight.size < this.#concurrency && this.#waiting.length > 0) this.#waiting.pop()?.()
  }
}
