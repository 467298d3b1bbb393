import { storeOverload } from '../../errors.js'
import { startTimer } from '../with-timeout.js'

/**
 * Limits how many statements are in flight. If the limit is reached, statements wait. The newest waiting statement is sent first, and a
 * statement that has waited for half of the time-out is refused.
 *
 * Without a limit, an overloaded server responds late to every statement (Bronson et al., "Metastable Failures in Distributed Systems",
 * HotOS 2021). The newest statement is first, because it has the most time left for its response (Maurer, "Fail at Scale", ACM Queue 2015).
 * The limit does not adapt to response times, because a stall of this process would look like a slow server.
 */
export class Admission {
  readonly #concurrency: number
  readonly #timeout: number
  readonly #tooLate: string
  /** The statements in flight. */
  readonly #inFlight = new Set<object>()
  /** Functions that each send a waiting statement, the newest last. */
  readonly #waiting: (() => void)[] = []

  constructor(concurrency: number, timeout: number) {
    this.#concurrency = concurrency
    this.#timeout = timeout
    this.#tooLate =
      `${concurrency} statements had no response for ${timeout / 2} ms. Check the server. ` +
      'If the server is far away, raise concurrency: 100 requests per second and a round-trip time of 300 ms need 40.'
  }

  /** Sends a statement as soon as the limit allows, and resolves to the response. */
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
    // A client can lose a statement, so a statement no longer counts after twice the time-out. By then, the server no longer runs the
    // statement.
    const stopTimer = startTimer(2 * this.#timeout, () => this.#end(sent), { ref: false })
    try {
      return await statement()
    } finally {
      stopTimer()
      this.#end(sent)
    }
  }

  /** Stops counting all statements in flight, because a new client has replaced the client that sent these statements. */
  forget(): void {
    for (const sent of [...this.#inFlight]) this.#end(sent)
  }

  #end(sent: object): void {
    this.#inFlight.delete(sent)
    while (this.#inFlight.size < this.#concurrency && this.#waiting.length > 0) this.#waiting.pop()?.()
  }
}
