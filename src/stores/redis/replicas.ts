import { codedError } from '../connect/failure.js'

/** After this many checks without a replica, the store no longer waits for it. Until then, the replica may have become a master. */
const CHECKS = 6

/** For this time, replicas count as lost, in milliseconds. After a planned failover, sentinels need up to 2 s to name the new master. */
const LOST_FOR = 3000

/**
 * Sends commands on one connection without a gap, and resolves to their replies, which may be errors. Rejects if the connection is lost
 * before the last reply.
 */
export type SendTogether<Connection> = (
  connection: Connection,
  commands: readonly string[][],
) => Promise<readonly unknown[]>

interface Reservation {
  args: string[]
  resolve(reply: unknown): void
  reject(error: unknown): void
}

/** What is known about the server of a connection. */
interface Master {
  runId: string | undefined
  /** How many replicas each of the last checks saw. The latest check is at the end. */
  readonly counts: number[]
  /** The reservations to send when the replies to the reservations before them have arrived. */
  readonly waiting: Reservation[]
  isSending: boolean
}

/**
 * Confirms a reservation only when replicas have it. All reservations that arrive during one round trip share the next `WAIT`.
 *
 * `WAIT` only counts what its own connection has written, so reservations and their `WAIT` are sent on the same connection. On a
 * connection that has written nothing, `WAIT` would confirm everything.
 *
 * A planned failover makes one replica a master, while the old master still has the other replicas. So `WAIT` asks for every replica
 * that the master had during the last checks.
 */
export class Replicas<Connection extends object> {
  readonly #minimum: number
  readonly #wait: string
  readonly #sendTogether: SendTogether<Connection>
  readonly #masters = new WeakMap<Connection, Master>()
  /** When a check last saw enough replicas, in milliseconds of `performance.now()`. */
  #hadEnoughAt = Number.NEGATIVE_INFINITY

  /**
   * @param minimum - how many replicas must have a reservation.
   * @param milliseconds - how long to wait for the replicas. During this time, the other commands of the connection wait too.
   */
  constructor(minimum: number, milliseconds: number, sendTogether: SendTogether<Connection>) {
    this.#minimum = minimum
    this.#wait = String(Math.ceil(milliseconds))
    this.#sendTogether = sendTogether
  }

  /** Learns from the reply to `INFO` how many replicas the server of a connection has. */
  observe(connection: Connection, info: string): void {
    const master = this.#masterOf(connection)
    const runId = /^run_id:(\w+)/m.exec(info)?.[1]
    if (runId !== master.runId) master.counts.length = 0
    master.runId = runId
    // A replica reports once per second, and the lag is in whole seconds, so it can be 2 between two reports of a replica that works.
    const count = info.match(/^slave\d+:.*\bstate=online\b.*\blag=[012]\b/gm)?.length ?? 0
    master.counts.push(count)
    if (count >= this.#minimum) this.#hadEnoughAt = performance.now()
    if (master.counts.length > CHECKS) master.counts.shift()
  }

  /** Returns whether the server of a connection has too few replicas, although there were enough a moment ago. */
  areLost(connection: Connection): boolean {
    const count = this.#masterOf(connection).counts.at(-1) ?? 0
    return count < this.#minimum && performance.now() - this.#hadEnoughAt < LOST_FOR
  }

  /** Sends a reservation, and resolves to its reply when enough replicas have it. */
  reserve(connection: Connection, args: string[]): Promise<unknown> {
    const master = this.#masterOf(connection)
    const needed = this.#neededBy(master)
    const { length, [length - 1]: count = needed } = master.counts
    if (count < needed) return Promise.reject(tooFew(count, needed))
    return new Promise((resolve, reject) => {
      master.waiting.push({ args, resolve, reject })
      if (!master.isSending) void this.#sendAll(connection, master)
    })
  }

  #masterOf(connection: Connection): Master {
    const known = this.#masters.get(connection)
    if (known !== undefined) return known
    const master: Master = { runId: undefined, counts: [], waiting: [], isSending: false }
    this.#masters.set(connection, master)
    return master
  }

  #neededBy({ counts }: Master): number {
    return Math.max(this.#minimum, ...counts)
  }

  async #sendAll(connection: Connection, master: Master): Promise<void> {
    master.isSending = true
    // The reservations of one turn of the event loop are sent together.
    await undefined
    while (master.waiting.length > 0) {
      const batch = master.waiting.splice(0)
      const needed = this.#neededBy(master)
      try {
        const commands = [...batch.map(({ args }) => args), ['WAIT', String(needed), this.#wait]]
        const replies = await this.#sendTogether(connection, commands)
        const count = replies.at(-1)
        for (const [index, { resolve, reject }] of batch.entries()) {
          const reply = replies[index]
          if (reply instanceof Error) reject(reply)
          else if (count instanceof Error) reject(count)
          // A refused reservation needs no replica.
          else if (String(reply).startsWith('taken ') || Number(count) >= needed) resolve(reply)
          else reject(tooFew(Number(count), needed))
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    master.isSending = false
  }
}

function tooFew(count: number, needed: number): Error {
  return codedError(
    'NOREPLICAS',
    `${count} of ${needed} replicas have the reservation. Start a replica, or wait for it.`,
  )
}

/** Returns the slot of a key in a cluster: CRC16 (XMODEM) of its hash tag, modulo 16384. */
export function slotOf(key: string): number {
  const tagged = /^[^{]*\{([^}]+)\}/.exec(key)
  let crc = 0
  for (const byte of Buffer.from(tagged?.[1] ?? key)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return crc & 0x3fff
}
