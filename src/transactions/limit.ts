import { startTimer } from '../within.js'

/** A limit of time for the current step. When the time of a step is over, the limit is exceeded for good. */
export class Limit {
  readonly #controller = new AbortController()
  #stop = () => {}

  /** Aborts when the limit is exceeded. The reason is the error of the step. */
  readonly signal: AbortSignal = this.#controller.signal

  /** Rejects when the limit is exceeded. */
  readonly exceeded = new Promise<never>((_, reject) => {
    this.signal.addEventListener('abort', () => reject(this.signal.reason))
  })

  /** Starts the time of the next step, which may be `Infinity`. `late` returns the error of this step. */
  start(milliseconds: number, late: () => unknown): void {
    this.stop()
    if (milliseconds !== Number.POSITIVE_INFINITY)
      this.#stop = startTimer(milliseconds, () => this.#controller.abort(late()))
  }

  stop(): void {
    this.#stop()
  }
}
