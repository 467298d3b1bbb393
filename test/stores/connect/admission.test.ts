import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Admission } from '../../../src/stores/connect/admission.js'
import { within } from '../../../src/stores/with-timeout.js'
import { SimulatedTime } from '../../support/simulated-time.js'

// Servers with a known speed, and a clock that a test moves. test/integration/overload.test.ts has real servers and clients.

const TIMEOUT = 1000

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
  sent = 0
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
    this.sent++
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

/** A store on such a server. */
function open(server: FakeServer, poolOption?: string) {
  const admission = new Admission(TIMEOUT, poolOption)
  const send = () => within(TIMEOUT, server.answer(), 'too late')
  const admitted = () =>
    admission.admit(() =>
      within(
        TIMEOUT,
        admission.send(() => server.answer()),
        'too late',
      ),
    )
  return { admission, admitted, send }
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
    const due = start + (number * 1000) / perSecond
    await time.pass(due - time.now)
    answers.push(ask(reserve))
  }
  await time.pass(3 * TIMEOUT)
  return Promise.all(answers)
}

const refusals = (answers: Answer[]) => answers.filter(({ error }) => error !== undefined)
const busy = (answers: Answer[]) =>
  answers.filter(({ error }) => /^The server (is behind|does not answer)\b/.test(error ?? ''))

const SERVERS: [what: string, width: number, milliseconds: number][] = [
  ['one that does one at a time, 10 ms each', 1, 10],
  ['a pool of ten connections, 200 ms each', 10, 200],
  ['a pool of ten connections, 20 ms each', 10, 20],
]

describe.each(SERVERS)('%s', (_, width, milliseconds) => {
  it.each([1.3, 2, 4, 8])('accepts what it can do at %s times its capacity, and then everything', async (times) => {
    const server = new FakeServer(width, milliseconds)
    const { admitted } = open(server)
    const answers = await offer(admitted, times * server.perSecond, 6000)
    const refused = refusals(answers)
    expect(answers.length - refused.length).toBeGreaterThan(0.9 * 6 * server.perSecond)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.map((answer) => answer.milliseconds).sort((a, b) => a - b)[refused.length >> 1]).toBeLessThan(100)
    expect(Math.max(...answers.map((answer) => answer.milliseconds))).toBeLessThanOrEqual(TIMEOUT)
    expect(refusals(await offer(admitted, 0.5 * server.perSecond, 2000))).toEqual([])
  })

  it('refuses nothing at 80 % of its capacity', async () => {
    const server = new FakeServer(width, milliseconds)
    const answers = await offer(open(server).admitted, 0.8 * server.perSecond, 6000)
    expect(refusals(answers)).toEqual([])
  })

  it('accepts next to nothing without a limit, so these tests can fail', async () => {
    const server = new FakeServer(width, milliseconds)
    const answers = await offer(open(server).send, 4 * server.perSecond, 6000)
    expect(answers.length - refusals(answers).length).toBeLessThan(0.25 * 6 * server.perSecond)
  })
})

it('forgets the statements of a client that was replaced, and sends those that wait', async () => {
  const admission = new Admission(TIMEOUT)
  const silent = () => admission.admit(() => admission.send(() => new Promise<boolean>(() => {})))
  for (let sent = 0; sent < 40; sent++) void silent()
  const waiting = ask(() => admission.admit(() => admission.send(async () => true)))
  await time.pass(100)
  admission.forget()
  expect(await waiting).toEqual({ at: 0, milliseconds: 100, error: undefined })
})

it('counts a statement that failed no longer, and sends one that waits', async () => {
  const admission = new Admission(TIMEOUT)
  const failing = () => admission.admit(() => admission.send(() => Promise.reject(new Error('out of memory'))))
  const answers = Promise.all(Array.from({ length: 41 }, () => ask(failing)))
  await time.pass(TIMEOUT)
  expect((await answers).filter(({ error }) => error !== 'out of memory')).toEqual([])
})

it('accepts a burst at the start and after a pause, if the server is quick enough', async () => {
  const { admitted } = open(new FakeServer(1, 1))
  for (let round = 0; round < 3; round++) {
    await offer(admitted, 1, 2000)
    const answers = Promise.all(Array.from({ length: 200 }, () => ask(admitted)))
    await time.pass(TIMEOUT)
    expect(refusals(await answers)).toEqual([])
  }
})

it('accepts a burst before any other reservation', async () => {
  const { admitted } = open(new FakeServer(100, 10))
  for (let round = 0; round < 2; round++) {
    const answers = Promise.all(Array.from({ length: 40 }, () => ask(admitted)))
    await time.pass(100)
    expect(refusals(await answers)).toEqual([])
  }
})

it('refuses nothing of a server that is far away, at the start and later', async () => {
  const { admitted } = open(new FakeServer(1000, 300))
  expect(refusals(await offer(admitted, 100, 5000))).toEqual([])
  expect(refusals(await offer(admitted, 200, 5000))).toEqual([])
})

it('lets a server that is far away have more in flight, because its new connections take longer still', async () => {
  const server = new FakeServer(1000, 300)
  const { admitted } = open(server)
  await offer(admitted, 1, 3000)
  server.milliseconds = 900
  expect(refusals(await offer(admitted, 100, 900))).toEqual([])
})

it('does not throttle a server whose round trip is nearly three quarters of the time-out', async () => {
  expect(refusals(await offer(open(new FakeServer(1000, 700)).admitted, 50, 5000))).toEqual([])
})

it('follows a server that becomes slower, and one that becomes quicker', async () => {
  const server = new FakeServer(10, 10)
  const { admitted } = open(server)
  expect(refusals(await offer(admitted, 200, 3000))).toEqual([])
  server.milliseconds = 200
  const answers = await offer(admitted, 200, 6000)
  expect(answers.length - refusals(answers).length).toBeGreaterThan(0.9 * 6 * 50)
  server.milliseconds = 10
  expect(refusals(await offer(admitted, 200, 3000))).toEqual([])
})

it('finds what a very slow server can do within five seconds', async () => {
  const server = new FakeServer(1, 100)
  const { admitted } = open(server)
  const answers = (await offer(admitted, 80, 11_000)).filter(({ at }) => at >= 5000)
  expect(answers.length - refusals(answers).length).toBeGreaterThan(0.9 * 6 * 10)
})

it('sends at least one at a time, however slow the server is, and so notices that it has become quick', async () => {
  const server = new FakeServer(1, 990)
  const { admitted } = open(server)
  await offer(admitted, 2, 20_000)
  server.milliseconds = 1
  await offer(admitted, 2, 2000)
  expect(refusals(await offer(admitted, 20, 2000))).toEqual([])
})

it('is not misled by a few slow answers, such as those that waited for a lock', async () => {
  const server = new FakeServer(1000, 2)
  const { admission, admitted } = open(server)
  const locked = () => admission.admit(() => admission.send(() => after(900).then(() => true)))
  await offer(admitted, 50, 1000)
  for (let round = 0; round < 20; round++) {
    const slow = ask(locked)
    expect(refusals(await offer(admitted, 50, 500))).toEqual([])
    expect((await slow).error).toBeUndefined()
  }
})

it('keeps its limit while a server hangs, and accepts everything as soon as it is back', async () => {
  const server = new FakeServer(1, 1)
  const { admitted } = open(server)
  expect(refusals(await offer(admitted, 100, 2000))).toEqual([])
  server.isStopped = true
  server.sent = 0
  const answers = await offer(admitted, 100, 10_000)
  expect(refusals(answers)).toHaveLength(1000)
  // All that were sent say so, because their nonces may be reserved.
  expect(answers.length - busy(answers).length).toBe(server.sent)
  expect(busy(answers).at(-1)?.error).toMatch(/^The server does not answer, and \d+ reservations wait\. Start it, or /)
  expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThanOrEqual(TIMEOUT)
  server.isStopped = false
  expect(refusals(await offer(admitted, 100, 1000))).toEqual([])
})

it('forgets a statement that a client has lost, after twice the time-out', async () => {
  const { admission, admitted } = open(new FakeServer(1, 1))
  const lost = () =>
    admission.admit(() =>
      within(
        TIMEOUT,
        admission.send(() => new Promise<boolean>(() => {})),
      ),
    )
  const answers = Promise.all(Array.from({ length: 40 }, () => ask(lost)))
  await time.pass(TIMEOUT)
  expect(refusals(await answers)).toHaveLength(40)
  const early = ask(admitted)
  await time.pass(TIMEOUT)
  expect((await early).error).toMatch(/^The server does not answer, and 40 reservations wait/)
  await time.pass(1)
  expect(refusals(await offer(admitted, 100, 1000))).toEqual([])
})

it('forgets them while others wait all the time', async () => {
  const { admission, admitted } = open(new FakeServer(1, 1))
  const lost = () => admission.admit(() => admission.send(() => new Promise<boolean>(() => {})))
  for (let number = 0; number < 40; number++) void ask(lost)
  const answers = await offer(admitted, 100, 4000)
  expect(refusals(answers).filter(({ at }) => at > 2 * TIMEOUT + 300)).toEqual([])
})

describe('a reservation that waits', () => {
  /** A store of which 40 reservations are in flight, and a function that ends one of them. */
  function full() {
    const admission = new Admission(TIMEOUT)
    const ends: (() => void)[] = []
    const sent: number[] = []
    const reserve = (number: number) =>
      admission.admit(() => {
        sent.push(number)
        return admission.send(() => new Promise<boolean>((resolve) => ends.push(() => resolve(true))))
      })
    for (let number = 0; number < 40; number++) void reserve(number)
    return { reserve, sent, end: () => ends.shift()?.() }
  }

  it('is sent in its turn', async () => {
    const { reserve, sent, end } = full()
    const answers = [reserve(40), reserve(41)]
    expect(sent).toHaveLength(40)
    end()
    await time.pass(0)
    expect(sent.slice(40)).toEqual([40])
    for (let count = 0; count < 41; count++) {
      end()
      await time.pass(0)
    }
    expect(sent.slice(40)).toEqual([40, 41])
    expect(await Promise.all(answers)).toEqual([true, true])
  })

  it('is refused after 0.3 of the time-out, and never sent', async () => {
    const { reserve, sent, end } = full()
    const answer = ask(() => reserve(40))
    await time.pass(300)
    expect(await answer).toMatchObject({ milliseconds: 300, error: expect.stringMatching('40 reservations wait') })
    end()
    await time.pass(0)
    expect(sent).toHaveLength(40)
  })

  it('is answered within the time-out, its wait included', async () => {
    const { reserve, end } = full()
    const answer = ask(() => reserve(40))
    await time.pass(200)
    end()
    await time.pass(799)
    await time.pass(1)
    expect(await answer).toMatchObject({
      milliseconds: 1000,
      error: 'No answer within 1000 ms. The nonce may be reserved: the retry needs a new nonce.',
    })
  })

  it('is refused at once if others wait that cannot all be answered', async () => {
    const { reserve } = full()
    // All 40 are 400 ms old, so it takes 10 ms until the next is answered.
    await time.pass(400)
    const answers = Array.from({ length: 40 }, () => ask(() => reserve(40)))
    await time.pass(0)
    await time.pass(300)
    const refused = busy(await Promise.all(answers))
    expect(refused.filter(({ milliseconds }) => milliseconds === 0)).toHaveLength(9)
    expect(refused.filter(({ milliseconds }) => milliseconds === 300)).toHaveLength(31)
  })
})

it('counts a reservation of several statements once, and sends all of them', async () => {
  const server = new FakeServer(1, 10)
  const { admission } = open(server)
  const threeStatements = () =>
    admission.admit(async () => {
      for (let statement = 0; statement < 3; statement++) await admission.send(() => server.answer())
      return true
    })
  const answers = await offer(threeStatements, 0.8 * (100 / 3), 5000)
  expect(refusals(answers)).toEqual([])
})

describe('the error', () => {
  async function errorOf(server: FakeServer, perSecond: number, poolOption?: string): Promise<string | undefined> {
    const { admitted } = open(server, poolOption)
    return busy(await offer(admitted, perSecond, 5000)).at(-1)?.error
  }

  it('says how many wait, and what the server does', async () => {
    const { admitted } = open(new FakeServer(1, 10))
    const answers = busy(await offer(admitted, 300, 5000))
    expect(answers.at(-1)?.error).toMatch(
      /^The server is behind: \d\d reservations wait, it answers 100 per second\. Use a faster server\.$/,
    )
    await expect(Promise.all(Array.from({ length: 500 }, () => admitted()))).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE_BUSY',
      name: 'Error',
    })
  })

  it('names the option of the pool, if twice the connections that are busy are more than ten', async () => {
    expect(await errorOf(new FakeServer(10, 300), 100, 'max')).toMatch(
      / per second\. Pass max: 60, or use a faster server\.$/,
    )
    expect(await errorOf(new FakeServer(10, 200), 100, 'max')).toMatch(
      / per second\. Pass max: 40, or use a faster server\.$/,
    )
  })

  it('does not name it if the server itself is slow', async () => {
    expect(await errorOf(new FakeServer(1, 2), 1000, 'max')).toMatch(/ per second\. Use a faster server\.$/)
  })

  it('counts what happened a moment ago, and not a pause before', async () => {
    const server = new FakeServer(1, 10)
    const { admitted } = open(server)
    await offer(admitted, 10, 1500)
    await time.pass(60_000)
    const answers = await offer(admitted, 800, 900)
    expect(busy(answers).at(-1)?.error).toMatch(/it answers (9\d|100|101) per second/)
  })
})
