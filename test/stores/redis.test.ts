import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.js'
import { RedisNonceStore } from '../../src/stores/redis.js'
import { SECRET, signedRequest, TestClock } from '../support/request.js'

/** Reserves once, and returns the commands that the store sent and what it returned or threw. */
async function sent(reply: (args: string[]) => unknown, keyPrefix?: string) {
  const commands: string[][] = []
  const store = new RedisNonceStore({
    keyPrefix,
    async sendCommand(args) {
      commands.push(args)
      return reply(args)
    },
  })
  return { commands, answer: await store.reserve('42', 'nonce', 600).catch((error: unknown) => error) }
}

describe('a reservation', () => {
  it('is one SET of one key, if absent, for its TTL and a millisecond', async () => {
    const { commands } = await sent(() => null)
    expect(commands).toEqual([['SET', 'webhook-nonce:{}2:42nonce', expect.any(String), 'NX', 'GET', 'PX', '600001']])
  })

  it('rounds a fraction of a millisecond up', async () => {
    const commands: string[][] = []
    const store = new RedisNonceStore({ sendCommand: async (args) => commands.push(args) && null })
    await store.reserve('42', 'nonce', 0.0001)
    expect(commands[0]?.[6]).toBe('2')
  })

  it('has a new token each time', async () => {
    const tokens = new Set<string | undefined>()
    for (let index = 0; index < 100; index++) tokens.add((await sent(() => null)).commands[0]?.[2])
    expect(tokens.size).toBe(100)
  })

  it('is made if the reply is nil', async () => {
    expect((await sent(() => null)).answer).toBe(true)
  })

  it('is made if the reply is its own token: the client sent the command again after a lost reply', async () => {
    expect((await sent((args) => args[2])).answer).toBe(true)
  })

  it('is not made if the reply is another token', async () => {
    expect((await sent(() => '6f9619ff-8b86-4d01-b42d-00cf4fc964ff')).answer).toBe(false)
  })

  it.each([
    ['OK', 'a string'],
    ['QUEUED', 'a string'],
    ['', 'an empty string'],
    ['1', 'a string'],
    [1, 'a number'],
    [undefined, 'undefined'],
    [true, 'a boolean'],
    [Buffer.from('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), 'bytes'],
    [['6f9619ff-8b86-4d01-b42d-00cf4fc964ff'], 'an array'],
  ])('is an error on any other reply: %o', async (reply, kind) => {
    expect((await sent(() => reply)).answer).toMatchObject({
      message: expect.stringContaining(`Redis replied ${kind}`),
    })
  })

  it('rejects with the error of the client, which verify passes on as the cause', async () => {
    const cause = new Error('connection refused')
    const store = new RedisNonceStore({ sendCommand: () => Promise.reject(cause) })
    await expect(verify(signedRequest(), SECRET, store, new TestClock())).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
      cause,
    })
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('with a TTL of %d is a RangeError', async (ttlSeconds) => {
    const store = new RedisNonceStore({ sendCommand: async () => null })
    await expect(store.reserve('42', 'nonce', ttlSeconds)).rejects.toThrow(RangeError)
  })
})

describe('keys', () => {
  it('begin with the prefix', async () => {
    expect((await sent(() => null, 'app:')).commands[0]?.[1]).toBe('app:{}2:42nonce')
    expect((await sent(() => null, '')).commands[0]?.[1]).toBe('{}2:42nonce')
  })

  it('begin with an empty hash tag, so that none behind it counts, whatever the webhook and the nonce', async () => {
    const keys: (string | undefined)[] = []
    const store = new RedisNonceStore({ sendCommand: async (args) => keys.push(args[1]) && null })
    await store.reserve('{42}', '{slot}1', 600)
    await store.reserve('{42}', '{slot}2', 600)
    for (const key of keys) expect(key).toMatch(/^[^{]*\{\}/)
    expect(new Set(keys).size).toBe(2)
  })
})

describe('options', () => {
  it.each([
    [undefined, /options is undefined\. Pass an object/],
    [async () => null, /options is a function\. Pass an object/],
    [{}, /sendCommand is undefined\. Pass a function, such as/],
    [{ sendCommand: 'SET' }, /sendCommand is a string/],
    [{ sendCommand: async () => null, keyPrefix: 1 }, /keyPrefix is a number\. Pass a string/],
  ])('%o is a TypeError', (options, message) => {
    const create = () => Reflect.construct(RedisNonceStore, [options])
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
