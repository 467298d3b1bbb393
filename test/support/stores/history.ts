import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../servers.js'
import type { Call } from './linearizable.js'
import { startWorker } from './workers.js'

const PROCESSES = 4
/** Milliseconds between two groups of keys. */
const INTERVAL = 40
/** When the keys of a group are reserved: at once, after 80 ms, after 1.6 s, and at the end. In intervals. */
const VISITS = [0, 2, 40]
const CALLS_PER_VISIT = 3
const WEBHOOKS = ['a', 'b']

let runs = 0

/** A call as a process reports it. */
type Recorded = Call & { error?: string }

/**
 * Reserves the keys of many messages from several processes during faults. After the faults, it tries to reserve each key,
 * which shows what is taken. Returns every call.
 *
 * @param kinds - the set-ups of the processes, in turns.
 * @param faults - starts during the calls. It may stop and kill processes.
 */
export async function recordHistory(
  kinds: readonly string[],
  address: unknown,
  faults: (processes: readonly Process[]) => Promise<void>,
): Promise<Recorded[]> {
  const history: Recorded[] = []
  const prefix = `${process.pid}-${Date.now()}-${runs++}`
  const processes: Process[] = []
  try {
    for (let index = 0; index < PROCESSES; index++) {
      processes.push(new Process(kinds[index % kinds.length] as string, address, history))
    }
    await Promise.all(processes.map((caller) => caller.isReady))

    let isOver = false
    const over = faults(processes).finally(() => {
      isOver = true
    })
    const calls: Promise<unknown>[] = []
    let groups = 0
    for (; !isOver; groups++) {
      for (const group of VISITS.map((visit) => groups - visit).filter((group) => group >= 0)) {
        for (let count = 0; count < CALLS_PER_VISIT * WEBHOOKS.length; count++) {
          const webhookId = WEBHOOKS[count % WEBHOOKS.length] as string
          calls.push(oneOf(processes).reserve(webhookId, oneOf(reservationsOf(`${prefix}-${group}`))))
        }
      }
      await sleep(INTERVAL)
    }
    await over
    await Promise.all(calls)

    const running = processes.filter(({ isRunning }) => isRunning)
    let attempts = 0
    for (const caller of running) {
      await eventually(async () => {
        // A new key each time: an attempt that was too late may have reserved its key.
        if (!(await caller.reserve('a', [`${prefix} heals ${attempts++}`]))) throw new Error('the store does not heal')
      })
    }
    for (let group = 0; group < groups; group++) {
      const checks = checksOf(`${prefix}-${group}`)
      await Promise.all(WEBHOOKS.flatMap((id) => checks.map((keys) => oneOf(running).reserve(id, keys))))
    }
    return history
  } finally {
    for (const caller of processes) await caller.kill()
  }
}

/** Returns the keys that `verify` may reserve: a nonce, or the signature of a message and the nonce of one of three splits. */
function reservationsOf(start: string): string[][] {
  const nonces = noncesOf(start)
  const pairs = nonces.map((nonce) => [nonce, signatureOf(start, 'one')])
  return [...pairs, ...nonces.map((nonce) => [nonce]), ...nonces.map((nonce) => [nonce, signatureOf(start, 'two')])]
}

/**
 * Returns one call per nonce and one per signature. A call for a signature also has a new nonce, because `verify` never
 * reserves a signature alone.
 */
function checksOf(start: string): string[][] {
  const signatures = ['one', 'two'].map((message) => [`${start}:${message}`, signatureOf(start, message)])
  return [...noncesOf(start).map((nonce) => [nonce]), ...signatures]
}

function noncesOf(start: string): string[] {
  return [start, `${start}:1`, `${start}:1:2`]
}

function signatureOf(start: string, message: string): string {
  return `signature ${createHash('sha256').update(`${start} ${message}`).digest('hex')}`
}

function oneOf<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T
}

/** A process with its own store. It reserves the keys that the test sends to it. */
export class Process {
  readonly isReady: Promise<void>
  readonly #worker
  readonly #history: Recorded[]
  readonly #pending = new Map<number, { call: Recorded; done: () => void }>()
  #reservesAll = false
  #calls = 0
  #isClosed = false

  constructor(kind: string, address: unknown, history: Recorded[]) {
    this.#history = history
    this.#worker = startWorker(kind, address, 'calls')
    // A process that was killed reads nothing.
    this.#worker.stdin.on('error', () => {})
    const lines = createInterface({ input: this.#worker.stdout })
    this.isReady = Promise.race([once(lines, 'line'), once(lines, 'close')]).then(([line]) => {
      if (line === undefined) throw new Error(`${kind}: a process cannot connect`)
      this.#reservesAll = JSON.parse(line).reservesAll
      lines.on('line', (text: string) => this.#read(JSON.parse(text)))
    })
    lines.on('close', () => {
      this.#isClosed = true
      for (const { done } of this.#pending.values()) done()
    })
  }

  get isRunning(): boolean {
    return this.#worker.exitCode === null && this.#worker.signalCode === null
  }

  /** Reserves keys as `verify` does: at once if the store can. Returns whether all are reserved. */
  async reserve(webhookId: string, keys: readonly string[]): Promise<boolean> {
    if (this.#reservesAll) return this.#call(webhookId, keys)
    for (const key of keys) if (!(await this.#call(webhookId, [key]))) return false
    return true
  }

  async #call(webhookId: string, keys: readonly string[]): Promise<boolean> {
    const number = this.#calls++
    const call: Recorded = {
      keys: keys.map((key) => `${webhookId} ${key}`),
      startedAt: Number.NaN,
      endedAt: Number.POSITIVE_INFINITY,
      outcome: 'failure',
    }
    // A process that was killed answers nothing, some time before it counts as ended.
    if (this.#isClosed) return false
    await new Promise<void>((done) => {
      this.#pending.set(number, { call, done })
      this.#worker.stdin.write(`${JSON.stringify({ number, webhookId, keys })}\n`)
    })
    return call.outcome === 'reserved'
  }

  #read({ number, ...event }: { number: number } & Partial<Recorded>): void {
    const pending = this.#pending.get(number)
    if (pending === undefined) throw new Error(`no call ${number}`)
    const { call, done } = pending
    Object.assign(call, event)
    if (event.startedAt !== undefined) this.#history.push(call)
    if (event.endedAt === undefined) return
    this.#pending.delete(number)
    done()
  }

  signal(signal: NodeJS.Signals): void {
    this.#worker.kill(signal)
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return
    this.signal('SIGKILL')
    await once(this.#worker, 'close')
  }
}
