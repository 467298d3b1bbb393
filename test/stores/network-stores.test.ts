import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handle, sign } from '../../src/index.js'
import { DynamoDBNonceStore } from '../../src/stores/dynamodb.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { SECRET } from '../support/request.js'
import { SimulatedTime } from '../support/simulated-time.js'

// The options that all stores on a server have.

interface Options {
  timeout?: number
  concurrency?: number
}

type Call = (...args: never[]) => Promise<unknown>
type Store = Pick<DynamoDBNonceStore, 'reserve' | 'release' | 'claim'>

/** Creates each store on a client whose only function is `call`. */
const STORES: Readonly<Record<string, (call: Call, options?: Options) => Store>> = {
  RedisNonceStore: (sendCommand, options) => new RedisNonceStore({ sendCommand: Object(sendCommand), ...options }),
  PostgresNonceStore: (query, options) => new PostgresNonceStore({ query: Object(query), ...options }),
  MySqlNonceStore: (query, options) => new MySqlNonceStore({ query: Object(query), ...options }),
  DynamoDBNonceStore: (putItem, options) => new DynamoDBNonceStore({ putItem: Object(putItem), ...options }),
}

/** The response to a reservation that succeeded. */
const RESERVED: Readonly<Record<string, (...args: never[]) => unknown>> = {
  RedisNonceStore: (command: string[]) => `reserved ${command.at(-2)}`,
  PostgresNonceStore: () => [{ state: 'claimed' }],
  MySqlNonceStore: () => ({ affectedRows: 1 }),
  DynamoDBNonceStore: () => ({ ConsumedCapacity: {} }),
}

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

describe.each(Object.entries(STORES))('%s', (name, open) => {
  /** Opens a store on a server that never responds, and counts its statements. */
  function hanging(options?: Options) {
    let statements = 0
    const call = () => {
      statements++
      return new Promise(() => {})
    }
    const store = open(call, options)
    const reserve = (nonce: number) => store.reserve('42', `nonce ${nonce}`, 600, 'owner').catch((error) => error)
    return { store, reserve, statements: () => statements }
  }

  it.each<[string, Options | undefined, number]>([
    ['32 by default', undefined, 32],
    ['as many as the option concurrency', { concurrency: 3 }, 3],
  ])('sends at most so many reservations at once: %s', async (_, options, concurrency) => {
    const { reserve, statements } = hanging(options)
    const outcomes = Array.from({ length: concurrency + 5 }, (_, index) => reserve(index))
    await time.pass(499)
    expect(statements()).toBe(concurrency)
    await time.pass(501)
    const codes = (await Promise.all(outcomes)).map(({ code }) => code)
    expect(codes).toEqual([...Array(concurrency).fill('ETIMEDOUT'), ...Array(5).fill('ERR_NONCE_STORE_BUSY')])
  })

  it('refuses a waiting reservation after half of its own time-out', async () => {
    const { reserve } = hanging({ timeout: 200, concurrency: 1 })
    void reserve(0)
    const refused = reserve(1)
    await time.pass(100)
    expect(await refused).toMatchObject({ code: 'ERR_NONCE_STORE_BUSY' })
    await time.pass(1000)
  })

  it('sends a release at once, also if the limit is reached', async () => {
    const { store, reserve, statements } = hanging({ concurrency: 1 })
    void reserve(0)
    void reserve(1)
    await time.pass(0)
    expect(statements()).toBe(1)
    void store.release('42', ['nonce 2'], 'owner').catch(() => {})
    await time.pass(0)
    expect(statements()).toBe(2)
    await time.pass(1000)
  })

  it('releases no claim that was never sent, because each command would keep a lost connection open', async () => {
    const { store, statements } = hanging({ concurrency: 1 })
    const send = (text: string) => {
      const request = { headers: sign(text, SECRET), body: Buffer.from(text) }
      return handle({ webhookId: '42', request, eventId: () => text }, SECRET, store, () => {})
    }
    const errors = ['a', 'b', 'c'].map((text) => send(text).catch((error) => error))
    await time.pass(999)
    expect(statements()).toBe(1)
    await time.pass(2001)
    const codes = (await Promise.all(errors)).map(({ cause }) => cause.code)
    expect(codes.sort()).toEqual(['ERR_NONCE_STORE_BUSY', 'ERR_NONCE_STORE_BUSY', 'ETIMEDOUT'])
  })

  it.each([
    ['releases', 'owner', 2],
    ['does not release', undefined, 1],
  ])('%s a reservation that comes too late, with the owner %s', async (_, owner, expected) => {
    let statements = 0
    const store = open(async (...args) => {
      statements++
      await new Promise((resolve) => setTimeout(resolve, 1500))
      return RESERVED[name]?.(...args)
    })
    const outcome = store.reserve('42', 'nonce', 600, owner).catch(({ code }: { code: string }) => code)
    await time.pass(1499)
    expect([await outcome, statements]).toEqual(['ETIMEDOUT', 1])
    await time.pass(1)
    expect(statements).toBe(expected)
    await time.pass(2000)
  })

  it.each([0, -1, 1.5, Number.NaN, '32', null])('refuses a concurrency of %o', (concurrency) => {
    const create = () => Reflect.apply(open, undefined, [async () => null, { concurrency }])
    expect(create).toThrow(/^concurrency must be a whole number from 1\. /)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
