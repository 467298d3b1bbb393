import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LuaFactory } from 'wasmoon'
import { RedisNonceStore } from '../../../src/stores/redis/index.js'
import { nonceStoreContract } from '../../../tools/src/testing/index.js'
import { SimulatedTime } from '../../support/simulated-time.js'

const TTL = 600

/** Reserves once, and returns the commands that the store sent and what it returned or threw. */
async function sent(reply: (token: string) => unknown, keyPrefix?: string) {
  const commands: string[][] = []
  const store = new RedisNonceStore({
    keyPrefix,
    async sendCommand(args) {
      commands.push(args)
      return reply(args.at(-2) ?? '')
    },
  })
  return { commands, answer: await store.reserve('42', 'nonce', TTL).catch((error: unknown) => error) }
}

/** Returns the keys of the command that reserves `keys`. */
async function redisKeysOf(webhookId: string, ...keys: string[]): Promise<string[]> {
  let redisKeys: string[] = []
  const store = new RedisNonceStore({
    async sendCommand(args) {
      redisKeys = args.slice(3, -2)
      return `reserved ${args.at(-2)}`
    },
  })
  await store.reserveAll(webhookId, keys, TTL)
  return redisKeys
}

/** The first 8 digits of `printf '2:42nonce' | sha256sum`. */
const TAG = 'c8a607dc'

describe('a reservation', () => {
  it('is one script with one key, a token, and its TTL plus one millisecond', async () => {
    const { commands } = await sent(() => null)
    expect(commands).toEqual([
      [
        'EVAL',
        expect.stringContaining("redis.call('SET'"),
        '1',
        `webhook-nonce:{${TAG}}2:42nonce`,
        expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        '600001',
      ],
    ])
  })

  it('has a new token each time', async () => {
    const tokens = new Set<string | undefined>()
    const store = new RedisNonceStore({ sendCommand: async ({ 4: token }) => tokens.add(token) && `taken ${token}` })
    for (let index = 0; index < 100; index++) await store.reserve('42', `nonce ${index}`, TTL)
    expect(tokens.size).toBe(100)
  })

  it.each([
    ['the nil of another command', null, 'null'],
    ['the reply to another reservation', 'reserved 6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'a string'],
    ['OK', 'OK', 'a string'],
    ['an empty string', '', 'an empty string'],
    ['a number', 1, 'a number'],
    ['nothing', undefined, 'undefined'],
    ['bytes', Buffer.from('reserved 6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), 'bytes'],
    ['an array', ['reserved 6f9619ff-8b86-4d01-b42d-00cf4fc964ff'], 'an array'],
  ])('is an error on any other reply: %s', async (_, reply, kind) => {
    expect((await sent(() => reply)).answer).toMatchObject({
      message: expect.stringContaining(`sendCommand resolved to ${kind},`),
    })
  })
})

describe('two keys', () => {
  it('are reserved by one script', async () => {
    const commands: string[][] = []
    const store = new RedisNonceStore({ sendCommand: async (args) => commands.push(args) && `reserved ${args[5]}` })
    expect(await store.reserveAll('42', ['nonce', 'signature 00'], TTL)).toBe(true)
    const keys = [`webhook-nonce:{${TAG}}2:42nonce`, `webhook-nonce:{${TAG}}2:42signature 00`]
    expect(commands).toEqual([['EVAL', expect.any(String), '2', ...keys, expect.any(String), '600001']])
  })
})

// An interpreter of Lua runs the scripts, with a model of the three commands that they use. test/integration has real servers.
describe('the scripts', () => {
  const time = new SimulatedTime()
  let sendCommand: Awaited<ReturnType<typeof startModel>>
  beforeAll(async () => {
    sendCommand = await startModel()
    time.start()
  })
  afterAll(() => time.stop())

  /** A Redis that knows EVAL. */
  async function startModel() {
    const lua = await new LuaFactory().createEngine()
    const entries = new Map<string, { value: string; end: number }>()
    const commands: { readonly [name: string]: (...args: string[]) => string | false | number } = {
      GET(key = '') {
        const { value = '', end = 0 } = entries.get(key) ?? {}
        return time.now < end && value
      },
      SET(key = '', value = '', unit, milliseconds) {
        if (unit !== 'PX') throw new Error(`no time to live: ${unit}`)
        entries.set(key, { value, end: time.now + Number(milliseconds) })
        return 'OK'
      },
      DEL: (key = '') => Number(entries.delete(key)),
    }
    lua.global.set('redis', { call: (name: string, ...args: string[]) => commands[name]?.(...args) })
    const literalOf = (text: string) => JSON.stringify(text).replaceAll(/\\u(....)/g, '\\u{$1}')
    const table = (texts: string[]) => `{ ${texts.map(literalOf).join()} }`
    return async ([, script = '', count, ...rest]: string[]): Promise<unknown> => {
      const [keys, args] = [rest.slice(0, Number(count)), rest.slice(Number(count))]
      return lua.doStringSync(`local KEYS, ARGV = ${table(keys)}, ${table(args)}\n${script}`)
    }
  }

  it.each(nonceStoreContract(() => new RedisNonceStore({ sendCommand }), { load: 'light' }))('$name', ({ run }) =>
    time.until(run()),
  )

  it('answer the same if a client sends them again, because the first answer was lost', async () => {
    const again = async (args: string[]) => (await sendCommand(args)) && sendCommand(args)
    const reserve = (...keys: string[]) => new RedisNonceStore({ sendCommand: again }).reserveAll('42', keys, TTL)
    expect(await reserve('nonce')).toBe(true)
    expect(await reserve('nonce')).toBe(false)
    expect(await reserve('a', 'signature')).toBe(true)
  })
})

describe('keys', () => {
  it('begin with the prefix', async () => {
    expect((await sent(() => null, 'app:')).commands[0]?.[3]).toBe(`app:{${TAG}}2:42nonce`)
    expect((await sent(() => null, '')).commands[0]?.[3]).toBe(`{${TAG}}2:42nonce`)
  })

  it.each([
    ['abc', 'abc:{"a"'],
    ['abc', 'abc:'],
    [':abc', ':abc:d'],
    ['{a}', '{a}:{b}'],
  ])('of a signature are the same in every split of the message: nonce %s and nonce %s', async (one, other) => {
    const signatures = [await redisKeysOf('42', one, 'signature 00'), await redisKeysOf('42', other, 'signature 00')]
    expect(signatures[0]?.[1]).toBe(signatures[1]?.[1])
  })

  it('of one message have one hash tag, also if webhook and nonce contain braces', async () => {
    for (const [webhookId, nonce] of [
      ['{42}', '{slot}1'],
      ['}42{', '}{'],
      ['{}', '{}:{}'],
    ] as const) {
      const keys = await redisKeysOf(webhookId, nonce, 'signature 00')
      const tags = keys.map((key) => /^[^{]*\{([0-9a-f]{8})\}/.exec(key)?.[1])
      expect(tags[0]).toBeDefined()
      expect(tags[0]).toBe(tags[1])
    }
  })

  it('of different nonces and webhooks have different hash tags', async () => {
    const keys = [await redisKeysOf('42', 'a'), await redisKeysOf('42', 'b'), await redisKeysOf('43', 'a')].flat()
    expect(new Set(keys.map((key) => key.slice(0, key.indexOf('}')))).size).toBe(3)
  })
})

describe('options', () => {
  it.each([
    [undefined, /^options .*undefined/],
    [async () => null, /^options .*a function/],
    [{}, /^sendCommand .*undefined/],
    [{ sendCommand: 'SET' }, /^sendCommand .*a string/],
    [{ sendCommand: async () => null, keyPrefix: 1 }, /^keyPrefix .*a number/],
  ])('%o is a TypeError', (options, message) => {
    const create = () => Reflect.construct(RedisNonceStore, [options])
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
