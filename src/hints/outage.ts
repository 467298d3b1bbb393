import { warn } from './warnings.js'

const MIN_TIMEOUTS = 3
const MIN_MILLISECONDS = 10_000

/** Warns once per outage: 10 s in which at least three statements had no response in time, and no statement had a response. */
export class Outage {
  #timeouts = 0
  #start = 0
  #isWarned = false

  /** Notes that a statement had no response in time. Call this once per statement. */
  noteTimeout(): void {
    const now = performance.now()
    this.#start = this.#timeouts === 0 ? now : this.#start
    this.#timeouts++
    if (this.#isWarned || this.#timeouts < MIN_TIMEOUTS || now - this.#start < MIN_MILLISECONDS) return
    this.#isWarned = true
    warn(
      'NO_DATABASE_RESPONSE',
      'No response from the database for 10 s. If the server works, this client cannot recover by itself. See node_modules/inbound-webhook-auth/docs/operate/failures.md',
    )
  }

  /** Ends the outage, because a statement had a response, or the client noticed the fault by itself. */
  end(): void {
    this.#timeouts = 0
    this.#isWarned = false
  }
}
