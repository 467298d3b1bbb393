import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handle, MemoryNonceStore, type NonceStore, receive, type WebhookResult } from '../src/index.js'
import { SECRET, signatureOf, signedRequest, TestClock, TIMESTAMP } from './support/request.js'
import { SimulatedTime } from './support/simulated-time.js'
import { deferred } from './support/step.js'

// `handle` with `eventId` over a nonce store, which claims the keys. sql-transaction-store.test.ts has events in a transaction.

const FAILURE = new Error('the work failed')
const DOWN = new Error('the store is down')
const IN_PROGRESS = {
  ...{ code: 'ERR_WEBHOOK_IN_PROGRESS', status: 503, headers: { 'Retry-After': '1' } },
  message: 'A copy of the request, or the same event, is being handled',
}
const REPLAYED = { reason: 'replayed_nonce', status: 401 }
const BODY = Buffer.from('{"id":"evt_1"}')
/** SHA-256 of `"evt_1"`, with the quotes of JSON. */
const EVENT_KEY = 'event 3f67ae0e72366170916232f997464838bf631942d172f8b9f6cf2eca845e89fd'

const time = new SimulatedTime()
let database: MemoryNonceStore
let log: ReturnType<typeof vi.spyOn>
const published: WebhookResult[] = []
const note = (result: unknown) => published.push(result as WebhookResult)
beforeEach(() => {
  time.start()
  time.now = 0
  database = new MemoryNonceStore({ clock: { now: () => time.now } })
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
  published.length = 0
  subscribe('inbound-webhook-auth:result', note)
})
afterEach(() => {
  unsubscribe('inbound-webhook-auth:result', note)
  vi.restoreAllMocks()
  time.stop()
})

type Method = 'claim' | 'record' | 'release'

/** A process with a store of its own over the common database. */
class Process {
  readonly calls: [method: Method, keys: string, seconds?: number][] = []
  /** Called before each call of the database. */
  before: (method: Method, keys: string) => unknown = () => {}
  /** Called after each call of the database, before the process has the response. */
  after: (method: Method, keys: string) => unknown = () => {}
  readonly store: NonceStore = {
    reserve: () => expect.unreachable(),
    claim: (id, keys, seconds, owner, isDone) =>
      this.#call(isDone ? 'record' : 'claim', keys, seconds, () => database.claim(id, keys, seconds, owner, isDone)),
    release: (id, keys, owner) => this.#call('release', keys, undefined, () => database.release(id, keys, owner)),
  }

  async #call<T>(method: Method, keys: readonly string[], seconds: number | undefined, run: () => T): Promise<T> {
    // A nonce of these tests has no colon, and its message has a body with colons.
    const names = keys.map((key) => key.replace(/^(signature|event) .*/, '$1')).join()
    this.calls.push(seconds === undefined ? [method, names] : [method, names, seconds])
    await this.before(method, names)
    const result = run()
    await this.after(method, names)
    return result
  }

  send(
    nonce = `attempt-${++attempts}`,
    work: (...call: never[]) => unknown = () => 'done',
    eventId: unknown = byBody,
    secret = SECRET,
  ) {
    const source = { ...sourceOf({ nonce, secret }), eventId } as never
    const clock = new TestClock(Number(TIMESTAMP) * 1000 + Math.min(time.now, 300_000))
    return handle(source, SECRET, this.store, work as () => unknown, clock).catch((error: unknown) => error)
  }
}
let attempts = 0

/** The source of a request with these parts. */
function sourceOf(parts: Parameters<typeof signedRequest>[0] = { nonce: 'a' }) {
  const { webhookId, headers, body } = signedRequest({ body: BODY, ...parts })
  return { webhookId, request: { headers, body: Buffer.from(body as Uint8Array) } }
}
const byBody = ({ body }: { body: Buffer }): string => JSON.parse(body.toString()).id

/** Starts an attempt, and lets its code begin. */
async function begin(process: Process, nonce: string, eventId: unknown = byBody) {
  const { promise, resolve, reject } = deferred<unknown>()
  const started = deferred<AbortSignal>()
  const outcome = process.send(
    nonce,
    (_webhook: unknown, transaction: unknown, given: AbortSignal) => {
      expect(transaction).toBeUndefined()
      started.resolve(given)
      return promise
    },
    eventId,
  )
  return { outcome, signal: await started.promise, succeed: () => resolve('first'), fail: () => reject(FAILURE) }
}

it('claims the keys of the message and of the event, and records both', async () => {
  const process = new Process()
  const claim = vi.spyOn(database, 'claim')
  expect(await process.send('a')).toBe('done')
  expect(process.calls).toEqual([
    ['claim', 'a,signature', 30],
    ['claim', 'event', 30],
    ['record', 'a,signature', 600],
    ['record', 'event', 604_800],
  ])
  const message = ['a', `signature ${signatureOf(TIMESTAMP, 'a', BODY, SECRET)}`]
  expect(claim.mock.calls.map(([id, keys]) => [id, ...keys])).toEqual(
    [message, [EVENT_KEY], message, [EVENT_KEY]].map((keys) => ['42', ...keys]),
  )
  expect(new Set(claim.mock.calls.map(({ 3: owner }) => owner)).size).toBe(1)
  expect(published).toMatchObject([{ outcome: 'accepted' }])
})

it('records the event for the time of the store', async () => {
  const process = new Process()
  Object.assign(process.store, { eventTtlSeconds: 600 })
  await process.send()
  expect(process.calls.at(-1)).toEqual(['record', 'event', 600])
  Object.assign(process.store, { eventTtlSeconds: '7d' })
  expect(await process.send()).toMatchObject({ message: expect.stringMatching(/^eventTtlSeconds is not /) })
})

describe('while the first attempt runs', () => {
  it('its copies and other attempts get 503, in its process and in another', async () => {
    const [process, other] = [new Process(), new Process()]
    const first = await begin(process, 'a')
    for (const one of [process, other]) {
      for (const nonce of ['a', 'b']) expect(await one.send(nonce)).toMatchObject(IN_PROGRESS)
      await time.pass(250)
    }
    expect(process.calls).toHaveLength(2)
    first.succeed()
    expect(await first.outcome).toBe('first')
    await time.pass(250)
    for (const one of [process, other]) {
      expect(await one.send('a')).toMatchObject(REPLAYED)
      expect(await one.send()).toBeUndefined()
    }
  })

  it('a flood of copies costs another process three calls in 250 ms', async () => {
    const [process, other] = [new Process(), new Process()]
    const first = await begin(process, 'a')
    for (let copy = 0; copy < 100; copy++) expect(await other.send('b')).toMatchObject(IN_PROGRESS)
    // The message whose event is in progress is free again, so that its retry can run.
    const calls = [
      ['claim', 'b,signature', 30],
      ['claim', 'event', 30],
      ['release', 'b,signature'],
    ]
    expect(other.calls).toEqual(calls)
    for (let copy = 0; copy < 100; copy++) expect(await other.send('a')).toMatchObject(IN_PROGRESS)
    await time.pass(249)
    expect(await other.send('b')).toMatchObject(IN_PROGRESS)
    expect(other.calls).toEqual(calls)
    await time.pass(1)
    expect(await other.send('b')).toMatchObject(IN_PROGRESS)
    expect(other.calls).toHaveLength(6)
    first.fail()
    await first.outcome
    await time.pass(250)
    expect(await other.send('b')).toBe('done')
  })

  it('another event, and the same event of another webhook, are not concerned', async () => {
    const process = new Process()
    const first = await begin(process, 'a')
    expect(
      await process.send(
        'b',
        () => 'other',
        () => 'evt_2',
      ),
    ).toBe('other')
    database.reserve('43', EVENT_KEY, 600)
    first.succeed()
    expect(await first.outcome).toBe('first')
  })

  it('receive refuses its message', async () => {
    const first = await begin(new Process(), 'a')
    await expect(receive(sourceOf(), SECRET, database, new TestClock())).rejects.toMatchObject(REPLAYED)
    first.succeed()
    await first.outcome
  })
})

describe('after the first attempt failed', () => {
  it('its copies and other attempts run', async () => {
    for (const [nonce, retry] of [
      ['a', 'a'],
      ['b', 'c'],
    ]) {
      const process = new Process()
      expect(
        await process.send(
          nonce,
          () => Promise.reject(FAILURE),
          () => `evt ${nonce}`,
        ),
      ).toBe(FAILURE)
      expect(process.calls.slice(2)).toEqual([
        ['release', `${nonce},signature`],
        ['release', 'event'],
      ])
      expect(
        await new Process().send(
          retry,
          () => 'retry',
          () => `evt ${nonce}`,
        ),
      ).toBe('retry')
    }
    expect(published.map(({ outcome }) => outcome)).toEqual(['failed', 'accepted', 'failed', 'accepted'])
  })

  it('eventId that throws runs nothing, and refuses a replay first', async () => {
    const process = new Process()
    const eventId = () => {
      throw FAILURE
    }
    expect(await process.send('a', () => 'done', eventId)).toBe(FAILURE)
    expect(await process.send('a')).toBe('done')
    expect(await process.send('a', () => 'done', eventId)).toMatchObject(REPLAYED)
    // A message in progress is not taken, because a sender gives up after 401.
    const first = await begin(process, 'b', () => 'evt_2')
    expect(await new Process().send('b', () => 'done', eventId)).toMatchObject(IN_PROGRESS)
    first.fail()
    await first.outcome
  })

  it('a failed release is logged and published, and retries run after 30 s', async () => {
    const process = new Process()
    process.before = (method) => method === 'release' && Promise.reject(DOWN)
    expect(await process.send('a', () => Promise.reject(FAILURE))).toBe(FAILURE)
    expect(published).toMatchObject([{ outcome: 'release_failed' }])
    expect(log.mock.calls).toEqual([
      [expect.stringMatching(/^Webhook 42: retries get 503 for 30 s, because the release failed: .*the store is down/)],
    ])
    await time.pass(30_000)
    expect(await new Process().send('a')).toMatchObject(IN_PROGRESS)
    await time.pass(250)
    expect(await new Process().send('a')).toBe('done')
  })
})

describe('after the first attempt is done', () => {
  it('a message of a repeated event is recorded, so that its replays get 401', async () => {
    const [process, other] = [new Process(), new Process()]
    await process.send('a')
    expect(await other.send('b')).toBeUndefined()
    expect(other.calls).toEqual([
      ['claim', 'b,signature', 30],
      ['claim', 'event', 30],
      ['record', 'b,signature', 600],
    ])
    expect(await process.send('b')).toMatchObject(REPLAYED)
    expect(published.map(({ outcome }) => outcome)).toEqual(['accepted', 'repeated', 'replayed_nonce'])
  })

  it('a repeat succeeds also if its record fails, and its claim is freed', async () => {
    const [process, other] = [new Process(), new Process()]
    await process.send('a')
    other.before = (method) => method === 'record' && Promise.reject(DOWN)
    expect(await other.send('b')).toBeUndefined()
    expect(await other.send('b')).toBeUndefined()
  })

  it('the work runs again when the event has expired', async () => {
    await new Process().send('a')
    await time.pass(604_800_000)
    expect(await new Process().send('b')).toBeUndefined()
    await time.pass(1)
    expect(await new Process().send('c')).toBe('done')
  })
})

describe('if the store is down when the work is done', () => {
  /** Sends an attempt, after whose work the store is down for some time. */
  async function sendAndFail(process: Process, milliseconds: number) {
    const end = time.now + milliseconds
    process.before = (method) => method === 'record' && time.now < end && Promise.reject(DOWN)
    expect(await process.send('a')).toBe('done')
  }

  it('handle resolves, refuses copies, and records as soon as the store is back', async () => {
    const [process, other] = [new Process(), new Process()]
    await sendAndFail(process, 20_000)
    expect(published).toMatchObject([{ outcome: 'accepted' }])
    expect(log.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^Webhook 42: the work is done, but the store could not record it, so it tries again: .*the store is down/,
        ),
      ],
    ])
    for (const one of [process, other]) {
      for (const nonce of ['a', 'b']) expect(await one.send(nonce)).toMatchObject(IN_PROGRESS)
    }
    await time.pass(20_000)
    // The first try, 19 tries that failed, and the one that succeeded, for two keys each.
    expect(process.calls.filter(([method]) => method === 'record')).toHaveLength(42)
    for (const one of [process, other]) {
      expect(await one.send('a')).toMatchObject(REPLAYED)
      expect(await one.send()).toBeUndefined()
    }
    expect(process.calls.some(([method]) => method === 'release')).toBe(false)
  })

  it('the process stays alive for 30 s, and tries and refuses copies for 600 s', async () => {
    const process = new Process()
    await sendAndFail(process, Number.POSITIVE_INFINITY)
    expect(time.refs).toBe(1)
    await time.pass(30_000)
    expect(time.refs).toBe(0)
    expect(time.timers).toBe(1)
    await time.pass(569_000)
    expect(await process.send('a'), 'a copy').toMatchObject(IN_PROGRESS)
    await time.pass(2000)
    expect(time.timers).toBe(0)
  })

  it('a claim that somebody else has then is lost, which the log says', async () => {
    const [process, other] = [new Process(), new Process()]
    await sendAndFail(process, 60_000)
    await time.pass(31_000)
    expect(await other.send('a')).toBe('done')
    await time.pass(29_000)
    expect(log).toHaveBeenLastCalledWith('Webhook 42: the claim was lost, so the work may have run twice')
    expect(await other.send('a')).toMatchObject(REPLAYED)
  })
})

describe('while the work runs', () => {
  const claimsOf = (process: Process) => process.calls.filter(([method]) => method === 'claim').length

  it('its claims are renewed every 10 s, and a short one renews nothing', async () => {
    const [process, other] = [new Process(), new Process()]
    const first = await begin(process, 'a')
    await time.pass(9999)
    expect(claimsOf(process)).toBe(2)
    expect(time.refs).toBe(0)
    await time.pass(1)
    expect(claimsOf(process)).toBe(4)
    await time.pass(50_000)
    expect(claimsOf(process)).toBe(14)
    expect(await other.send('a')).toMatchObject(IN_PROGRESS)
    expect(first.signal.aborted).toBe(false)
    first.succeed()
    expect(await first.outcome).toBe('first')
    expect(time.timers).toBe(0)
  })

  it('a renewal that fails is repeated after 1 s', async () => {
    const process = new Process()
    const first = await begin(process, 'a')
    process.before = (method) => method === 'claim' && time.now < 25_000 && Promise.reject(DOWN)
    await time.pass(29_999)
    expect(first.signal.aborted).toBe(false)
    await time.pass(25_000)
    expect(first.signal.aborted).toBe(false)
    expect(await new Process().send('a')).toMatchObject(IN_PROGRESS)
    first.succeed()
    await first.outcome
  })

  it('the signal aborts 30 s after the last claim that succeeded was sent', async () => {
    const process = new Process()
    process.after = () => {
      time.now += 100
    }
    const first = await begin(process, 'a')
    // The claim of the message was sent at 0 ms, and the claim of the event at 100 ms.
    expect(time.now).toBe(200)
    process.after = () => {}
    process.before = (method) => method === 'claim' && Promise.reject(DOWN)
    await time.pass(29_999 - time.now)
    expect(first.signal.aborted).toBe(false)
    await time.pass(1)
    expect(first.signal.aborted).toBe(true)
    expect(first.signal.reason).toMatchObject({ code: 'ERR_NONCE_STORE', status: 503 })
    first.succeed()
    // Nobody else claimed the keys, so the record is still right.
    expect(await first.outcome).toBe('first')
    expect(published).toMatchObject([{ outcome: 'accepted' }])
  })

  it('the signal aborts 30 s after the last renewal that succeeded was sent, not after its response', async () => {
    const process = new Process()
    const first = await begin(process, 'a')
    process.after = () => new Promise((resolve) => setTimeout(resolve, 500))
    await time.pass(10_500)
    process.after = () => {}
    process.before = (method) => method === 'claim' && Promise.reject(DOWN)
    await time.pass(29_499)
    expect(first.signal.aborted).toBe(false)
    await time.pass(1)
    expect(first.signal.aborted).toBe(true)
    first.succeed()
    await first.outcome
  })

  it.each([
    ['the request', 'a'],
    ['the event', 'b'],
  ])('the signal aborts if a renewal says that the claim of %s is lost, and the outcome says so', async (_, nonce) => {
    const [process, other] = [new Process(), new Process()]
    const first = await begin(process, 'a')
    // The process stands still for 31 s, and another process does the work.
    await time.stall(31_000, () => {})
    const second = await begin(other, nonce)
    await time.pass(0)
    expect(first.signal.aborted).toBe(true)
    // A renewal could claim the keys again after the other attempt has failed.
    const claims = claimsOf(process)
    await time.pass(10_000)
    expect(claimsOf(process), 'a lost claim is not renewed').toBe(claims)
    expect(await new Process().send('c')).toMatchObject(IN_PROGRESS)
    first.succeed()
    expect(await first.outcome).toBe('first')
    expect(published.at(-1)).toMatchObject({ outcome: 'claim_lost' })
    expect(log.mock.calls).toEqual([['Webhook 42: the claim was lost, so the work may have run twice']])
    second.succeed()
    expect(await second.outcome).toBe('first')
    expect(await new Process().send('a')).toMatchObject(REPLAYED)
  })

  it('a failed attempt waits for a renewal in flight before it frees the keys', async () => {
    const process = new Process()
    const first = await begin(process, 'a')
    process.before = (method) => method === 'claim' && new Promise((resolve) => setTimeout(resolve, 500))
    await time.pass(10_000)
    first.fail()
    await time.pass(499)
    expect(process.calls.some(([method]) => method === 'release')).toBe(false)
    await time.pass(1)
    expect(await first.outcome).toBe(FAILURE)
    expect(await new Process().send('a')).toBe('done')
  })

  it('a renewal whose response comes after the end of the work is ignored', async () => {
    const process = new Process()
    const first = await begin(process, 'a')
    process.before = (method) => method === 'claim' && new Promise((resolve) => setTimeout(resolve, 500))
    await time.pass(10_000)
    first.succeed()
    expect(await first.outcome).toBe('first')
    await time.pass(500)
    // The renewals found the keys recorded.
    expect(first.signal.aborted).toBe(false)
    expect(time.timers).toBe(0)
    expect(await new Process().send('a')).toMatchObject(REPLAYED)
  })
})

describe('if the process of the first attempt dies', () => {
  it('its copies and other attempts get 503 for 30 s, and then run', async () => {
    database.claim('42', ['a', `signature ${signatureOf(TIMESTAMP, 'a', BODY, SECRET)}`], 30, 'dead')
    database.claim('42', [EVENT_KEY], 30, 'dead')
    await time.pass(30_000)
    for (const nonce of ['a', 'b']) expect(await new Process().send(nonce)).toMatchObject(IN_PROGRESS)
    await time.pass(1)
    expect(await new Process().send('a')).toBe('done')
    expect(await new Process().send('b')).toBeUndefined()
  })
})

describe('if the store fails', () => {
  it.each([
    ['the claim of the message', 'a,signature'],
    ['the claim of the event', 'event'],
  ])('%s: the request gets 503, and its retry runs', async (_, keys) => {
    const process = new Process()
    process.after = (method, claimed) => method === 'claim' && claimed === keys && Promise.reject(DOWN)
    expect(await process.send('a')).toMatchObject({ code: 'ERR_NONCE_STORE', status: 503, cause: DOWN })
    process.after = () => {}
    await time.pass(0)
    expect(await process.send('a')).toBe('done')
  })

  it('a claim that comes after its time-out ends by itself', async () => {
    const process = new Process()
    process.after = (method) => method !== 'record' && Promise.reject(DOWN)
    expect(await process.send('a')).toMatchObject({ code: 'ERR_NONCE_STORE' })
    database.claim('42', ['a', `signature ${signatureOf(TIMESTAMP, 'a', BODY, SECRET)}`], 30, 'late')
    expect(await new Process().send('a')).toMatchObject(IN_PROGRESS)
    await time.pass(30_001)
    expect(await new Process().send('a')).toBe('done')
  })

  it.each([[true], [undefined], ['reserved'], [{}]])(
    'a store that returns %o from claim runs nothing',
    async (state) => {
      const process = new Process()
      process.store.claim = () => state as 'claimed'
      const work = vi.fn()
      expect(await process.send('a', work)).toMatchObject({
        code: 'ERR_NONCE_STORE',
        message: expect.stringMatching(/^claim\(\) returned .*\. Return 'claimed', 'in_progress' or 'taken'\.$/),
      })
      expect(work).not.toHaveBeenCalled()
    },
  )

  it('a request whose window closes while the keys are claimed is refused, and its keys are free', async () => {
    const process = new Process()
    const work = vi.fn()
    process.after = () => {
      time.now += 300_001
    }
    const source = { ...sourceOf(), eventId: byBody }
    const clock = { now: () => Number(TIMESTAMP) * 1000 + time.now }
    await expect(handle(source, SECRET, process.store, work, clock)).rejects.toMatchObject({
      reason: 'timestamp_outside_window',
    })
    expect(work).not.toHaveBeenCalled()
    expect(process.calls.map(([method]) => method)).toEqual(['claim', 'claim', 'release', 'release'])
  })
})

it.each<[string, object, RegExp, object?]>([
  ['release', { eventId: byBody }, /^nonceStore has no release\(\)\./, { reserve() {}, claim() {} }],
  ['claim', { eventId: byBody }, /^source\.eventId needs a nonce store with claim/, { reserve() {}, release() {} }],
  ['the function', { eventId: undefined }, /^source\.eventId is undefined\. /],
  ['a function', { eventId: 'evt_1' }, /^source\.eventId is a string\. /],
])('is refused without %s', async (_, source, message, store = new Process().store) => {
  const call = handle({ ...sourceOf(), ...source } as never, SECRET, store as NonceStore, () => {})
  await expect(call).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(message) })
})

describe('the ID of an event', () => {
  it('is asked for only if the signature matched, with what the work gets', async () => {
    const process = new Process()
    const [work, eventId] = [vi.fn(), vi.fn((_: unknown) => 'evt_1')]
    expect(await process.send('a', work, eventId, 'another secret')).toMatchObject({ reason: 'signature_mismatch' })
    expect(await process.send('', work, eventId)).toMatchObject({ reason: 'invalid_nonce' })
    expect(eventId).not.toHaveBeenCalled()
    await process.send('a', work, eventId)
    const accepted = { ok: true, webhookId: '42', timestamp: Number(TIMESTAMP), nonce: 'a', secretIndex: 0 }
    expect(eventId.mock.calls).toEqual([[{ ...accepted, body: BODY }]])
    expect(work.mock.calls.map(([given]) => given)).toEqual([{ ...accepted, body: BODY }])
  })

  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['an empty string', () => ''],
    ['an object', () => ({})],
    ['a boolean', () => true],
    ['a promise that was not awaited', () => Promise.reject(FAILURE)],
    ['a number', () => 2 ** 53],
    ['a number', () => 1.5],
  ])('cannot be %s: nothing runs, and the message is free', async (kind, eventId) => {
    const process = new Process()
    expect(await process.send('a', () => expect.unreachable(), eventId)).toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: `eventId returned ${kind}. Return the event's ID as a string or a safe integer.`,
    })
    expect(await process.send('a')).toBe('done')
  })

  it('differs from all others, however long it is', async () => {
    const process = new Process()
    const long = 'x'.repeat(100_000)
    const ids = [1, '1', '01', 0, 2 ** 53 - 1, ' 1', '"1"', '\ud800', '\ud801', '\ufffd', 'É', 'é', 'e\u0301', long]
    for (const id of [...ids, `${long}x`]) {
      expect([id, await process.send(undefined, undefined, () => id)]).toEqual([id, 'done'])
      expect([id, await process.send(undefined, undefined, () => id)]).toEqual([id, undefined])
    }
  })
})

it('without eventId, a store with claim only reserves and releases', async () => {
  const claim = vi.spyOn(database, 'claim')
  const send = (work: () => unknown) =>
    handle(sourceOf(), SECRET, database, work, new TestClock()).catch((error: unknown) => error)
  expect(await send(() => Promise.reject(FAILURE))).toBe(FAILURE)
  expect(await send(() => 'done')).toBe('done')
  expect(claim).not.toHaveBeenCalled()
})
