import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MariaDbServer } from '../../support/mariadb-server.js'
import type { PostgresServer } from '../../support/servers.js'

// Servers with a known capacity: they do so many reservations per second, and no more.

/**
 * Makes each insertion sleep. The table must exist. Commits do not wait for the disk, so that its speed does not change the capacity.
 *
 * @param seconds - how long the two insertions of a JSON request take together.
 */
export async function slowDownPostgres(server: PostgresServer, seconds: number): Promise<void> {
  await server.sql(`
    ALTER ROLE ALL SET synchronous_commit = off;
    CREATE OR REPLACE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_sleep(${seconds / 2}); RETURN NEW; END $$;
    CREATE TRIGGER be_slow BEFORE INSERT ON webhook_nonces FOR EACH ROW EXECUTE FUNCTION be_slow()`)
}

/** The same as {@link slowDownPostgres}. */
export async function slowDownMariaDb(server: MariaDbServer, seconds: number): Promise<void> {
  await server.sql('SET GLOBAL innodb_flush_log_at_trx_commit = 0')
  await server.sql(`CREATE TRIGGER hooks.be_slow BEFORE INSERT ON hooks.webhook_nonces
    FOR EACH ROW SET @slept = SLEEP(${seconds / 2})`)
}

/**
 * A server of Redis's protocol that needs some time for each `EVAL`. It does one after the other, as Redis does, and all other
 * commands wait for their turn.
 */
export class SlowRedis {
  readonly #server
  readonly #sockets = new Set<Socket>()
  readonly #tokens = new Map<string, string>()
  /** The commands that wait for their turn, with the time at which each arrived. */
  #waiting: { socket: Socket; command: string[]; arrived: number }[] = []
  #isRunning = true

  /** @param milliseconds - how long an `EVAL` takes. */
  private constructor(public milliseconds: number) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      let rest = ''
      socket
        .setNoDelay(true)
        .setEncoding('latin1')
        .on('error', () => {})
        .on('close', () => {
          this.#sockets.delete(socket)
          this.#waiting = this.#waiting.filter((command) => command.socket !== socket)
        })
        .on('data', (chunk) => {
          const { commands, tail } = parse(rest + chunk)
          rest = tail
          const arrived = performance.now()
          for (const command of commands) this.#waiting.push({ socket, command, arrived })
        })
    })
  }

  static async start(milliseconds = 10): Promise<SlowRedis> {
    const server = new SlowRedis(milliseconds)
    await once(server.#server.listen(0, '127.0.0.1'), 'listening')
    void server.#work()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${Object(this.#server.address()).port}`
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server.close(), 'close')
  }

  async #work(): Promise<void> {
    // When the last command was done. Timers are late, so this is the time at which it should have been done.
    let done = 0
    while (this.#isRunning) {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        const isReservation = next.command[0] === 'EVAL'
        const due = Math.max(done, next.arrived) + (isReservation ? this.milliseconds : 0)
        if (due > performance.now()) break
        done = due
        this.#waiting.shift()
        next.socket.write(this.#reply(next.command))
      }
      await sleep(1)
    }
  }

  #reply(command: string[]): string {
    const name = command[0]?.toUpperCase()
    if (name !== 'EVAL') return '+OK\r\n'
    const count = Number(command[2])
    const keys = command.slice(3, 3 + count)
    const token = String(command[3 + count])
    if (command[1]?.includes('maxmemory_policy')) return bulk(`noeviction ${token}`)
    if (command[1]?.includes('released')) return bulk(`released ${token}`)
    if (keys.some((key) => this.#tokens.has(key))) return bulk(`taken ${token}`)
    for (const key of keys) this.#tokens.set(key, token)
    return bulk(`reserved ${token}`)
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}

/** Reads all complete commands. A command is an array of strings, each with its length. */
function parse(text: string): { commands: string[][]; tail: string } {
  const commands: string[][] = []
  let tail = text
  for (;;) {
    const head = /^\*(\d+)\r\n/.exec(tail)
    if (head === null) return { commands, tail }
    let position = head[0].length
    const command: string[] = []
    for (let index = 0; index < Number(head[1]); index++) {
      const length = /^\$(\d+)\r\n/.exec(tail.slice(position, position + 20))
      if (length === null) return { commands, tail }
      position += length[0].length
      const end = position + Number(length[1])
      if (tail.length < end + 2) return { commands, tail }
      command.push(tail.slice(position, end))
      position = end + 2
    }
    commands.push(command)
    tail = tail.slice(position)
  }
}
