import { afterEach, beforeEach, expect, it } from 'vitest'
import { MySqlTransactionStore } from '../../src/stores/mysql/index.js'
import { SimulatedTime } from '../support/simulated-time.js'
import { newStep } from '../support/step.js'
import { type Session, SimulatedDatabase } from '../support/transactions/simulated-database.js'

// A lock of MySQL belongs to its connection, so it stays if the connection is lost, until the server notices.

const time = new SimulatedTime()
beforeEach(() => time.start())
afterEach(() => time.stop())

const LOST = new Error('the connection is lost')

/** Returns a store whose transactions run on these connections, one after the other. */
function storeOn(...sessions: Session[]) {
  return new MySqlTransactionStore<Session>({
    async begin(run) {
      const session = sessions.shift()
      if (session === undefined) throw new Error('The pool is empty.')
      try {
        await run(session)
        session.commit()
      } catch (error) {
        session.rollBack()
        throw error
      }
    },
    query: async (session, text) => session.query(text),
  })
}

const deliver = (store: MySqlTransactionStore<Session>, work: (session: Session) => Promise<unknown>) =>
  store.transact({ webhookId: '42', keys: ['nonce', 'signature 1'], ttlSeconds: 600, work })

const insert = async (session: Session) => session.insertRow()

async function cut(session: Session): Promise<never> {
  session.isCut = true
  throw LOST
}

it('ends a connection that is lost with its lock, so that the next attempt is accepted', async () => {
  const database = new SimulatedDatabase()
  const [lost, other, next] = [database.newSession(), database.newSession(), database.newSession()]
  await expect(deliver(storeOn(lost, other), cut)).rejects.toBe(LOST)
  expect([lost.isOver, other.isOver, database.locks.size]).toEqual([true, false, 0])
  expect(await deliver(storeOn(next), insert)).toMatchObject({ outcome: 'done' })
  expect(database.rows).toBe(1)
})

it('does not end the connection of another process that has taken over', async () => {
  const database = new SimulatedDatabase()
  const [lost, other, taker] = [database.newSession(), database.newSession(), database.newSession()]
  const working = deliver(storeOn(lost, other), async (session) => {
    // The server notices first, and the sender's next attempt takes the locks.
    const names = [...database.locks.keys()]
    session.end()
    for (const name of names) database.locks.set(name, taker)
    throw LOST
  })
  await expect(working).rejects.toBe(LOST)
  expect([taker.isOver, other.isOver]).toEqual([false, false])
})

it.each(['before its lock', 'after its lock was refused'])(
  'does not end the connection of the original if a copy loses its connection %s',
  async (when) => {
    const database = new SimulatedDatabase()
    const [original, copy, other] = [database.newSession(), database.newSession(), database.newSession()]
    const { take: end, taken: ended } = newStep()
    const working = deliver(storeOn(original), async (session) => {
      session.insertRow()
      await ended
    })
    await time.pass(0)
    const query = copy.query.bind(copy)
    copy.query = (text) => {
      const rows = when === 'before its lock' ? [] : query(text)
      copy.isCut = true
      if (when === 'before its lock') throw LOST
      return rows
    }
    await deliver(storeOn(copy, other), insert).catch(() => {})
    expect([original.isOver, other.isOver]).toEqual([false, false])
    end()
    expect(await working).toMatchObject({ outcome: 'done' })
    expect(database.rows).toBe(1)
  },
)

it('does not end a connection that has unlocked its keys, and serves somebody else', async () => {
  const database = new SimulatedDatabase()
  const [lent, other] = [database.newSession(), database.newSession()]
  const query = lent.query.bind(lent)
  lent.query = (text) => {
    const rows = query(text)
    if (text.includes('RELEASE_LOCK')) throw new Error('The response of the server is lost.')
    return rows
  }
  expect(await deliver(storeOn(lent, other), insert)).toMatchObject({ outcome: 'done' })
  expect([lent.isOver, other.isOver, database.locks.size]).toEqual([false, false, 0])
})

it('unlocks the first of two keys if the second is locked', async () => {
  const database = new SimulatedDatabase()
  const [first, copy, next] = [database.newSession(), database.newSession(), database.newSession()]
  const { take: end, taken: ended } = newStep()
  const working = deliver(storeOn(first), () => ended)
  await time.pass(0)
  const split = { webhookId: '42', keys: ['another', 'signature 1'], ttlSeconds: 600, work: insert }
  expect(await storeOn(copy).transact(split)).toEqual({ outcome: 'in_progress' })
  expect(await storeOn(next).transact({ ...split, keys: ['another'] })).toMatchObject({ outcome: 'done' })
  end()
  await working
})

it('gives up if no connection is free to end the lost one', async () => {
  const database = new SimulatedDatabase()
  await expect(deliver(storeOn(database.newSession()), cut)).rejects.toBe(LOST)
})

it('ends a connection whose unlock has no response', async () => {
  const database = new SimulatedDatabase()
  const [stalled, other] = [database.newSession(), database.newSession()]
  const options = {
    timeout: 1000,
    begin: (run: (session: Session) => Promise<void>) => run(sessions.shift() ?? other),
    query: (session: Session, text: string) =>
      text.includes('RELEASE_LOCK')
        ? new Promise<never>(() => {})
        : Promise.resolve(session).then(() => session.query(text)),
  }
  const sessions = [stalled]
  const outcome = deliver(new MySqlTransactionStore<Session>(options), insert)
  const ended = expect(outcome).rejects.toMatchObject({ code: 'ERR_NONCE_STORE' })
  await time.pass(1000)
  await ended
  expect([stalled.isOver, other.isOver, database.locks.size]).toEqual([true, false, 0])
})
