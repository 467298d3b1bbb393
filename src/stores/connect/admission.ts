import { storeOverload } from '../../errors.js'
import { noAnswer, within } from '../with-timeout.js'

// A server that gets more than it can do answers everything late. A late answer is work for a request that has gone. So in the end
// the server accepts nothing, for as long as the load lasts (Bronson et al., "Metastable Failures in Distributed Systems", HotOS 2021).
// So a reservation that could only be answered too late is refused before it is sent.
//
// | when                                     | what happens                              | why                                      |
// |------------------------------------------|-------------------------------------------|------------------------------------------|
// | fewer than `limit` are in flight         | a reservation is sent                     |                                          |
// | its wait for an answer fits in `patience`| it waits, at most that long               | load comes in bursts                     |
// | its wait does not fit                    | it is refused at once                     | it could only be answered too late       |
// | answers take longer than `target`        | `limit` falls towards `fitting`           | the server has too much to do            |
// | answers are quicker, and `limit` is used | `limit` grows to `fitting`, at most twice | the server can do more                   |
// | the last answer was quick, none is left  | `limit` returns to `START`, at most twice | the server has caught up                 |
// | no statement is answered                 | `limit` stays                             | a server that hangs shows no speed       |
//
// fitting = n × target ÷ round trip. By Little's law, a server that answers after one round trip while n are in flight does
// n ÷ round trip, which is `fitting` within `target`. The law is true whatever limits the server: its processor, its disk, or the
// connections of a pool. The law of a limit that follows the round trips comes from TCP Vegas, by way of Netflix's concurrency-limits.
// Both compare a round trip with the quickest one. This file compares it with the deadline, because a database that becomes slower,
// or is far away, is not behind as long as it answers in time.

/** How many statements may be in flight until the speed of the server is known. A pool has only ten connections. */
const START = 40

/**
 * How many statements may be in flight per second of a round trip, if the product is more than `START`. A server that is far away needs
 * more, because a new connection takes three round trips.
 */
const START_PER_SECOND = 300

/**
 * An answer should take the time of a single statement plus this share of the rest of the time-out, and at most `MAX_TARGET` of the
 * whole time-out. Half of the rest is too much, because some clients answer out of turn.
 */
const TARGET = 0.4
const MAX_TARGET = 0.75

/** An answer within this share of the target is quick. A server that has too much to do needs the whole target. */
const QUICK = 0.75

/** The share by which an average moves towards a new value, as in TCP (RFC 6298). The share is small, so one slow answer changes little. */
const MIN_GAIN = 1 / 8

/** If answers are rare, each one moves the average more, so that a very slow server is noticed within a second too. */
const MAX_GAIN = 1 / 2

/** The connections of a pool by default, with every client. */
const DEFAULT_POOL = 10

/** A statement that was sent. */
interface Sent {
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  /** How many statements were in flight, this one included. */
  readonly inFlight: number
  /** Whether the statement no longer counts: it was answered, or it is lost. */
  isOver: boolean
  /** The statement that was sent after this one. */
  next: Sent | undefined
}

/** Admits as many reservations as a server can answer in time, and refuses the others before they are sent. */
export class Admission {
  readonly #timeout: number
  /** The name of the option for the size of the pool, if the client has one. */
  readonly #poolOption: string | undefined
  #limit = START
  /** How many statements have no answer. A reservation has one statement at a time. */
  #inFlight = 0
  /** The oldest and the newest statement in a list. The oldest one is not over. A list makes less garbage than a `Set`. */
  #oldest: Sent | undefined
  #newest: Sent | undefined
  /** Starts the reservations that wait, oldest first. */
  readonly #waiting = new Set<() => void>()
  /** The average time of an answer, in milliseconds. */
  #roundTrip = 0
  /** The average time of an answer while nothing else is in flight, in milliseconds. */
  #alone = 0
  #learnedAt = performance.now()
  /** How many reservations came, and how many statements were answered, in this second and in the one before. */
  #second = { since: performance.now(), offered: 0, answered: 0 }
  #lastSecond: { milliseconds: number; offered: number; answered: number } | undefined

  /** @param timeout - how long a reservation may take, in milliseconds. */
  constructor(timeout: number, poolOption?: string) {
    this.#timeout = timeout
    this.#poolOption = poolOption
  }

  /** Returns how long an answer should take at most, in milliseconds. A server that is far away has more time. */
  get #target(): number {
    return Math.min(this.#alone + TARGET * (this.#timeout - this.#alone), MAX_TARGET * this.#timeout)
  }

  /** Returns how long a reservation may wait, in milliseconds. The rest of the time-out is for delays that nobody can foresee. */
  get #patience(): number {
    return (this.#timeout - this.#target) / 2
  }

  /**
   * Sends a reservation, now or as soon as there is room for it, and resolves to the answer of `reserve`.
   *
   * @param reserve - sends its first statement before it returns.
   * @throws an error with `code` `ERR_NONCE_STORE_BUSY` if the reservation could not be answered in time.
   */
  admit(reserve: () => Promise<boolean>): Promise<boolean> {
    this.#second.offered++
    if (this.#waiting.size === 0 && this.#hasRoom()) return reserve()
    if (this.#waiting.size * this.#turn() > this.#patience) return Promise.reject(this.#busy())
    const came = performance.now()
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        this.#waiting.delete(start)
        resolve(within(this.#timeout - (performance.now() - came), reserve(), noAnswer(this.#timeout)))
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(start)
        reject(this.#busy())
        // The statements in flight may all be lost, so that no answer admits the next one.
        this.#admitNext()
      }, this.#patience)
      this.#waiting.add(start)
    })
  }

  /** Sends a statement of a reservation that was admitted, and resolves to the answer. Measures how long the answer takes. */
  async send<T>(statement: () => Promise<T>): Promise<T> {
    const sent: Sent = { at: performance.now(), inFlight: ++this.#inFlight, isOver: false, next: undefined }
    if (this.#oldest === undefined) this.#oldest = sent
    else (this.#newest as Sent).next = sent
    this.#newest = sent
    try {
      const answer = await statement()
      this.#learn(sent, performance.now())
      return answer
    } finally {
      this.#end(sent)
      this.#admitNext()
    }
  }

  #end(sent: Sent): void {
    if (sent.isOver) return
    sent.isOver = true
    this.#inFlight--
    while (this.#oldest?.isOver) this.#oldest = this.#oldest.next
  }

  /**
   * Stops counting the statements in flight. Call it when a new client has replaced the one that sent them, because they may all be
   * lost.
   */
  forget(): void {
    while (this.#oldest !== undefined) this.#end(this.#oldest)
    this.#admitNext()
  }

  #learn(sent: Sent, now: number): void {
    const roundTrip = now - sent.at
    const gain = Math.min(MAX_GAIN, Math.max(MIN_GAIN, (4 * (now - this.#learnedAt)) / this.#timeout))
    this.#learnedAt = now
    this.#roundTrip += gain * (roundTrip - this.#roundTrip)
    if (sent.inFlight === 1) this.#alone += (this.#alone === 0 ? 1 : gain) * (roundTrip - this.#alone)
    this.#count(now)
    this.#second.answered++

    const target = this.#target
    const fitting = (sent.inFlight * target) / this.#roundTrip
    if (this.#roundTrip > target) {
      this.#limit = Math.max(1, this.#limit + gain * Math.min(0, fitting - this.#limit))
    } else if (this.#inFlight === 1 && roundTrip < QUICK * target) {
      const start = Math.max(START, (START_PER_SECOND * this.#alone) / 1000)
      this.#limit = Math.min(start, 2 * this.#limit)
      this.#roundTrip = roundTrip
    } else if (sent.inFlight > this.#limit / 2) {
      this.#limit = Math.max(this.#limit, Math.min(fitting, 2 * sent.inFlight), sent.inFlight + 1)
    }
  }

  /** Returns whether one more statement may be in flight. */
  #hasRoom(): boolean {
    if (this.#inFlight + 1 <= this.#limit) return true
    // A client may lose a statement. After twice the time-out, the server no longer runs the statement, so it no longer counts.
    const lost = performance.now() - 2 * this.#timeout
    while (this.#oldest !== undefined && this.#oldest.at <= lost) this.#end(this.#oldest)
    return this.#inFlight + 1 <= this.#limit
  }

  #admitNext(): void {
    // Most of the time, nothing waits, and the loop would only create an iterator.
    if (this.#waiting.size === 0) return
    for (const start of this.#waiting) {
      if (!this.#hasRoom()) return
      start()
    }
  }

  /** Returns the milliseconds between two answers when `limit` statements are in flight. */
  #turn(): number {
    // If the server has become slower, the oldest statement in flight shows it first.
    const oldest = this.#oldest === undefined ? 0 : performance.now() - this.#oldest.at
    return Math.max(this.#roundTrip, oldest) / this.#limit
  }

  /** Begins the next second if the present one is over. */
  #count(now: number): void {
    const milliseconds = now - this.#second.since
    if (milliseconds < 1000) return
    const { offered, answered } = this.#second
    // A count over two seconds or more includes idle time, so its average says nothing about now.
    this.#lastSecond = milliseconds < 2000 ? { milliseconds, offered, answered } : undefined
    this.#second = { since: now, offered: 0, answered: 0 }
  }

  #busy(): Error {
    const now = performance.now()
    this.#count(now)
    const { milliseconds, offered, answered } = this.#lastSecond ?? {
      ...this.#second,
      milliseconds: Math.max(1, now - this.#second.since),
    }
    const count = this.#inFlight + this.#waiting.size
    const perSecond = Math.round((1000 * answered) / milliseconds)
    if (answered === 0 && milliseconds >= 1000) {
      return storeOverload(
        'ERR_NONCE_STORE_BUSY',
        `The server does not answer, and ${count} reservations wait. Start it, or find what blocks it.`,
      )
    }
    // Twice as many connections as are busy on average, because load comes in bursts.
    const connections = 10 * Math.round((0.2 * offered * this.#alone) / milliseconds)
    const pool =
      connections > DEFAULT_POOL && this.#poolOption ? `Pass ${this.#poolOption}: ${connections}, or use` : 'Use'
    return storeOverload(
      'ERR_NONCE_STORE_BUSY',
      `The server is behind: ${count} reservations wait, it answers ${perSecond} per second. ${pool} a faster server.`,
    )
  }
}
