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
import { type Session, SimulatedDatabase } from './support/transactions/simulated-database.js'

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

  it('refuses a replay, and a copy of what this or another process works on', async () => {
    const { database, store, begun } = open()
    const { promise, resolve } = deferred<string>()
    const first = outcomeOver(store, () => promise)
    await nextTurn()
    const work = vi.fn()
    for (const one of [store, open(database).store]) {
      expect(await outcomeOver(one, work)).toMatchObject({ code: 'ERR_WEBHOOK_IN_PROGRESS', status: 503 })
    }
    expect(begun(), 'transactions of the store that works').toBe(1)
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
