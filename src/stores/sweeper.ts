/** The maximum number of rows that one sweep deletes, so that other statements wait only briefly. */
export const SWEEP_ROWS = 256

/** A reservation adds at most two rows, so the sweeps keep up. */
const INTERVAL = 64

/** The interval after a sweep that found few expired rows. */
const IDLE_INTERVAL = 256

/** A client can lose a statement, so after this time the next sweep can start. */
const LOST_AFTER_MILLISECONDS = 60_000

/** Decides after which reservations a table is swept, so that nobody has to delete expired rows on a schedule. */
export class Sweeper {
  /** The number of reservations since the last sweep. */
  #count: number | undefined
  #interval = INTERVAL
  /** Until when no other sweep starts, by `performance.now()`. */
  #busyUntil = 0

  /** Counts a reservation. If a sweep is due, calls `sweep`, which resolves to the number of deleted rows, or returns `undefined` to wait. */
  noteReservation(sweep: () => Promise<number> | undefined): void {
    // The count starts at a random number, so that the table of many short processes is swept too.
    this.#count = (this.#count ?? Math.floor(INTERVAL * Math.random())) + 1
    if (this.#count < this.#interval || performance.now() < this.#busyUntil) return
    const sweeping = sweep()
    if (sweeping === undefined) return
    this.#count = 0
    this.#busyUntil = performance.now() + LOST_AFTER_MILLISECONDS
    sweeping
      .then((deleted) => {
        // A sweep skips locked rows, so a sweep that is nearly full may have left rows.
        this.#interval = deleted < SWEEP_ROWS / 2 ? IDLE_INTERVAL : INTERVAL
      })
      // The next sweep tries again.
      .catch(() => {})
      .finally(() => {
        this.#busyUntil = 0
      })
  }
}
