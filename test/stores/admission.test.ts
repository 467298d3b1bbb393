import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Admission } from '../../src/stores/admission.js'
import { within } from '../../src/within.js'
import { SimulatedTime } from '../support/simulated-time.js'

// Servers with a known speed, and a clock that a test moves. The nightly tests have real servers and clients.

const TIMEOUT = 1000
const CONCURRENCY = 16

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** A server that does `width` statements at the same time, each in `milliseconds`. All others wait in its queue. */
class FakeServer {
  /** When each of its places is free. */
  readonly #free: number[]
  isStopped = false
  constructor(
    readonly width: number,
    public milliseconds: number,
  ) {
    this.#free = Array.from({ length: width }, () => 0)
  }
  get perSecond(): number {
    return (this.width * 1000) / this.milliseconds
  }
  async answer(): Promise<boolean> {
    if (this.isStopped) {
      // A client gives up.
      await after(TIMEOUT)
      throw new Error('the client gave up')
    }
    const now = time.now
    const place = this.#free.indexOf(Math.min(...this.#free))
    const done = Math.max(now, this.#free[place] ?? 0) + this.milliseconds
    this.#free[place] = done
    await after(done - now)
    return true
  }
}

interface Answer {
  at: number
  milliseconds: number
  error: string | undefined
}

/** Returns a function that reserves at such a server. */
function open(server: FakeServer, concurrency = CONCURRENCY) {
  const admission = new Admission(concurrency, TIMEOUT)
  return () =>
    within(
      TIMEOUT,
      admission.send(() => server.answer()),
    )
}

async function ask(reserve: () => Promise<boolean>): Promise<Answer> {
  const at = time.now
  const error = await reserve().then(
    () => undefined,
    (reason: Error) => reason.message,
  )
  return { at, milliseconds: time.now - at, error }
}

/** Sends reservations at a fixed rate. */
async function offer(reserve: () => Promise<boolean>, perSecond: number, milliseconds: number): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  const start = time.now
  for (let number = 0; number < (perSecond * milliseconds) / 1000; number++) {
    await time.pass(start + (number * 1000) / perSecond - time.now)
    answers.push(ask(reserve))
  }
  await time.pass(3 * TIMEOUT)
  return Promise.all(answers)
}

const refusals = (answers: Answer[]) => answers.filter(({ error }) => error !== undefined)

const SERVERS: [what: string, width: number, milliseconds: number][] = [
  ['one that does one at a time, 10 ms each', 1, 10],
  ['a pool of ten connections, 200 ms each', 10, 200],
]

describe.each(SERVERS)('%s', (_, width, milliseconds) => {
  it.each([1.3, 8])('accepts what it can do at %s times its capacity, and then everything', async (times) => {
    const server = new FakeServer(width, milliseconds)
    const admitted = open(server)
    const answers = await offer(admitted, times * server.perSecond, 2000)
    const refused = refusals(answers)
    expect(answers.length - refused.length).toBeGreaterThan(0.9 * 2 * server.perSecond)
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused.map(({ milliseconds }) => Math.round(milliseconds)))).toEqual(new Set([TIMEOUT / 2]))
    expect(refusals(await offer(admitted, 0.5 * server.perSecond, 1000))).toEqual([])
  })
})

it('refuses nothing of a server that is far away, if as many may be in flight as it needs', async () => {
  const server = new FakeServer(1000, 300)
  expect(refusals(await offer(open(server, 40), 100, 5000))).toEqual([])
  expect(refusals(await offer(open(server), 100, 5000)).length).toBeGreaterThan(0)
})

it('accepts everything again at once when a server that hung is back', async () => {
  const server = new FakeServer(1, 1)
  const admitted = open(server)
  server.isStopped = true
  expect(refusals(await offer(admitted, 100, 5000))).toHaveLength(500)
  server.isStopped = false
  expect(refusals(await offer(admitted, 100, 1000))).toEqual([])
})

/** An admission with two statements in flight that only a test ends. */
function full() {
  const admission = new Admission(2, TIMEOUT)
  const sent: number[] = []
  const ends: ((error?: Error) => void)[] = []
  const send = (number: number) =>
    ask(() =>
      admission.send(() => {
        sent.push(number)
        return new Promise<boolean>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(true))))
      }),
    )
  void send(0)
  void send(1)
  return { send, sent, end: (number: number, error?: Error) => ends[number]?.(error) }
}

it('sends the newest first, one for each that is settled', async () => {
  const { send, sent, end } = full()
  for (const number of [2, 3, 4]) void send(number)
  expect(sent).toEqual([0, 1])
  for (const number of [0, 1, 2]) {
    end(number)
    await time.pass(0)
  }
  expect(sent).toEqual([0, 1, 4, 3, 2])
})

it('refuses a statement after half of the time-out, and never sends it', async () => {
  const { send, sent, end } = full()
  const answers = [send(2), send(3)]
  await time.pass(499)
  end(0)
  await time.pass(1)
  end(1)
  await time.pass(0)
  expect(await answers[0]).toEqual({
    at: 0,
    milliseconds: 500,
    error:
      '2 reservations were in flight for 500 ms. Check the server. If the server is far away, raise concurrency: 100 requests per second and a round-trip time of 300 ms need 30.',
  })
  expect(sent).toEqual([0, 1, 3])
})

it('counts a statement that failed no longer', async () => {
  const admission = new Admission(1, TIMEOUT)
  const failing = () => admission.send(() => Promise.reject(new Error('out of memory')))
  const answers = Promise.all([ask(failing), ask(failing)])
  await time.pass(0)
  expect((await answers).map(({ error }) => error)).toEqual(['out of memory', 'out of memory'])
})

it('counts a statement that its client has lost for twice the time-out', async () => {
  const { send, sent } = full()
  await time.pass(2 * TIMEOUT - 1)
  void send(2)
  await time.pass(0)
  expect(sent).toEqual([0, 1])
  await time.pass(1)
  expect(sent).toEqual([0, 1, 2])
})

it.each([
  ['a response', undefined],
  ['an error', new Error('out of memory')],
])('sends one statement at a time while the server is silent, until it has sent %s', async (_, error) => {
  const { send, sent, end } = full()
  await time.pass(2 * TIMEOUT)
  for (const number of [2, 3]) void send(number)
  expect(sent).toEqual([0, 1, 2])
  // A connection that was lost is closed, so the client works again.
  end(2, error)
  await time.pass(0)
  void send(4)
  expect(sent).toEqual([0, 1, 2, 3, 4])
})

it.each([
  ['a response', async () => true],
  ['an error', () => Promise.reject(new Error('out of memory'))],
])('is not silent while other statements have %s', async (_, answer) => {
  const admission = new Admission(3, TIMEOUT)
  let sent = 0
  const lost = () => {
    sent++
    return new Promise<boolean>(() => {})
  }
  void admission.send(lost)
  await time.pass(TIMEOUT / 2 - 1)
  await admission.send(answer).catch(() => {})
  await time.pass(1)
  for (const _ of [1, 2]) void admission.send(lost)
  expect(sent).toBe(3)
})

it('says that the server is silent', async () => {
  const { send } = full()
  await time.pass(2 * TIMEOUT)
  const answers = [send(2), send(3)]
  await time.pass(TIMEOUT / 2)
  expect((await answers[1])?.error).toBe(
    'No response for 500 ms, so reservations are sent one at a time. Check the server.',
  )
})

it('reads the responses that arrived during a stall before it refuses', async () => {
  const { send, sent, end } = full()
  const waiting = send(2)
  // The process stalls for 800 ms. Then the timer is due first, and the response is read after it.
  await time.stall(800, () => end(0))
  end(2)
  await time.pass(0)
  expect(sent).toEqual([0, 1, 2])
  expect(await waiting).toMatchObject({ milliseconds: 800, error: undefined })
})

it('works if a timer is a number, as in Workers with an earlier compatibility date', async () => {
  vi.stubGlobal('setTimeout', () => 1)
  expect(await new Admission(1, TIMEOUT).send(async () => 'response')).toBe('response')
})

it('sends a statement that waited with the AsyncLocalStorage of its own request', async () => {
  const tenant = new AsyncLocalStorage<string>()
  const admission = new Admission(1, TIMEOUT)
  const send = (name: string) => tenant.run(name, () => admission.send(() => after(10).then(() => tenant.getStore())))
  const responses = Promise.all(['a', 'b', 'c'].map(send))
  await time.pass(30)
  expect(await responses).toEqual(['a', 'b', 'c'])
})
