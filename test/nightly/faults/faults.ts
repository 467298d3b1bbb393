import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { clientOf, mayBeSlow, RECOVERS_WITHIN } from '../../../docs/generate/faults.js'
import { eventually, TcpProxy } from '../../support/servers.js'
import { startWorker } from '../stores/workers.js'
import { type ClockedServer, clocksCanStep, SteppedClock } from './stepped-clock.js'

/** Milliseconds of load before a fault. */
const BEFORE = 600
/** Milliseconds of load after it. The guide promises service after 3000. */
const AFTER = 3500

interface Attempt {
  number: number
  startedAt: number
  milliseconds: number
  outcome: string
}

interface Fault {
  begin(): unknown
  /** How long it lasts, in milliseconds. By default 2500: longer than a client waits. */
  milliseconds?: number
  /** Without it, the fault is over when `begin` has returned. */
  end?(): unknown
  /** Checks the servers when the store has had its time to heal. The load still runs. */
  afterwards?(): unknown
}

interface Report {
  /** Requests that were accepted at least once. */
  accepted: number
  /** Requests that were accepted before the fault. */
  acceptedBefore: number
  /** Requests that were accepted more than once. All are sent again after the fault. */
  acceptedTwice: number
  /** Requests that all processes rejected as a replay, although no attempt was accepted or failed. */
  falseReplays: number
  /** Attempts that failed. */
  failures: number
  /** What happened to the attempts that began while the fault lasted, but not in its first two seconds. */
  during: { accepted: number; failures: number }
  errors: string[]
  /** The longest time that an attempt took, in milliseconds. */
  slowestInAll: number
  /** The longest time that an attempt took, minus the longest pause of the process. */
  slowest: number
  /** Milliseconds from the end of the fault to the start of the last attempt that failed. */
  healedAfter: number
}

let loads = 0

/** How many loads run at the same time. Each load has a server and several processes. More of them would keep the processor so busy that responses are late. */
const MAX_LOADS = 2
let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(act: () => Promise<T>): Promise<T> {
  if (running === MAX_LOADS) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await act()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** The longest time that an attempt may take, in milliseconds: the timeout of the guide plus half a second. */
const ANSWERS_WITHIN = 1500

/** The functions that a test calls at its end, in reverse order. */
export type Closers = (() => unknown)[]

export interface Row {
  fault: string
  store: string
  /** The files of docs/stores. The first recovers in time, and so do the others unless the guide says why they do not. */
  kinds: readonly string[]
  /** How many processes send the same requests. By default 2. */
  processes?: number
  /** Milliseconds between two requests of a process. By default 40. */
  interval?: number
  /** Whether the requests have events, as with `eventId`. */
  hasEvents?: boolean
  /** The reservations that the fault makes the store lose. By default nothing. */
  loses?: 'everything' | 'something' | 'nothing'
  /**
   * The proof that the fault had an effect. By default, requests fail. Other proofs are requests that are accepted again, and a check
   * in `begin`, `end` or `afterwards`.
   */
  proof?: 'failures' | 'loss' | 'own'
  /** Checks what else the report must show. */
  expects?(report: Report): void
  /** Starts the servers. The functions in `closers` are called at the end. */
  start(closers: Closers): Promise<{ address: unknown } & Fault>
}

/** Starts a proxy before a server, and returns the address through the proxy. */
export async function behindProxy(closers: Closers, { port, url }: { port: number; url: string }) {
  const proxy = await TcpProxy.start(port)
  closers.push(() => proxy.stop())
  return { proxy, address: url.replace(String(port), String(proxy.port)) }
}

type Clients = Pick<Row, 'store' | 'kinds'>

type Start<Server> = (closers: Closers) => Promise<{ server: Server; address: unknown }>

interface StoppableServer {
  signal(signal: NodeJS.Signals): unknown
}

/** Returns the row of a server that runs but does nothing. */
export function stoppedServer(clients: Clients, start: Start<StoppableServer>): Row {
  return {
    fault: 'the server hangs',
    ...clients,
    async start(closers) {
      const { server, address } = await start(closers)
      closers.push(() => server.signal('SIGCONT'))
      return { address, begin: () => server.signal('SIGSTOP'), end: () => server.signal('SIGCONT') }
    },
  }
}

interface KillableServer {
  kill(): Promise<void>
  restart(): Promise<void>
}

/** Returns the row of a server that keeps its data when it is killed. */
export function killedServer(clients: Clients, start: Start<KillableServer>): Row {
  return {
    fault: 'the server is killed and restarted',
    ...clients,
    async start(closers) {
      const { server, address } = await start(closers)
      return { address, begin: () => server.kill(), end: () => server.restart() }
    },
  }
}

/**
 * Returns the rows of a clock that steps, or none without the program `faketime`.
 *
 * @param secondsOf - returns the Unix time by the clock of the server.
 */
export function clockFaults<Server extends ClockedServer>(
  clients: Clients,
  start: Start<Server>,
  secondsOf: (server: Server) => unknown,
): Row[] {
  if (!clocksCanStep()) return []

  async function startStepping(closers: Closers) {
    const { server, address } = await start(closers)
    const clock = await SteppedClock.of(server)
    closers.push(() => clock.stop())
    const step = async (ahead: number) => {
      clock.step(ahead)
      await eventually(async () => {
        const drift = Number(await secondsOf(server)) - Date.now() / 1000 - ahead
        if (!(Math.abs(drift) < 30)) throw new Error(`the clock of the server did not step: it is ${drift} s off`)
      })
    }
    return { address, step }
  }

  return [
    {
      fault: "the server's clock steps forward by 601 s",
      ...clients,
      loses: 'everything',
      proof: 'loss',
      async start(closers) {
        const { address, step } = await startStepping(closers)
        return { address, begin: () => step(601) }
      },
    },
    {
      // When the clock returns, everything that was reserved meanwhile expires.
      fault: "the server's clock steps back by an hour, and is corrected later",
      ...clients,
      loses: 'something',
      proof: 'loss',
      async start(closers) {
        const { address, step } = await startStepping(closers)
        return { address, begin: () => step(-3600), end: () => step(0) }
      },
    },
  ]
}

/** Returns the row of connections that a firewall has forgotten. Nothing arrives on them, and nobody closes them. */
export function droppedConnections(
  clients: Clients,
  startBehindProxy: (
    closers: Closers,
  ) => Promise<{ proxy: Pick<TcpProxy, 'dropConnections' | 'dropped'>; address: unknown }>,
): Row {
  return {
    fault: 'a firewall drops all open connections',
    ...clients,
    async start(closers) {
      const { proxy, address } = await startBehindProxy(closers)
      const afterwards = () => expect(proxy.dropped, 'what clients sent on dropped connections').toBeGreaterThan(0)
      return { address, begin: () => proxy.dropConnections(), afterwards }
    },
  }
}

/**
 * Returns the row of connections that a firewall forgets one after the other, at a load that opens the whole pool. A pool that keeps one
 * of them gives it to a request again and again.
 */
function droppedOneByOne(
  clients: Clients,
  startBehindProxy: (closers: Closers) => Promise<{ proxy: Pick<TcpProxy, 'dropOldestConnection'>; address: unknown }>,
): Row {
  return {
    fault: 'a firewall drops open connections one by one, at 200 requests per second',
    ...clients,
    processes: 2,
    interval: 5,
    async start(closers) {
      const { proxy, address } = await startBehindProxy(closers)
      const begin = async () => {
        // A pool has 10 connections, and keeps one that works.
        for (let round = 0; round < 18; round++) {
          proxy.dropOldestConnection()
          await sleep(50)
        }
      }
      return { address, begin }
    },
  }
}

/**
 * Returns the row of connections that get no reply for 10 s, so that a pool has the time to fill up with them. Nobody ever closes
 * them: what was silent stays so.
 *
 * @param silence - makes the connections silent, and those that are opened from now on.
 */
export function silentConnections<Proxy extends Pick<TcpProxy, 'onReply' | 'dropConnections'>>(
  fault: string,
  clients: Clients,
  startBehindProxy: (closers: Closers) => Promise<{ proxy: Proxy; address: unknown }>,
  silence: (proxy: Proxy) => void,
): Row {
  return {
    fault,
    ...clients,
    async start(closers) {
      const { proxy, address } = await startBehindProxy(closers)
      const end = () => {
        proxy.onReply = () => 'pass'
        proxy.dropConnections()
      }
      return { address, begin: () => silence(proxy), milliseconds: 10_000, end }
    },
  }
}

/** Returns the rows of faults between client and server. */
export function proxyFaults(
  clients: Clients,
  startBehindProxy: (closers: Closers) => Promise<{ proxy: TcpProxy; address: unknown }>,
): Row[] {
  return [
    droppedConnections(clients, startBehindProxy),
    {
      // A client that counts requests as traffic notices nothing at this rate. With mariadb, which tests idle connections, no request fails.
      ...droppedConnections(clients, startBehindProxy),
      fault: 'at 5 requests per second, a firewall drops all open connections',
      interval: 200,
      proof: 'own',
    },
    droppedOneByOne(clients, startBehindProxy),
    {
      fault: 'the responses of the server are lost',
      ...clients,
      async start(closers) {
        const { proxy, address } = await startBehindProxy(closers)
        const begin = () => {
          proxy.onReply = () => 'cut'
        }
        const end = () => {
          proxy.onReply = () => 'pass'
        }
        return { address, begin, end, milliseconds: 1000 }
      },
    },
    silentConnections(
      'connections close, and new connections get no response for 10 s',
      clients,
      startBehindProxy,
      (proxy) => {
        proxy.onReply = () => 'hold'
        proxy.cutConnections()
      },
    ),
    silentConnections('a firewall drops all packets for 10 s', clients, startBehindProxy, (proxy) => {
      proxy.onReply = () => 'hold'
      proxy.dropConnections()
    }),
    {
      fault: 'commands reach the server late',
      ...clients,
      async start(closers) {
        const { proxy, address } = await startBehindProxy(closers)
        const begin = () => {
          proxy.delay = 2000
        }
        const end = () => {
          proxy.delay = 0
        }
        return { address, begin, end }
      },
    },
  ]
}

interface SwitchableServer {
  readonly port: number
  /** Waits until this replica has all that its primary has, and becomes a primary. */
  takeOver(primary: this): Promise<void>
}

/**
 * Returns the row of a planned switchover: the old server becomes read-only, and new connections reach the new one. Open connections
 * stay at the old server.
 */
export function switchover<Server extends SwitchableServer>(
  clients: Clients,
  startPair: (closers: Closers) => Promise<{ primary: Server; replica: Server; proxy: TcpProxy; address: unknown }>,
  makeReadOnly: (primary: Server) => Promise<unknown>,
): Row {
  return {
    fault: 'another server takes over, and the old server becomes read-only',
    ...clients,
    async start(closers) {
      const { primary, replica, proxy, address } = await startPair(closers)
      const begin = async () => {
        await makeReadOnly(primary)
        // A statement that has begun may still be stored.
        await sleep(100)
        await replica.takeOver(primary)
        proxy.target = replica.port
      }
      return { address, begin }
    },
  }
}

/**
 * Measures a fault with one client, and appends the report to the file of `FAULT_REPORTS`.
 *
 * @param after - how long to measure after the fault, in milliseconds.
 */
export async function measureFault(kind: string, row: Row, after = AFTER): Promise<Report> {
  const { fault, store, start } = row
  const report = await inTurn(async () => {
    const closers: Closers = []
    try {
      const { address, ...events } = await start(closers)
      return await underLoad(kind, address, row, events, after)
    } finally {
      for (const close of closers.reverse()) await close()
    }
  })
  const { FAULT_REPORTS } = process.env
  if (FAULT_REPORTS) appendFileSync(FAULT_REPORTS, `${JSON.stringify({ fault, store, kind, ...report })}\n`)
  return report
}

/** Makes a test per row and client. It checks, under load, what the guide promises. */
export function testFaults(rows: readonly Row[]): void {
  describe.concurrent.each(rows)('$fault, $store', (row) => {
    const { fault, store, kinds, loses = 'nothing', proof = 'failures', expects } = row
    it.concurrent.each(kinds)(
      'accepts each message at most once, however it is split, with %s',
      async (kind) => {
        const report = await measureFault(kind, row)

        // Safety comes first.
        expect(report.falseReplays, 'genuine requests that were taken for replays').toBe(0)
        if (loses === 'nothing') expect(report.acceptedTwice, 'requests that were accepted twice').toBe(0)
        expect(report.slowest, 'the slowest answer').toBeLessThan(ANSWERS_WITHIN)
        if (kind === kinds[0] || !mayBeSlow(store, clientOf(kind), fault)) {
          expect(report.healedAfter, 'the last failure').toBeLessThan(RECOVERS_WITHIN)
        }
        expect(report.accepted, 'accepted requests').toBeGreaterThan(0)
        // Without these, the test would pass if the fault were not caused.
        if (proof === 'failures') expect(report.failures, 'the effect of the fault').toBeGreaterThan(0)
        if (proof === 'loss') expect(report.acceptedTwice, 'the effect of the fault').toBeGreaterThan(0)
        if (loses === 'everything') {
          expect(report.acceptedTwice, 'the loss').toBeGreaterThanOrEqual(report.acceptedBefore)
        }
        expects?.(report)
      },
      600_000,
    )
  })
}

/**
 * Sends the same signed messages from several processes at a steady rate while a fault begins and ends. Then sends the accepted
 * messages again. Two processes split a message differently, so only its signature is the same key.
 */
async function underLoad(
  kind: string,
  address: unknown,
  { processes = 2, interval = 40, hasEvents = false }: Pick<Row, 'processes' | 'interval' | 'hasEvents'>,
  fault: Fault,
  after: number,
): Promise<Report> {
  const seed = `${process.pid}-${Date.now()}-${loads++}`
  const workers = Array.from({ length: processes }, (_, index) => {
    const args = [seed, interval, 1 + (index % 2), hasEvents ? 'events' : ''].map(String)
    const worker = startWorker(kind, address, 'load', ...args)
    return { worker, lines: createInterface({ input: worker.stdout })[Symbol.asyncIterator]() }
  })
  const read = (lines: AsyncIterator<string>) => lines.next().then(({ value }) => value)
  try {
    for (const { lines } of workers) {
      if ((await read(lines)) !== 'ready') throw new Error(`a process with ${kind} cannot connect`)
    }
    const start = Date.now() + 50
    for (const { worker } of workers) worker.stdin.write(`${start}\n`)
    await sleep(BEFORE)
    const beganAt = Date.now()
    await fault.begin()
    if (fault.end !== undefined) {
      await sleep(fault.milliseconds ?? 2500)
      await fault.end()
    }
    const endedAt = Date.now()
    await sleep(after)
    await fault.afterwards?.()
    for (const { worker } of workers) worker.stdin.write('stop\n')
    const logs: { attempts: Attempt[]; longestPause: number }[] = []
    for (const { lines } of workers) logs.push(JSON.parse(await read(lines)))

    const attempts = logs.flatMap((log) => log.attempts)
    // A process remembers which keys it reserved. So the other processes send its accepted messages again.
    const again: Attempt[] = []
    for (const [index, { worker, lines }] of workers.entries()) {
      const others = logs.filter((_, other) => other !== index || processes === 1)
      worker.stdin.write(`${JSON.stringify(acceptedIn(others.flatMap((log) => log.attempts)))}\n`)
      again.push(...JSON.parse(await read(lines)))
    }
    const failed = attempts.filter(isFailure)
    const during = attempts.filter(({ startedAt }) => startedAt > beganAt + 2000 && startedAt < endedAt)
    return {
      accepted: acceptedIn(attempts).length,
      acceptedBefore: attempts.filter(
        (attempt) => isAccepted(attempt) && attempt.startedAt + attempt.milliseconds < beganAt,
      ).length,
      acceptedTwice: countTwice([...attempts, ...again]),
      falseReplays: countFalseReplays(attempts),
      failures: failed.length,
      during: { accepted: during.filter(isAccepted).length, failures: during.filter(isFailure).length },
      errors: [...new Set(failed.map(({ outcome }) => outcome))],
      slowestInAll: Math.max(...attempts.map(({ milliseconds }) => milliseconds)),
      slowest: Math.max(
        ...logs.map((log) => Math.max(...log.attempts.map(({ milliseconds }) => milliseconds)) - log.longestPause),
      ),
      healedAfter: Math.max(0, ...failed.map(({ startedAt }) => startedAt - endedAt)),
    }
  } finally {
    for (const { worker } of workers) {
      if (worker.exitCode !== null) continue
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    }
  }
}

function acceptedIn(attempts: readonly Attempt[]): number[] {
  return [...new Set(attempts.filter(isAccepted).map(({ number }) => number))]
}

function isAccepted({ outcome }: Attempt): boolean {
  return outcome === 'accepted'
}

function isFailure({ outcome }: Attempt): boolean {
  return outcome.startsWith('ERR_')
}

function byNumber(attempts: Attempt[]): Attempt[][] {
  const groups: Attempt[][] = []
  for (const attempt of attempts) {
    groups[attempt.number] ??= []
    groups[attempt.number]?.push(attempt)
  }
  return groups
}

function countTwice(attempts: Attempt[]): number {
  return byNumber(attempts).filter((group) => group.filter(isAccepted).length > 1).length
}

function countFalseReplays(attempts: Attempt[]): number {
  return byNumber(attempts).filter((group) => !group.some(isAccepted) && !group.some(isFailure)).length
}
