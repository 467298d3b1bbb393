import { setImmediate as untilIdle } from 'node:timers/promises'
import { vi } from 'vitest'

/** Promises that may follow each other before the next timer is due. */
const TICKS = 30

interface Timer {
  due: number
  act: () => void
  isRef: boolean
}

/**
 * Replaces `setTimeout`, `setImmediate` and `performance.now` by a clock that only moves when a test says so. This class is a hundred
 * times quicker than the fake timers of Vitest, which wait for the event loop after each step.
 */
export class SimulatedTime {
  now = 0
  #timers: Timer[] = []

  start(): void {
    // The first call makes the fake timers of Vitest, which would otherwise keep the functions below as the real ones.
    vi.isFakeTimers()
    // Node loads its Fetch API at the first use, and then keeps functions of `performance` for all files of the thread.
    new Headers()
    vi.stubGlobal('performance', { now: () => this.now })
    const start = (act: (value?: unknown) => void, milliseconds: number, value?: unknown) => {
      const unref = () => Object.assign(timer, { isRef: false })
      // Node waits 1 ms for a time that is too large.
      const due = this.now + (milliseconds < 2 ** 31 ? milliseconds : 1)
      const timer = { due, act: () => act(value), unref, isRef: true }
      const index = this.#timers.findLastIndex(({ due }) => due <= timer.due)
      this.#timers.splice(index + 1, 0, timer)
      return timer
    }
    vi.stubGlobal('setTimeout', start)
    vi.stubGlobal('setImmediate', (act: () => void) => start(act, 0))
    const stop = (timer: Timer) => {
      const index = this.#timers.indexOf(timer)
      if (index >= 0) this.#timers.splice(index, 1)
    }
    vi.stubGlobal('clearTimeout', stop)
    vi.stubGlobal('clearImmediate', stop)
  }

  stop(): void {
    vi.unstubAllGlobals()
  }

  /** Lets time pass, and runs all timers that are due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    await settle()
    while ((this.#timers[0]?.due ?? Number.POSITIVE_INFINITY) <= end) {
      this.#runNext()
      await settle()
    }
    this.now = end
  }

  /** Lets time pass until a promise settles, and returns its value. Fails if the promise waits for something else than time. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false
    const settled = () => {
      isSettled = true
    }
    promise.then(settled, settled)
    for (;;) {
      // The chains of promises can be long here, and the simulated time does not pass before they end.
      await untilIdle()
      if (isSettled) return promise
      if (this.timers === 0) throw new Error('The promise waits for something else than time.')
      this.#runNext()
    }
  }

  /** Lets time pass while the event loop does nothing. Then runs the timers that are due, and after them `read`, as Node does. */
  async stall(milliseconds: number, read: () => void): Promise<void> {
    this.now += milliseconds
    for (const timer of this.#timers.filter(({ due }) => due <= this.now)) {
      this.#timers.splice(this.#timers.indexOf(timer), 1)
      timer.act()
      await settle()
    }
    read()
    await settle()
  }

  /** How many timers have not run yet. */
  get timers(): number {
    return this.#timers.length
  }

  /** How many of them keep the process running. Those of Node, such as for an idle connection of `fetch`, do not. */
  get refs(): number {
    return this.#timers.filter(({ isRef }) => isRef).length
  }

  #runNext(): void {
    const next = this.#timers.shift()
    if (next === undefined) return
    this.now = Math.max(this.now, next.due)
    next.act()
  }
}

async function settle(): Promise<void> {
  for (let tick = 0; tick < TICKS; tick++) await undefined
}
