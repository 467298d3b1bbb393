import { vi } from 'vitest'

/** Promises that may follow each other before the next timer is due. */
const TICKS = 30

/**
 * Replaces `setTimeout`, `clearTimeout` and `performance.now` by a clock that only moves when a test says so. It is a hundred
 * times quicker than the fake timers of Vitest, which wait for the event loop after each step.
 */
export class SimulatedTime {
  now = 0
  #timers: { due: number; act: () => void }[] = []

  start(): void {
    vi.stubGlobal('performance', { now: () => this.now })
    vi.stubGlobal('setTimeout', (act: () => void, milliseconds: number) => {
      const timer = { due: this.now + milliseconds, act }
      const index = this.#timers.findLastIndex(({ due }) => due <= timer.due)
      this.#timers.splice(index + 1, 0, timer)
      return timer
    })
    vi.stubGlobal('clearTimeout', (timer: object) => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    })
  }

  stop(): void {
    vi.unstubAllGlobals()
  }

  /** Lets time pass, and runs all timers that are due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    await settle()
    for (let [next] = this.#timers; next !== undefined && next.due <= end; [next] = this.#timers) {
      this.#timers.shift()
      this.now = Math.max(this.now, next.due)
      next.act()
      await settle()
    }
    this.now = end
  }
}

async function settle(): Promise<void> {
  for (let tick = 0; tick < TICKS; tick++) await undefined
}
