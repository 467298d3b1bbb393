import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { handle, MemoryNonceStore, type NonceStore, receive, type TransactionStore, verify } from '../src/index.js'
import { PostgresTransactionStore } from '../src/stores/postgres/index.js'
import {
  NONCE,
  NOW,
  RecordingStore,
  SECRET,
  signatureOf,
  signedRequest,
  TestClock,
  TIMESTAMP,
} from './support/request.js'
import { deferred } from './support/step.js'
import { Session, SimulatedDatabase } from './support/transactions/simulated-database.js'

const BODY = Buffer.from('a body that is split in one way only')
const FAILURE = new Error('the database is down')

/** The source of a request with these parts. */
function sourceOf(parts: Parameters<typeof signedRequest>[0] = {}) {
  const { headers, body, webhookId } = signedRequest({ body: BODY, ...parts })
  return { webhookId, request: { headers, body: Buffer.from(body as Uint8Array) } }
}

/** Handles a request, and returns what `handle` returned or threw. */
function outcomeOf(
  nonceStore: NonceStore,
  work: () => unknown = () => 'done',
  source = sourceOf(),
  clock = new TestClock(),
): Promise<unknown> {
  return handle(source, SECRET, nonceStore, work, clock).catch((error: unknown) => error)
}

const TWO_SPLITS = [
  { nonce: 'abc', body: Buffer.from('{"a":1}') },
  { nonce: 'abc:{"a"', body: Buffer.from('1}') },
] as const

afterEach(() => {
  vi.restoreAllMocks()
})

describe('handle', () => {
  it('passes the webhook to the work, and resolves to what the work returned', async () => {
    for (const work of [(webhook: unknown) => [webhook], async (webhook: unknown) => [webhook]]) {
      expect(await handle(sourceOf(), SECRET, new MemoryNonceStore(), work, new TestClock())).toEqual([
        { ok: true, webhookId: '42', timestamp: Number(TIMESTAMP), nonce: NONCE, secretIndex: 0, body: BODY },
      ])
    }
  })

  it('throws what receive throws, and does not run the work', async () => {
    const work = vi.fn()
    const store = new MemoryNonceStore()
    expect(await outcomeOf(store, work, sourceOf({ secret: 'another' }))).toMatchObject({
      reason: 'signature_mismatch',
    })
    const late = new TestClock(NOW + 300_001)
    expect(await outcomeOf(store, work, sourceOf(), late)).toMatchObject({ reason: 'timestamp_outside_window' })
    const failing = { reserve: () => Promise.reject(FAILURE), release() {} }
    expect(await outcomeOf(failing, work)).toMatchObject({ code: 'ERR_NONCE_STORE', cause: FAILURE })
    expect(work).not.toHaveBeenCalled()
    await outcomeOf(store)
    expect(await outcomeOf(store, work)).toMatchObject({ reason: 'replayed_nonce' })
    expect(work).not.toHaveBeenCalled()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw FAILURE
      },
    ],
    ['rejects', () => Promise.reject(FAILURE)],
  ])('throws the error of work that %s, and accepts the same request again', async (_, work) => {
    for (const parts of [{}, ...TWO_SPLITS]) {
      const store = new MemoryNonceStore()
      expect(await outcomeOf(store, work, sourceOf(parts))).toBe(FAILURE)
      expect(await outcomeOf(store, work, sourceOf(parts))).toBe(FAILURE)
      expect(await outcomeOf(store, undefined, sourceOf(parts))).toBe('done')
      expect(await outcomeOf(store, undefined, sourceOf(parts))).toMatchObject({ reason: 'replayed_nonce' })
    }
  })

  it('releases the keys that it reserved, for an owner of its own', async () => {
    const calls: unknown[][] = []
    const store = {
      reserve: (...call: unknown[]) => calls.push(['reserve', ...call]) > 0,
      release: (...call: unknown[]) => void calls.push(['release', ...call]),
    }
    const [split] = TWO_SPLITS
    const key = `signature ${signatureOf(TIMESTAMP, split.nonce, split.body, SECRET)}`
    await outcomeOf(store, () => Promise.reject(FAILURE), sourceOf(split))
    await outcomeOf(store)
    const [owner, another] = [calls[0]?.[4], calls[3]?.[4]]
    expect(owner).toMatch(/^[0-9a-f-]{36} \d+$/)
    expect(another).not.toBe(owner)
    expect(calls).toEqual([
      ['reserve', '42', 'abc', 600, owner],
      ['reserve', '42', key, 600, owner],
      ['release', '42', ['abc', key], owner],
      ['reserve', '42', NONCE, 600, another],
    ])
  })

  it.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(FAILURE)],
    [
      'throws',
      () => {
        throw FAILURE
      },
    ],
    ['returns nothing', () => undefined],
  ])('releases the nonce if the reservation of the signature %s, so that the retry is accepted', async (_, failure) => {
    const [split] = TWO_SPLITS
    const nonces = new MemoryNonceStore()
    let isDown = true
    const store: NonceStore = {
      reserve: (...call) => (isDown && call[1] !== split.nonce ? (failure() as boolean) : nonces.reserve(...call)),
      release: (...call) => nonces.release(...call),
    }
    const received = () =>
      receive(sourceOf(split), SECRET, store, new TestClock()).then(
        () => 'received',
        (error: unknown) => error,
      )
    expect(await outcomeOf(store, undefined, sourceOf(split))).toMatchObject({ code: 'ERR_NONCE_STORE' })
    expect(await received()).toMatchObject({ code: 'ERR_NONCE_STORE' })
    isDown = false
    expect(await received()).toBe('received')
    expect(await outcomeOf(store, undefined, sourceOf(split))).toMatchObject({ reason: 'replayed_nonce' })
  })

  it.each<[string, () => boolean | Promise<boolean>]>([
    ['is a replay', () => false],
    ['failed', () => Promise.reject(FAILURE)],
    ['has a wrong result', () => Object('true')],
  ])('releases nothing and runs nothing if the reservation %s', async (_, reserve) => {
    const [work, release] = [vi.fn(), vi.fn()]
    for (const parts of [{}, TWO_SPLITS[0]]) {
      expect(await outcomeOf({ reserve, release }, work, sourceOf(parts))).toBeInstanceOf(Error)
    }
    expect(work).not.toHaveBeenCalled()
    expect(release).not.toHaveBeenCalled()
  })

  it('releases the nonce and runs nothing if the reservation came after the window', async () => {
    const clock = new TestClock(NOW + 300_000)
    const [work, release] = [vi.fn(), vi.fn()]
    const reserve = () => {
      clock.milliseconds += 1
      return true
    }
    expect(await outcomeOf({ reserve, release }, work, sourceOf(), clock)).toMatchObject({
      reason: 'timestamp_outside_window',
    })
    expect(work).not.toHaveBeenCalled()
    expect(release.mock.calls).toEqual([['42', [NONCE], expect.any(String)]])
  })

  it('throws the error of the store if the release fails too', async () => {
    const [split] = TWO_SPLITS
    const store: NonceStore = {
      reserve: (_, key) => key === split.nonce || Promise.reject(FAILURE),
      release: () => Promise.reject(new Error('another error')),
    }
    expect(await outcomeOf(store, undefined, sourceOf(split))).toMatchObject({ cause: FAILURE })
  })

  it('throws the error of the work if the release fails, and logs the failure in one line', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const nonces = new RecordingStore()
    const store: NonceStore = {
      reserve: (...call) => nonces.reserve(call[0], call[1], call[2]),
      release: () => Promise.reject(new Error('no\nconnection')),
    }
    const work = () => Promise.reject(FAILURE)
    expect(await outcomeOf(store, work, sourceOf({ webhookId: 'a\nb' }))).toBe(FAILURE)
    expect(log.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^Webhook a\\u000ab: the nonce stays reserved, because the release failed: NonceStoreError.*Error: no connection[^\n]*$/,
        ),
      ],
    ])
    expect(await outcomeOf(store, work, sourceOf({ webhookId: 'a\nb' }))).toMatchObject({ reason: 'replayed_nonce' })
  })

  it.each<[string, unknown[], RegExp]>([
    [
      'a store without release',
      [sourceOf(), SECRET, { reserve: () => true }, () => {}],
      /^nonceStore has no release\(\)\. /,
    ],
    ['no store', [sourceOf(), SECRET, undefined, () => {}], /^nonceStore is undefined\. /],
    ['no work', [sourceOf(), SECRET, new MemoryNonceStore()], /^work is undefined\. Pass the function /],
    ['a clock for work', [sourceOf(), SECRET, new MemoryNonceStore(), new TestClock()], /^work is an object\. /],
    ['no secret', [sourceOf(), undefined, new MemoryNonceStore(), () => {}], /^secret is undefined\. /],
  ])('refuses %s', async (_, args, message) => {
    const error: unknown = await Reflect.apply(handle, undefined, args).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    })
    expect(String(error).length).toBeLessThanOrEqual(200)
  })
})

describe('a copy that arrives while the work runs', () => {
  const IN_PROGRESS = {
    ...{ code: 'ERR_WEBHOOK_IN_PROGRESS', status: 503, headers: { 'Retry-After': '1' } },
    message: 'A copy of the request, or the same event, is being handled',
  }

  it.each([
    ['the same bytes', {}, {}],
    ['another split of the message', TWO_SPLITS[0], TWO_SPLITS[1]],
  ])('is refused before the store is asked: %s', async (_, parts, copy) => {
    const store = new MemoryNonceStore()
    const asked = vi.spyOn(store, 'reserveAll')
    const { promise, resolve } = deferred<string>()
    const first = outcomeOf(store, () => promise, sourceOf(parts))
    await nextTurn()
    asked.mockClear()
    expect(await outcomeOf(store, undefined, sourceOf(copy))).toMatchObject(IN_PROGRESS)
    expect(asked).not.toHaveBeenCalled()
    resolve('first')
    expect(await first).toBe('first')
    expect(await outcomeOf(store, undefined, sourceOf(copy))).toMatchObject({ reason: 'replayed_nonce' })
  })

  it('is refused while the reservation or the release takes its time', async () => {
    const [reserved, released] = [deferred<boolean>(), deferred<void>()]
    const store = { reserve: () => reserved.promise, release: () => released.promise }
    const first = outcomeOf(store, () => Promise.reject(FAILURE))
    expect(await outcomeOf(store)).toMatchObject(IN_PROGRESS)
    reserved.resolve(true)
    await nextTurn()
    expect(await outcomeOf(store)).toMatchObject(IN_PROGRESS)
    released.resolve()
    expect(await first).toBe(FAILURE)
    expect(await outcomeOf(store)).toBe('done')
  })

  it('is not confused with a request to another webhook, or over another store', async () => {
    const store = new MemoryNonceStore()
    const { promise, resolve } = deferred<string>()
    const first = outcomeOf(store, () => promise)
    await nextTurn()
    expect(await outcomeOf(store, undefined, sourceOf({ webhookId: '43' }))).toBe('done')
    expect(await outcomeOf(new MemoryNonceStore())).toBe('done')
    resolve('first')
    await first
  })
})

describe('the release of receive', () => {
  const receiveFrom = (nonceStore: NonceStore) => receive(sourceOf(), SECRET, nonceStore, new TestClock())

  it('frees the reservation once, so that the same request is accepted again', async () => {
    const store = new MemoryNonceStore()
    const release = vi.spyOn(store, 'release')
    const received = await receiveFrom(store)
    await expect(receiveFrom(store)).rejects.toMatchObject({ reason: 'replayed_nonce' })
    await Promise.all([received.release(), received.release()])
    await receiveFrom(store)
    await received.release()
    expect(release).toHaveBeenCalledTimes(1)
    await expect(receiveFrom(store)).rejects.toMatchObject({ reason: 'replayed_nonce' })
  })

  it('throws if the store has none, or failed', async () => {
    const without = await receiveFrom({ reserve: () => true })
    await expect(without.release()).rejects.toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARGUMENT' })
    const failing = await receiveFrom({ reserve: () => true, release: () => Promise.reject(FAILURE) })
    await expect(failing.release()).rejects.toMatchObject({ code: 'ERR_NONCE_STORE', cause: FAILURE })
  })
})

it('verify reserves for nobody, so nobody can release what it reserved', async () => {
  const reserve = vi.fn(() => true)
  await verify(signedRequest(), SECRET, { reserve }, new TestClock())
  expect(reserve.mock.calls).toEqual([['42', NONCE, 600]])
})

describe('handle over a transaction', () => {
  /** Opens a store with a connection of its own for each transaction. */
  function open(database = new SimulatedDatabase()) {
    let begun = 0
    const store = new PostgresTransactionStore<Session>({
      begin(run) {
        begun++
        return database.client.begin(run)
      },
      query: database.client.query,
    })
    return { database, store, begun: () => begun }
  }

  function outcomeOver(
    store: TransactionStore<Session>,
    work: (webhook: unknown, session: Session) => unknown = () => 'done',
    source = sourceOf(),
    clock = new TestClock(),
  ): Promise<unknown> {
    return handle(source, SECRET, store, work, clock).catch((error: unknown) => error)
  }

  it('passes the keys to the store, and the webhook and the transaction to the work', async () => {
    const { database, store } = open()
    const transact = vi.spyOn(store, 'transact')
    const [split] = TWO_SPLITS
    const work = vi.fn(async () => 'value')
    expect(await outcomeOver(store, work, sourceOf(split))).toBe('value')
    expect(work.mock.calls).toEqual([
      [
        expect.objectContaining({ nonce: 'abc', body: split.body }),
        database.sessions[0],
        expect.objectContaining({ aborted: false }),
      ],
    ])
    const key = `signature ${signatureOf(TIMESTAMP, split.nonce, split.body, SECRET)}`
    expect(transact.mock.calls).toEqual([
      [{ webhookId: '42', keys: ['abc', key], ttlSeconds: 600, eventKeys: undefined, work: expect.any(Function) }],
    ])
  })

  it('begins none for a request that breaks a rule', async () => {
    const { store, begun } = open()
    expect(await outcomeOver(store, undefined, sourceOf({ secret: 'another' }))).toMatchObject({ status: 401 })
    expect(begun()).toBe(0)
  })

  it('refuses a replay, and a copy of what another process works on', async () => {
    const { database, store } = open()
    const { promise, resolve } = deferred<string>()
    const first = outcomeOver(store, () => promise)
    await nextTurn()
    const work = vi.fn()
    expect(await outcomeOver(open(database).store, work)).toMatchObject({
      code: 'ERR_WEBHOOK_IN_PROGRESS',
      status: 503,
    })
    resolve('first')
    expect(await first).toBe('first')
    const replayed = { reason: 'replayed_nonce', status: 401, received: { body: BODY } }
    expect(await outcomeOver(store, work)).toMatchObject(replayed)
    expect(work).not.toHaveBeenCalled()
    expect(database.nonces.size).toBe(1)
  })

  it('does not run the work if the window has closed when the nonce is reserved', async () => {
    const clock = new TestClock()
    const work = vi.fn()
    const { database, store } = open()
    const newSession = database.newSession.bind(database)
    database.newSession = () => {
      clock.milliseconds += 300_001
      return newSession()
    }
    expect(await outcomeOver(store, work, sourceOf(), clock)).toMatchObject({
      reason: 'timestamp_outside_window',
      received: { body: BODY },
    })
    expect(work).not.toHaveBeenCalled()
    expect(database.nonces.size).toBe(0)
  })

  it('refuses a copy before a second transaction begins', async () => {
    const { promise, resolve } = deferred<string>()
    const { store, begun } = open()
    const first = outcomeOver(store, () => promise)
    await nextTurn()
    expect(await outcomeOver(store)).toMatchObject({ code: 'ERR_WEBHOOK_IN_PROGRESS' })
    expect(begun()).toBe(1)
    resolve('first')
    expect(await first).toBe('first')
  })

  it.each([receive, verify])('is refused by %o, which runs no code', async (call) => {
    const source = call === verify ? signedRequest() : sourceOf()
    const error: unknown = await Reflect.apply(call, undefined, [source, SECRET, open().store]).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringMatching(/^nonceStore is a transaction store, /),
    })
  })
})

describe('handle with eventId', () => {
  const EVENT = Buffer.from('{"id":"evt_1"}')
  const byBody = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).id

  /** One database, and what each attempt leaves there. */
  class Sender {
    readonly database = new SimulatedDatabase()
    readonly results: unknown[] = []
    readonly work = vi.fn((_: unknown, session: Session) => {
      session.insertRow()
      return 'done'
    })
    #attempts = 0

    /** Another store over the same database, as another process has. */
    newStore(options: { eventTtlSeconds?: number } = {}) {
      return new PostgresTransactionStore<Session>({ ...options, ...this.database.client })
    }

    /** Signs an event again, with the current time and a new nonce. */
    newAttempt({ body = EVENT, ...parts }: Parameters<typeof signedRequest>[0] = {}) {
      const timestamp = String(Math.floor(this.database.clock.now() / 1000))
      return sourceOf({ nonce: `attempt-${this.#attempts++}`, timestamp, body, ...parts })
    }

    send(
      source: object = this.newAttempt(),
      {
        store = this.newStore(),
        work = this.work as (_: unknown, session: Session) => unknown,
        eventId = byBody as unknown,
      } = {},
    ): Promise<unknown> {
      const withId = { ...source, eventId } as never
      return handle(withId, SECRET, store, work, this.database.clock).catch((error: unknown) => error)
    }
  }

  const IN_PROGRESS = { code: 'ERR_WEBHOOK_IN_PROGRESS', status: 503 }
  const REPLAYED = { reason: 'replayed_nonce', status: 401 }

  it('runs the work once, and then resolves to undefined for each new attempt', async () => {
    const sender = new Sender()
    const attempts = Array.from({ length: 3 }, () => sender.newAttempt())
    const outcomes = []
    for (const source of attempts) outcomes.push(await sender.send(source))
    expect(outcomes).toEqual(['done', undefined, undefined])
    expect(sender.work).toHaveBeenCalledTimes(1)
    // A repeat commits its own nonce.
    for (const source of attempts) expect(await sender.send(source)).toMatchObject(REPLAYED)
    // The body contains a colon, so each attempt reserves its nonce and its signature.
    expect([sender.database.rows, sender.database.nonces.size]).toEqual([1, 7])
  })

  it('runs the work again after a failure', async () => {
    const sender = new Sender()
    expect(await sender.send(undefined, { work: () => Promise.reject(FAILURE) })).toBe(FAILURE)
    expect(sender.database.nonces.size).toBe(0)
    expect(await sender.send()).toBe('done')
    expect(await sender.send()).toBeUndefined()
  })

  it('refuses another attempt while one runs, in the same process and in another', async () => {
    const sender = new Sender()
    const { promise, resolve } = deferred<void>()
    const store = sender.newStore()
    const first = sender.send(undefined, { store, work: () => promise.then(() => 'done') })
    await nextTurn()
    expect(await sender.send(undefined, { store })).toMatchObject(IN_PROGRESS)
    expect(await sender.send()).toMatchObject(IN_PROGRESS)
    // Another event, and an event of another webhook, are not concerned.
    expect(await sender.send(sender.newAttempt({ body: Buffer.from('{"id":"evt_2"}') }))).toBe('done')
    expect(await sender.send(sender.newAttempt({ webhookId: '43' }))).toBe('done')
    resolve()
    expect(await first).toBe('done')
    expect(await sender.send()).toBeUndefined()
  })

  it('refuses another split of a message before it says anything about the event', async () => {
    const sender = new Sender()
    const body = Buffer.from('{"id":"evt:1"}')
    const timestamp = TIMESTAMP
    expect(await sender.send(sourceOf({ nonce: 'abc', body, timestamp }))).toBe('done')
    // The body of this split is no JSON, so eventId throws.
    const split = sourceOf({ nonce: 'abc:{"id":"evt', body: Buffer.from('1"}'), timestamp })
    expect(await sender.send(split)).toMatchObject(REPLAYED)
  })

  it('asks only for a request whose signature matched, with what the work gets', async () => {
    const sender = new Sender()
    const eventId = vi.fn((_: unknown) => 'evt_1')
    for (const source of [
      sender.newAttempt({ secret: 'another' }),
      sender.newAttempt({ nonce: '' }),
      sender.newAttempt({ timestamp: '1' }),
    ]) {
      expect(await sender.send(source, { eventId })).toMatchObject({ status: 401 })
    }
    expect(eventId).not.toHaveBeenCalled()
    await sender.send(sender.newAttempt({ nonce: 'abc' }), { eventId })
    const webhook = {
      ok: true,
      webhookId: '42',
      timestamp: Number(TIMESTAMP),
      nonce: 'abc',
      secretIndex: 0,
      body: EVENT,
    }
    expect(eventId.mock.calls).toEqual([[webhook]])
    expect(sender.work.mock.calls.map(([given]) => given)).toEqual([webhook])
  })

  it('throws the error of eventId, and reserves nothing', async () => {
    const sender = new Sender()
    const source = sender.newAttempt()
    const eventId = () => {
      throw FAILURE
    }
    expect(await sender.send(source, { eventId })).toBe(FAILURE)
    expect([sender.database.nonces.size, sender.work.mock.calls.length]).toEqual([0, 0])
    expect(await sender.send(source)).toBe('done')
    expect(await sender.send(source, { eventId })).toMatchObject(REPLAYED)
  })

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['an empty string', () => ''],
    ['an object', () => ({})],
    ['an array', () => ['evt_1']],
    ['a boolean', () => true],
    ['a bigint', () => 1n],
    ['a promise that was not awaited', async () => 'evt_1'],
    ['a promise that was not awaited', () => Promise.reject(FAILURE)],
    ['a number', () => 2 ** 53],
    ['a number', () => 1.5],
    ['a number', () => Number.NaN],
  ])('refuses an ID that is %s, and reserves nothing', async (kind, eventId) => {
    const sender = new Sender()
    const source = sender.newAttempt()
    const error = await sender.send(source, { eventId })
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: `eventId returned ${kind}. Return the event's ID as a string or a safe integer.`,
    })
    expect([sender.database.nonces.size, sender.work.mock.calls.length]).toEqual([0, 0])
    expect(await sender.send(source)).toBe('done')
  })

  it('tells all IDs apart, however long they are', async () => {
    const sender = new Sender()
    const long = 'x'.repeat(100_000)
    const ids = [
      ...[1, '1', '01', 0, 2 ** 53 - 1, ' 1', '"1"', '\ud800', '\ud801', '\ufffd', 'É', 'é', 'e\u0301'],
      ...[long, `${long}x`],
    ]
    for (const id of ids) expect([id, await sender.send(undefined, { eventId: () => id })]).toEqual([id, 'done'])
    for (const id of ids) expect(await sender.send(undefined, { eventId: () => id })).toBeUndefined()
  })

  it('runs the work again when the ID has expired', async () => {
    const sender = new Sender()
    const send = (options?: { eventTtlSeconds: number }) => sender.send(undefined, { store: sender.newStore(options) })
    const { clock } = sender.database
    expect(await send()).toBe('done')
    // A repeat does not prolong the time.
    clock.milliseconds += 604_800_000
    expect(await send()).toBeUndefined()
    clock.milliseconds += 2
    expect(await send({ eventTtlSeconds: 600 })).toBe('done')
    clock.milliseconds += 600_001
    expect(await send()).toBeUndefined()
    clock.milliseconds += 1
    expect(await send()).toBe('done')
  })

  it.each([599, 0, -1, 600.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '600'])(
    'refuses an eventTtlSeconds of %s',
    (eventTtlSeconds) => {
      expect(() => new Sender().newStore({ eventTtlSeconds: eventTtlSeconds as number })).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_ARGUMENT',
          message: expect.stringMatching(/^eventTtlSeconds is not /),
        }),
      )
    },
  )

  it('is refused with a store without claim, by receive, and if it is no function', async () => {
    const sender = new Sender()
    const error = await sender.send(undefined, { store: { reserve: () => true, release() {} } as never })
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringMatching(/^source\.eventId needs a nonce store with claim\(\), or a transaction store\. /),
    })
    expect(String(error).length).toBeLessThanOrEqual(200)
    await expect(receive({ ...sourceOf(), eventId: byBody } as never, SECRET, new MemoryNonceStore())).rejects.toThrow(
      /^source\.eventId is unknown\. /,
    )
    for (const eventId of [undefined, null, 'evt_1']) {
      const source = { ...sourceOf(), eventId } as never
      await expect(handle(source, SECRET, sender.newStore(), () => {})).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        message: expect.stringMatching(/^source\.eventId is /),
      })
    }
  })

  it('rejects with the failure of the store if the commit of a repeat fails', async () => {
    const sender = new Sender()
    await sender.send()
    const source = sender.newAttempt()
    const commit = vi.spyOn(sender.database, 'newSession').mockImplementationOnce(() => {
      const session = new Session(sender.database, 99)
      session.commit = () => {
        throw FAILURE
      }
      return session
    })
    expect(await sender.send(source)).toMatchObject({ code: 'ERR_NONCE_STORE', status: 503, cause: FAILURE })
    commit.mockRestore()
    expect(await sender.send(source)).toBeUndefined()
  })
})
