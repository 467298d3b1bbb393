import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SimulatedTime } from '../support/simulated-time.js'
import { newStep } from '../support/step.js'
import {
  Session,
  SIMULATED,
  SimulatedDatabase,
  type SimulatedStore,
} from '../support/transactions/simulated-database.js'

const time = new SimulatedTime()
beforeEach(() => time.start())
afterEach(() => time.stop())

const FAILURE = new Error('the work failed')
const { query: original } = Session.prototype
const KEYS = ['nonce', 'signature 1']
const hang = () => new Promise<never>(() => {})
const insert = async (session: Session) => session.insertRow()

/** The steps of a transaction that a test can replace. */
interface Steps {
  begin(): Promise<unknown>
  lock(): Promise<unknown>
  reserve(): Promise<unknown>
  commit(): Promise<unknown>
  rollBack(): Promise<unknown>
}
const atOnce = async () => {}
const STEPS: Steps = { begin: atOnce, lock: atOnce, reserve: atOnce, commit: atOnce, rollBack: atOnce }

describe.each(SIMULATED)('a transaction store in %s', (name, Store) => {
  let database: SimulatedDatabase
  /** All statements of a test. */
  const statements: string[] = []
  beforeEach(() => {
    database = new SimulatedDatabase()
    statements.length = 0
  })

  function query(session: Session, text: string): Promise<unknown> {
    statements.push(text)
    return (async () => session.query(text))()
  }

  /** Returns a store with a connection of its own for each transaction. */
  function newStore(replaced: Partial<Steps> = {}, table?: string): SimulatedStore {
    const steps = { ...STEPS, ...replaced }
    return new Store({
      table,
      async begin(run) {
        await steps.begin()
        const session = database.newSession()
        try {
          await run(session)
          await steps.commit()
          session.commit()
        } catch (error) {
          await steps.rollBack()
          session.rollBack()
          throw error
        } finally {
          if (!session.isCut) session.end()
        }
      },
      async query(session, text) {
        if (/LOCK|lock\(/.test(text)) await steps.lock()
        if (text.startsWith('INSERT')) await steps.reserve()
        return query(session, text)
      },
    })
  }

  const deliver = async (
    store: SimulatedStore,
    work: (session: Session) => Promise<unknown> = insert,
    keys: readonly string[] = KEYS,
    ttlSeconds = 600,
    eventKeys: readonly string[] = [],
  ) => (await store.transact({ webhookId: '42', keys, ttlSeconds, eventKeys, work })).outcome

  it('commits the work and the nonce together, and returns the result of the work', async () => {
    const store = newStore()
    const work = async (session: Session) => {
      session.insertRow()
      return 7
    }
    expect(await store.transact({ webhookId: '42', keys: KEYS, ttlSeconds: 600, work })).toEqual({
      outcome: 'done',
      value: 7,
    })
    expect([database.rows, database.nonces.size]).toEqual([1, 2])
    for (const again of [store, newStore()]) expect(await deliver(again)).toBe('replayed')
    expect(database.rows).toBe(1)
    expect(await deliver(newStore(), work, [...'abcdef'])).toBe('done')
  })

  it.each<[string, object]>([
    ['a client', { code: '23503' }],
    ['a trigger', { code: 'P0001' }],
    ['mysql2', { code: 'ER_SIGNAL_EXCEPTION', sqlState: '23000' }],
    ['Drizzle', { cause: { code: '23514' } }],
    ['Sequelize', { parent: { code: '23503' }, original: {} }],
    ['TypeORM', { code: 'another', driverError: { code: '23505' } }],
  ])(
    'throws the error of a commit that the server refuses because of the data, as %s has it',
    async (_, properties) => {
      const refused = Object.assign(new Error('violates a constraint'), properties)
      const store = newStore({ commit: () => Promise.reject(refused) })
      await expect(deliver(store)).rejects.toBe(refused)
      expect([database.rows, database.nonces.size]).toEqual([0, 0])
      expect(await deliver(newStore())).toBe('done')
    },
  )

  it.each<[string, Partial<Error> & { code: string }, step?: string]>([
    ['a commit that loses its connection', { code: 'ECONNRESET' }],
    ['a commit with a conflict', { code: '40001' }],
    ['a commit after a time-out', { code: '57014' }],
    ['a commit with an unknown error', { code: 'P2028', cause: new Error('closed') }],
    ['a transaction that does not begin, whatever its code is', { code: '23503' }, 'begin'],
  ])('blames the store for %s', async (_, properties, step = 'commit') => {
    const failed = Object.assign(new Error('closed'), properties)
    // Some clients throw an error that is its own cause.
    failed.cause ??= failed
    const store = newStore({ [step]: () => Promise.reject(failed) })
    await expect(deliver(store)).rejects.toMatchObject({ code: 'ERR_NONCE_STORE' })
  })

  // MySQL locks the row with the statement before.
  it.runIf(name === 'PostgreSQL')(
    'is in progress if the row of a taken key is gone when its state is read',
    async () => {
      await deliver(newStore())
      const store = newStore()
      const read = vi.spyOn(Session.prototype, 'query').mockImplementation(function (this: Session, text) {
        if (text.startsWith('SELECT') && text.includes(' AS state ')) database.nonces.clear()
        return original.call(this, text)
      })
      expect(await deliver(store)).toBe('in_progress')
      read.mockRestore()
      expect(database.nonces.size).toBe(0)
      expect(await deliver(newStore())).toBe('done')
    },
  )

  it('writes its rows in the order of their hashes, as claims do, because two orders end in a deadlock', async () => {
    const store = newStore()
    for (let index = 0; index < 8; index++) await deliver(store, insert, [`nonce ${index}`, `signature ${index}`])
    const inserts = statements.filter((text) => text.startsWith('INSERT'))
    const hashes = inserts.map((text) => [...text.matchAll(/\('(\w{64})'/g)].map(([, hash]) => hash))
    expect(hashes.map(({ length }) => length)).toEqual(Array(8).fill(2))
    expect(hashes).toEqual(hashes.map((pair) => pair.toSorted()))
  })

  it('locks all keys in one statement', async () => {
    await deliver(newStore({}, 'hooks.nonces'))
    await deliver(newStore())
    const parts =
      name === 'MySQL'
        ? [
            /^SELECT CASE WHEN GET_LOCK\(.*CONCAT_WS\('\.', 'hooks', 'nonces'\).*, 0\) AND GET_LOCK\(.*, 0\) THEN 1 /,
            /^SELECT CASE WHEN GET_LOCK\(.*CONCAT_WS\('\.', DATABASE\(\), 'webhook_nonces'\).*, 0\) AND GET_LOCK\(/,
          ]
        : [
            /^SELECT CASE WHEN pg_try_advisory_xact_lock\(\('x' \|\| left\('\w{64}', 15\)\)::bit\(60\)::int8 # .*\) AND pg_try_advisory_xact_lock\(.*\) THEN 1 /,
            / CASE WHEN current_setting\('transaction_timeout', true\) IS NOT NULL THEN set_config\('transaction_timeout', .* END$/,
          ]
    const locks = statements.filter((text) => text.startsWith('SELECT CASE WHEN'))
    expect(locks).toEqual(parts.map((part) => expect.stringMatching(part)))
  })

  it.each([["'a"], ["a'"], ['g'], [[]]])('refuses a parameter that is not hex digits: %s', async (value) => {
    const failed = expect(Object(newStore()).query('SELECT ?', [value])).rejects
    await failed.toThrow('A parameter is not hex digits or a number.')
  })

  it.each([
    ['begin', '(run) => knex.transaction(run)'],
    ['query', '(transaction, text) => transaction.raw(text)'],
  ])('refuses the option %s without a function', (option, example) => {
    const create = () => new Store({ begin: async () => {}, query, [option]: 1 })
    expect(create).toThrow(`${option} is a number. Pass a function, such as ${example}.`)
  })

  it('has a probe for check, which reserves a key in a transaction, and releases the key', async () => {
    const probe = Object(newStore()).createProbe('42', 'probe')
    expect([await probe.reserve(), await probe.reserve()]).toEqual([true, false])
    await probe.release()
    expect([await probe.reserve(), database.nonces.size]).toEqual([true, 1])
  })

  it('rolls both back if the work rejects, and rejects with the same error', async () => {
    for (const error of [FAILURE, undefined]) {
      const outcome = await deliver(newStore(), async (session) => {
        session.insertRow()
        throw error
      }).catch((thrown: unknown) => [thrown])
      expect(outcome).toEqual([error])
      expect([database.rows, database.nonces.size, database.locks.size]).toEqual([0, 0, 0])
    }
    expect(await deliver(newStore())).toBe('done')
  })

  describe('what a process has reserved', () => {
    it('is refused without a transaction until its TTL ends', async () => {
      const store = newStore()
      expect(await deliver(store)).toBe('done')
      const begun = database.sessions.length
      for (const milliseconds of [10_000, 590_000]) {
        await time.pass(milliseconds)
        expect(await deliver(store)).toBe('replayed')
        expect(await deliver(store, insert, ['another split', 'signature 1'])).toBe('replayed')
      }
      expect(database.sessions).toHaveLength(begun)
      await time.pass(1)
      database.clock.milliseconds += 600_002
      expect(await deliver(store)).toBe('done')
    })

    it('is forgotten if the work, or the commit, fails', async () => {
      let isLost = false
      const commit = () => (isLost ? Promise.reject(new Error('connection lost')) : atOnce())
      const store = newStore({ commit })
      expect(await deliver(store, () => Promise.reject(FAILURE)).catch((error) => error)).toBe(FAILURE)
      isLost = true
      expect(await deliver(store).catch(() => 'failed')).toBe('failed')
      isLost = false
      expect(await deliver(store)).toBe('done')
    })

    it('is asked again, if another process holds the key, after 250 ms', async () => {
      const [store, other] = [newStore(), newStore()]
      expect(await deliver(other)).toBe('done')
      expect(await deliver(store)).toBe('replayed')
      const begun = database.sessions.length
      await time.pass(249)
      expect(await deliver(store)).toBe('replayed')
      expect(database.sessions).toHaveLength(begun)
      await time.pass(1)
      expect(await deliver(store)).toBe('replayed')
      expect(database.sessions).toHaveLength(begun + 1)
    })
  })

  it.each([[['nonce', 'another signature']], [['another nonce', 'signature 1']]])(
    'refuses a message if one of its two keys is taken, and leaves the other key free: %s',
    async (keys) => {
      expect(await deliver(newStore())).toBe('done')
      const work = vi.fn()
      expect(await deliver(newStore(), work, keys)).toBe('replayed')
      expect(work).not.toHaveBeenCalled()
      for (const key of keys) {
        const isFree = key.startsWith('another')
        expect(await deliver(newStore(), insert, [key])).toBe(isFree ? 'done' : 'replayed')
      }
    },
  )

  it('reserves an expired key again, for the whole TTL and for the new owner', async () => {
    expect(await deliver(newStore(), insert, ['nonce'], 1)).toBe('done')
    const before = [...database.nonces.values()]
    database.clock.milliseconds += 1001
    expect(await deliver(newStore())).toBe('replayed')
    database.clock.milliseconds += 1
    expect(await deliver(newStore())).toBe('done')
    const after = [...database.nonces.values()]
    expect(after.map(({ expiresAt }) => expiresAt)).toEqual(Array(2).fill(database.clock.milliseconds + 600_001))
    expect(after[0]?.owner).not.toBe(before[0]?.owner)
  })

  it('does the work once per event, and reserves the nonce of a repetition', async () => {
    const eventOf = async (keys: readonly string[], event = 'event') => [
      await deliver(newStore(), insert, keys, 600, [event]),
      database.rows,
    ]
    expect(await eventOf(['first', 'signature 1'])).toEqual(['done', 1])
    expect(await eventOf(['second', 'signature 2'])).toEqual(['repeated', 1])
    expect(await eventOf(['second', 'signature 3'])).toEqual(['replayed', 1])
    expect(await eventOf(['third', 'signature 3'], 'another event')).toEqual(['done', 2])
    expect(database.nonces.size).toBe(8)
  })

  it.each([
    [undefined, 604_800_001],
    [700, 700_001],
  ])('reserves an event for longer than its message, with an eventTtlSeconds of %s', async (eventTtlSeconds, kept) => {
    const store = new Store({ ...database.client, eventTtlSeconds })
    await deliver(store, insert, ['nonce'], 600, ['event'])
    const times = [...database.nonces.values()].map(({ expiresAt }) => expiresAt - database.clock.now())
    expect(times.toSorted()).toEqual([600_001, kept])
  })

  describe('sweeps', () => {
    const sweeps = () => statements.filter((text) => text.includes('SKIP LOCKED')).length

    it('in one transaction for all 64 messages, but not while a transaction waits for a connection', async () => {
      let isFailing = false
      let waits: Promise<unknown> = Promise.resolve()
      const begin = () => (isFailing ? Promise.reject(new Error('no connection')) : waits)
      const store = newStore({ begin })
      let messages = 0
      const deliver64 = async () => {
        for (const last = messages + 64; messages < last; messages++)
          await deliver(store, insert, [`nonce ${messages}`])
      }
      // Neither a failed begin nor a finished transaction waits for a connection.
      isFailing = true
      await expect(deliver(store)).rejects.toThrow(/^The nonce store failed/)
      isFailing = false
      await deliver64()
      const begun = database.sessions.length
      expect([sweeps(), begun]).toEqual([1, 65])

      const { take, taken } = newStep()
      waits = taken
      const waiting = deliver(store)
      waits = Promise.resolve()
      // After a sweep that found little, the next one comes after 256 messages.
      for (let round = 0; round < 4; round++) await deliver64()
      expect(sweeps()).toBe(1)
      take()
      await waiting
      expect(sweeps()).toBe(2)
    })
  })

  it('never lets a copy wait: it is in progress, as what has one of the keys or the event', async () => {
    const { take, taken } = newStep()
    const work = vi.fn((session: Session) => taken.then(() => session.insertRow()))
    const first = deliver(newStore(), work, KEYS, 600, ['event'])
    await time.pass(0)
    expect(await deliver(newStore(), work, ['another attempt'], 600, ['event'])).toBe('in_progress')
    for (const keys of [KEYS, ['nonce'], ['another', 'signature 1'], ['nonce', 'signature 2']]) {
      expect(await deliver(newStore(), work, keys)).toBe('in_progress')
    }
    expect(await deliver(newStore(), insert, ['another', 'signature 2'])).toBe('done')
    take()
    expect(await first).toBe('done')
    expect(work).toHaveBeenCalledTimes(1)
    expect(database.locks.size).toBe(0)
  })

  it('processes a copy that was in progress elsewhere, if it comes again after the first one failed', async () => {
    const { take, taken } = newStep()
    const first = deliver(newStore(), async () => {
      await taken
      throw FAILURE
    }).catch((error: unknown) => error)
    await time.pass(0)
    const store = newStore()
    expect(await deliver(store)).toBe('in_progress')
    take()
    expect(await first).toBe(FAILURE)
    expect(await deliver(store)).toBe('done')
  })

  it('has locks of its own for each table', async () => {
    const { take, taken } = newStep()
    const first = deliver(newStore(), () => taken)
    await time.pass(0)
    expect(await deliver(newStore({}, 'other_nonces'))).toBe('done')
    expect(await deliver(newStore())).toBe('in_progress')
    take()
    await first
  })

  it('rejects if the code has ended the transaction, because the reservation is then lost', async () => {
    const lost = deliver(newStore(), async (session) => {
      session.insertRow()
      session.rollBack()
    })
    const error: unknown = await lost.catch((thrown: unknown) => thrown)
    // It is a failure of the receiver's code, not of the store.
    expect(error).not.toHaveProperty('code')
    expect(String(error)).toMatch(/^Error: The transaction ended or failed in your code, so nothing is committed\. /)
    expect([database.rows, database.nonces.size]).toEqual([0, 0])
    expect(await deliver(newStore())).toBe('done')
  })

  it('rejects if one of two reservations is lost', async () => {
    const lost = deliver(newStore(), async (session) => {
      const [hash] = statements.findLast((text) => text.startsWith('INSERT'))?.match(/\w{64}/) ?? []
      const owner = statements.findLast((text) => text.startsWith('INSERT'))?.match(/'(\w{32})'/)?.[1]
      session.query(
        `DELETE FROM ${name === 'MySQL' ? '`webhook_nonces`' : '"webhook_nonces"'} WHERE UNHEX('${owner}') UNHEX('${hash}')`,
      )
    })
    await expect(lost).rejects.toThrow(/^The transaction ended or failed in your code/)
  })

  it.each(['lock', 'reserve'] as const)('tries nothing again if its statement fails: %s', async (step) => {
    const cause = Object.assign(new Error('Deadlock found'), { code: '40P01', errno: 1213 })
    const [fail, work] = [vi.fn(() => Promise.reject(cause)), vi.fn()]
    await expect(deliver(newStore({ [step]: fail }), work)).rejects.toMatchObject({
      status: 503,
      cause: { errno: 1213 },
    })
    expect([fail.mock.calls.length, work.mock.calls.length]).toEqual([1, 0])
    expect([database.nonces.size, database.locks.size]).toEqual([0, 0])
    expect(await deliver(newStore())).toBe('done')
  })

  it('keeps the cause if the statement after the code fails, without credentials', async () => {
    const store = new Store({
      begin: async (run) => run(database.newSession()),
      query: async (session, text) => {
        if (database.rows === 1 && text.startsWith('SELECT'))
          throw new Error('cannot reach postgres://user:secret@host/db')
        return session.query(text)
      },
    })
    const work = async () => void database.rows++
    await expect(deliver(store, work)).rejects.toMatchObject({
      message: expect.stringMatching(/^The transaction ended or failed/),
      cause: { message: 'cannot reach postgres://…@host/db' },
    })
  })

  describe('with a time-out', () => {
    const late = (message: RegExp) => ({
      code: 'ERR_NONCE_STORE',
      message: 'The nonce store failed. See the cause.',
      status: 503,
      cause: { message: expect.stringMatching(message) },
    })

    it.each(['begin', 'lock', 'reserve'] as const)(
      'never runs the work after it has reported the time-out: %s',
      async (step) => {
        const { take, taken } = newStep()
        const work = vi.fn()
        const outcome = deliver(newStore({ [step]: () => taken }), work)
        const refused = expect(outcome).rejects.toMatchObject(
          late(/^The store did not reserve the nonce within 1000 ms\. /),
        )
        // This code starts the hint about a client that does not recover.
        const coded = expect(outcome).rejects.toMatchObject({ cause: { code: 'ETIMEDOUT' } })
        await time.pass(1000)
        await Promise.all([refused, coded])
        take()
        await time.pass(0)
        expect(work).not.toHaveBeenCalled()
        expect([database.nonces.size, database.locks.size]).toEqual([0, 0])
        expect(await deliver(newStore())).toBe('done')
      },
    )

    /** Returns what ended the promise so far: a test that awaits a promise without a limit says nothing. */
    function endOf(outcome: Promise<unknown>): () => unknown {
      let end: unknown = 'it has not ended'
      const settle = (value: unknown) => {
        end = value
      }
      outcome.then(settle, settle)
      return () => end
    }

    it('limits the commit', async () => {
      const { take, taken } = newStep()
      const outcome = deliver(newStore({ commit: hang }), () => taken)
      await time.pass(29_999)
      take()
      const end = endOf(outcome)
      await time.pass(1000)
      expect(end(), 'The commit has no limit').toMatchObject(late(/^The commit got no response within 1000 ms\. /))
    })

    it('limits the rollback, and rejects with the error of the work', async () => {
      const outcome = deliver(newStore({ rollBack: hang }), () => Promise.reject(FAILURE))
      const end = endOf(outcome)
      await time.pass(1000)
      expect(end(), 'The rollback has no limit').toBe(FAILURE)
    })
  })

  it('leaves no timer', async () => {
    await deliver(newStore())
    await deliver(newStore(), () => Promise.reject(FAILURE), ['other']).catch(() => {})
    expect(time.refs).toBe(0)
  })

  describe('with work that takes too long', () => {
    const TIMED_OUT = {
      code: 'ERR_WORK_TIMEOUT',
      status: 503,
      headers: { 'Retry-After': '1' },
      message: expect.stringMatching(/^The work took longer than \d+ ms, so nothing is committed$/),
    }

    it('rejects after 30 s, commits nothing, and accepts the next attempt', async () => {
      let signal: { readonly aborted: boolean } | undefined
      const request = { webhookId: '42', keys: KEYS, ttlSeconds: 600 }
      const outcome = newStore().transact({
        ...request,
        work(session, given) {
          signal = given
          session.insertRow()
          return hang()
        },
      })
      const refused = expect(outcome).rejects.toMatchObject(TIMED_OUT)
      await time.pass(29_999)
      expect([signal?.aborted, database.sessions[0]?.isOver]).toEqual([false, false])
      await time.pass(1)
      await refused
      expect([signal?.aborted, database.sessions[0]?.isOver, time.refs]).toEqual([true, true, 0])
      expect(await deliver(newStore())).toBe('done')
      expect([database.rows, database.nonces.size]).toEqual([1, 2])
    })

    it('returns the connection to the pool when it has ended', async () => {
      let returned = 0
      const store = new Store({
        workTimeout: 5000,
        async begin(run) {
          await run(database.newSession()).finally(() => returned++)
        },
        query,
      })
      const refused = expect(deliver(store, hang)).rejects.toMatchObject(TIMED_OUT)
      await time.pass(5000)
      await refused
      expect(returned).toBe(1)
    })

    const denied = async () => Promise.reject(Object.assign(new Error('denied'), { severity: 'ERROR', errno: 1094 }))
    it.each([
      ['has no response', hang],
      ['is refused', denied],
    ])('keeps the connection from others if its end %s, and rolls back when the work ends', async (_, end) => {
      const { take, taken } = newStep()
      const endings: string[] = []
      const store = new Store({
        async begin(run) {
          const session = database.newSession()
          await run(session).then(
            () => endings.push('commit'),
            () => endings.push('rollback'),
          )
        },
        query: (session, text) => (/terminate|KILL/.test(text) ? end() : query(session, text)),
      })
      const refused = expect(deliver(store, () => taken)).rejects.toMatchObject(TIMED_OUT)
      await time.pass(30_000)
      await refused
      await time.pass(100_000)
      expect(endings).toEqual([])
      take()
      await time.pass(0)
      expect(endings).toEqual(['rollback'])
    })

    it('lets a stranger live who got the connection', async () => {
      const outcome = deliver(newStore(), async (session) => {
        // The code has rolled back and returned the connection, whose next user has a transaction of its own.
        session.rollBack()
        for (const [lock, holder] of database.locks) if (holder === session) database.locks.delete(lock)
        session.insertRow()
        return hang()
      })
      const refused = expect(outcome).rejects.toMatchObject(TIMED_OUT)
      await time.pass(30_000)
      await refused
      await time.pass(100_000)
      expect(database.sessions[0]?.isOver).toBe(false)
      expect(time.refs).toBe(0)
    })

    it('has no limit with Infinity', async () => {
      const store = new Store({
        workTimeout: Number.POSITIVE_INFINITY,
        async begin(run) {
          const session = database.newSession()
          await run(session)
          session.commit()
        },
        query,
      })
      const { take, taken } = newStep()
      const outcome = deliver(store, () => taken)
      await time.pass(10_000_000_000)
      take()
      expect(await outcome).toBe('done')
      expect(statements.join()).not.toContain('set_config')
      // Otherwise, the server ends a connection whose process has gone, 1 s after the work's time-out.
      await deliver(newStore(), insert, ['another'])
      const settings = [...statements.join().matchAll(/set_config\('(\w+_timeout)', LEAST\(31000, NULLIF\(/g)]
      const names = ['idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout']
      const why = 'A setting of 0 means no limit: without NULLIF it would be the least of the limits'
      expect(
        settings.map(([, setting]) => setting),
        why,
      ).toEqual(name === 'MySQL' ? [] : names)
    })

    it.each([0, -1, 0.5, Number.NaN, 2 ** 31, '1000'])('refuses a workTimeout of %s', (workTimeout) => {
      const create = () => new Store({ workTimeout: workTimeout as number, begin: async () => {}, query })
      expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
      expect(create).toThrow(/^workTimeout must be a whole number /)
    })
  })

  describe('with a begin that', () => {
    const storeWith = (begin: (run: (session: Session) => Promise<void>) => PromiseLike<unknown>) =>
      new Store({ begin, query })

    it('calls its function again, runs the work once', async () => {
      const work = vi.fn(insert)
      const store = storeWith(async (run) => {
        for (let attempt = 0; attempt < 2; attempt++) {
          const session = database.newSession()
          await run(session)
          // The commit fails, so that the client tries the transaction again.
          session.end()
        }
      })
      await expect(deliver(store, work)).rejects.toMatchObject({
        code: 'ERR_NONCE_STORE',
        cause: { message: expect.stringMatching(/^begin called its function again or too late\. /) },
      })
      expect(work).toHaveBeenCalledTimes(1)
      expect([database.rows, database.nonces.size]).toEqual([0, 0])
    })

    it('settles before the work does, waits for the work', async () => {
      const store = storeWith((run) => {
        void run(database.newSession()).catch(() => {})
        return Promise.resolve()
      })
      const { take, taken } = newStep()
      const outcome = deliver(store, () => taken.then(() => Promise.reject(FAILURE)))
      await time.pass(0)
      take()
      await expect(outcome).rejects.toBe(FAILURE)
    })

    it('wraps errors or resolves, rejects with the error of the work', async () => {
      const wraps = storeWith((run) =>
        run(database.newSession()).catch((cause: unknown) => Promise.reject(new Error('wrapped', { cause }))),
      )
      const resolves = storeWith((run) => run(database.newSession()).catch(() => {}))
      let keys = 0
      for (const store of [wraps, resolves]) {
        await expect(deliver(store, () => Promise.reject(FAILURE), [`key ${keys++}`])).rejects.toBe(FAILURE)
      }
    })

    it.each([
      ['never calls its function', async () => {}, /^begin did not call its function\. /],
      [
        'fails',
        () => Promise.reject(new Error('cannot reach postgres://user:secret@host/db')),
        /^cannot reach postgres:\/\/…@host\/db$/,
      ],
      [
        'throws',
        () => {
          throw new Error('no pool')
        },
        /^no pool$/,
      ],
    ])('%s, rejects', async (_, begin, message) => {
      await expect(deliver(storeWith(begin))).rejects.toMatchObject({
        code: 'ERR_NONCE_STORE',
        status: 503,
        cause: { message: expect.stringMatching(message) },
      })
    })

    it.each([
      ['resolves', async () => {}],
      ['fails', () => Promise.reject(new Error('no connection'))],
    ])('%s before it calls its function, never runs the work', async (_, settle) => {
      const { take, taken } = newStep()
      let late: Promise<void> | undefined
      const store = storeWith((run) => {
        late = taken.then(() => run(database.newSession()))
        return settle()
      })
      const work = vi.fn(insert)
      await expect(deliver(store, work)).rejects.toMatchObject({ code: 'ERR_NONCE_STORE' })
      take()
      await expect(late).rejects.toThrow(/^begin called its function again or too late\. /)
      expect(work).not.toHaveBeenCalled()
      expect(database.locks.size).toBe(0)
    })

    it('fails to commit, rejects only if something was to be committed', async () => {
      const fails = async (run: (session: Session) => Promise<void>) => {
        const session = database.newSession()
        await run(session)
        session.end()
        throw FAILURE
      }
      const send = (store: SimulatedStore, keys: string[]) => deliver(store, insert, keys, 600, ['event'])
      const failed = { code: 'ERR_NONCE_STORE', cause: FAILURE }
      await expect(send(storeWith(fails), ['first'])).rejects.toMatchObject(failed)
      expect(await send(newStore(), ['first'])).toBe('done')
      await expect(send(storeWith(fails), ['repeat'])).rejects.toMatchObject(failed)
      expect(await send(storeWith(fails), ['first'])).toBe('replayed')
    })
  })
})
