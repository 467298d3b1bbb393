import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LuaFactory } from 'wasmoon'
import { checkStore } from '../../src/stores/check.js'
import { DynamoDBNonceStore } from '../../src/stores/dynamodb.js'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { SimulatedTime } from '../support/simulated-time.js'

// What `check` asks, and how often. test/integration has real servers and clients.

const error = (message: string, properties: object = {}) => Object.assign(new Error(message), properties)
const failureOf = (checking: Promise<void>) =>
  checking.then(
    () => undefined,
    (failure: Error) => failure,
  )

describe('a check', () => {
  let time: SimulatedTime
  beforeEach(() => {
    time = new SimulatedTime()
    time.start()
  })
  afterEach(() => time.stop())

  /** Checks a store with a time-out of 1000 ms whose server gives these answers, one per step. */
  function check(...answers: unknown[]) {
    const steps: string[][] = []
    const answer = (...step: string[]) => {
      const next = answers[steps.length]
      steps.push(step)
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(Object(next) === next ? next : next)
    }
    const checking = checkStore(1000, (webhookId, key) => ({
      checkSettings: () => answer('settings', webhookId, key),
      reserve: (owner) => answer('reserve', webhookId, key, owner) as Promise<boolean>,
      release: (owner) => answer('release', webhookId, key, owner),
      advice: 'Repair it.',
    }))
    return { steps, failure: failureOf(checking) }
  }
  const never = new Promise(() => {})

  it('asks for the settings, reserves one new key twice for one owner, and releases it', async () => {
    const { steps, failure } = check(undefined, true, false, undefined)
    expect(await failure).toBeUndefined()
    expect(steps.map(([name]) => name)).toEqual(['settings', 'reserve', 'reserve', 'release'])
    const [, [, webhookId, key, owner] = []] = steps
    expect(key).toMatch(/^[0-9a-f-]{36}$/)
    expect(steps.slice(1)).toEqual(['reserve', 'reserve', 'release'].map((name) => [name, webhookId, key, owner]))
    const other = check(undefined, true, false, undefined)
    await other.failure
    expect(other.steps[1]?.[2]).not.toBe(key)
    expect(other.steps[1]?.[3]).not.toBe(owner)
  })

  it('rejects if the server accepts the key twice, after the key was released', async () => {
    const { steps, failure } = check(undefined, true, true, undefined)
    expect(await failure).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: 'The server accepts a nonce twice. Repair it.',
    })
    expect(steps).toHaveLength(4)
  })

  it('rejects if the server refuses a new key', async () => {
    expect(await check(undefined, false, false, undefined).failure).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringMatching(/^The server refuses a new nonce\. /),
    })
  })

  it.each([0, 1, 2, 3])('says what is wrong if step %d fails, and does no other step', async (step) => {
    const denied = error('permission denied for table', { code: '42501' })
    const { steps, failure } = check(...[undefined, true, false].slice(0, step), denied)
    expect(await failure).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringMatching(/^The user lacks a permission\. /),
      cause: { message: 'permission denied for table' },
    })
    expect(steps).toHaveLength(step + 1)
  })

  it('waits twice the time-out for each step, and tries five times, because the first call connects', async () => {
    const { steps, failure } = check(
      never,
      undefined,
      true,
      never,
      undefined,
      never,
      never,
      undefined,
      true,
      false,
      undefined,
    )
    await time.pass(2000)
    expect(steps.map(([name]) => name).join()).toBe('settings,settings,reserve,reserve')
    await time.pass(1999)
    expect(steps).toHaveLength(4)
    await time.pass(4001)
    expect(await failure).toBeUndefined()
    expect(steps).toHaveLength(11)
    // Each attempt has its own key, because the server may have reserved the key of an earlier attempt.
    expect(new Set(steps.map(([, , key]) => key)).size).toBe(5)
    expect(time.refs).toBe(0)
  })

  it('rejects after five attempts without a response', async () => {
    const { steps, failure } = check(...Array(9).fill(never))
    await time.pass(9999)
    expect(steps).toHaveLength(5)
    await time.pass(1)
    expect(await failure).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringMatching(/^The server cannot be reached or does not respond in time\. /),
    })
    expect(steps).toHaveLength(5)
  })

  it('waits for a response if the time-out is the longest one', async () => {
    const slow = <T>(answer: T) => new Promise<T>((resolve) => setTimeout(resolve, 100, answer))
    let reservations = 0
    const checking = checkStore(2 ** 31 - 1, () => ({
      reserve: () => slow(reservations++ === 0),
      release: () => slow(undefined),
      advice: 'Repair it.',
    }))
    await time.pass(300)
    expect(await failureOf(checking)).toBeUndefined()
    expect(reservations).toBe(2)
  })

  it('tries again after a time-out of the client too', async () => {
    const { steps, failure } = check(error('Query read timeout'), undefined, true, false, undefined)
    expect(await failure).toBeUndefined()
    expect(steps).toHaveLength(5)
  })
})

describe('RedisNonceStore.check', () => {
  /** A store on a server with these responses to `INFO`. Its scripts run in an interpreter of Lua. */
  async function startModel(info: string) {
    const lua = await new LuaFactory().createEngine()
    const keys = new Map<string, string>()
    const commands: string[][] = []
    const redis: Record<string, (...args: string[]) => string | false> = {
      GET: (key = '') => keys.get(key) ?? false,
      SET: (key = '', token = '') => keys.set(key, token) && 'OK',
      DEL: (key = '') => keys.delete(key) && 'OK',
    }
    lua.global.set('call', (name: string, ...args: string[]) => redis[name]?.(...args))
    await lua.doString(`redis = { call = call, pcall = function() return ${info} end }`)
    async function sendCommand(args: string[]): Promise<unknown> {
      commands.push(args)
      const [, script = '', count, key = '', ...rest] = args
      expect(count).toBe('1')
      const list = rest.map((text) => JSON.stringify(text)).join()
      return lua.doString(`local KEYS, ARGV = { ${JSON.stringify(key)} }, { ${list} }\n${script}`)
    }
    return { commands, keys, store: new RedisNonceStore({ sendCommand, keyPrefix: 'app:', timeout: 60_000 }) }
  }
  const policy = (name: string) =>
    `'# Memory\\r\\nmaxmemory:100\\r\\nmaxmemory_policy:${name}\\r\\nmem_clients:0\\r\\n'`

  it('sends five EVALs for one key, so that each reaches the same server, and leaves nothing there', async () => {
    const { commands, keys, store } = await startModel(policy('noeviction'))
    await store.check()
    expect(commands.map(([name]) => name)).toEqual(Array(5).fill('EVAL'))
    expect(new Set(commands.map(({ 3: key }) => key)).size).toBe(1)
    expect(commands[0]?.[3]).toMatch(/^app:\{/)
    expect(commands[0]?.[1]).toContain("redis.pcall('INFO', 'memory')")
    expect(keys.size).toBe(0)
  })

  it.each(['allkeys-lru', 'volatile-ttl'])('rejects if the server evicts keys: %s', async (name) => {
    const { commands, store } = await startModel(policy(name))
    await expect(store.check()).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: 'Redis removes nonces when its memory is full. Set maxmemory-policy to noeviction.',
    })
    expect(commands).toHaveLength(1)
  })

  it.each([
    ['refuses INFO', "{ err = 'NOPERM this user has no permissions to run the info command' }"],
    ['has no policy', "'# Memory\\r\\nused_memory:1\\r\\n'"],
  ])('accepts a server that %s', async (_, info) => {
    const { store } = await startModel(info)
    await store.check()
  })

  it('rejects if another server has the key at the second call', async () => {
    const { keys, store } = await startModel(policy('noeviction'))
    const set = keys.set.bind(keys)
    keys.set = (key, token) => set(`${key} of server ${token}`, token)
    await expect(store.check()).rejects.toThrow(
      'The server accepts a nonce twice. Send each command to the server that holds its key.',
    )
  })
})

describe('MySqlNonceStore.check', () => {
  const TAKEN = error('Duplicate entry', { errno: 1062 })
  const DONE = { affectedRows: 1 }

  function check(settings: unknown, { table, skipsLocked = [] }: { table?: string; skipsLocked?: unknown } = {}) {
    const statements: string[] = []
    const claim = [error('Subquery returns more than 1 row', { errno: 1242 }), [[{ claims: 0 }], []]]
    const answers = [settings, skipsLocked, DONE, TAKEN, { affectedRows: 0 }, TAKEN, ...claim, DONE]
    const query = async (text: string) => {
      const answer = answers[statements.length]
      statements.push(text.replaceAll(/\s+/g, ' '))
      if (answer instanceof Error) throw answer
      return answer
    }
    return { statements, failure: failureOf(new MySqlNonceStore({ query, table }).check()) }
  }

  it.each<[string, unknown]>([
    ['mysql2', [[{ autocommit: 1, read_only: 0, engine: 'InnoDB' }], []]],
    ['mariadb', [{ autocommit: 1n, read_only: 0n, engine: 'InnoDB' }]],
    ['a view, which has no engine', [[{ autocommit: 1, read_only: 0, engine: null }], []]],
    ['a server that does not know a setting', error('Unknown system variable', { errno: 1193 })],
  ])(
    'asks for the settings, reserves, claims and releases, past the memory of the process: %s',
    async (_, settings) => {
      const { statements, failure } = check(settings)
      expect(await failure).toBeUndefined()
      const names = statements.map((text) => text.split(' ')[0]).join()
      expect(names).toBe('SELECT,SELECT,INSERT,INSERT,DELETE,INSERT,INSERT,SELECT,DELETE')
      expect(statements[1]).toBe('SELECT 1 FROM `webhook_nonces` LIMIT 0 FOR UPDATE SKIP LOCKED')
      expect(statements[0]).toContain("WHERE TABLE_NAME = 'webhook_nonces' AND TABLE_SCHEMA = DATABASE()")
    },
  )

  it('asks for the engine of a table in another database', async () => {
    const { statements } = check([[]], { table: 'hooks.nonces' })
    expect(statements[0]).toContain("WHERE TABLE_NAME = 'nonces' AND TABLE_SCHEMA = 'hooks'")
  })

  it.each<[object, RegExp]>([
    [{ autocommit: 0 }, /^autocommit is off\. Run SET SESSION autocommit = 1 /],
    [{ read_only: 1 }, /^The server is read-only or a replica\. Connect to the primary\.$/],
    [{ engine: 'MyISAM' }, /^The table uses MyISAM.* Run ALTER TABLE `webhook_nonces` ENGINE = InnoDB\.$/],
  ])('rejects a server with %o, and reserves nothing', async (setting, message) => {
    const { statements, failure } = check([[{ autocommit: 1, read_only: 0, engine: 'InnoDB', ...setting }], []])
    expect(await failure).toMatchObject({ code: 'ERR_NONCE_STORE', message: expect.stringMatching(message) })
    expect(statements).toHaveLength(1)
  })

  it('rejects a server that cannot skip locked rows, because no sweep would succeed there', async () => {
    const { statements, failure } = check([[]], { skipsLocked: error('You have an error near SKIP', { errno: 1064 }) })
    expect(await failure).toMatchObject({
      message: expect.stringMatching(/^The server is too old to skip locked rows/),
    })
    expect(statements).toHaveLength(2)
  })

  it('rejects a table that accepts a key twice', async () => {
    const query = async (text: string) => (text.startsWith('SELECT') ? [] : DONE)
    await expect(new MySqlNonceStore({ query }).check()).rejects.toThrow(
      'The server accepts a nonce twice. Run ALTER TABLE `webhook_nonces` ADD PRIMARY KEY (key_hash).',
    )
  })
})

it('PostgresNonceStore.check reserves, claims and releases, past the memory of the process', async () => {
  const statements: string[] = []
  const query = async (text: string) => {
    statements.push(text.trim().split(' ')[0] ?? '')
    return { rows: [[{ state: 'claimed' }], [], [{ state: 'taken' }], []][statements.length - 1] }
  }
  await new PostgresNonceStore({ query }).check()
  expect(statements).toEqual(['INSERT', 'INSERT', 'WITH', 'DELETE'])
})

describe('DynamoDBNonceStore.check', () => {
  const OUTPUT = { ConsumedCapacity: { CapacityUnits: 1 } }
  const TAKEN = { name: 'ConditionalCheckFailedException' }
  type PutItemInput = Parameters<ConstructorParameters<typeof DynamoDBNonceStore>[0]['putItem']>[0]

  /** Checks a store whose SDK returns this item when a condition fails. */
  function check(Item?: object) {
    const conditions: string[] = []
    const putItem = async ({ ConditionExpression, ReturnValuesOnConditionCheckFailure }: PutItemInput) => {
      conditions.push(ConditionExpression)
      if (conditions.length === 2) throw TAKEN
      if (conditions.length === 3)
        throw { ...TAKEN, ...(ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && { Item }) }
      return OUTPUT
    }
    return { conditions, failure: failureOf(new DynamoDBNonceStore({ putItem }).check()) }
  }

  it('puts the item twice, claims it and puts an expired one, past the memory of the process', async () => {
    const { conditions, failure } = check({ reserved_by: { S: 'a token' } })
    expect(await failure).toBeUndefined()
    const free = expect.stringMatching(/^attribute_not_exists/)
    expect(conditions).toEqual([free, free, free, expect.stringMatching(/^begins_with/)])
  })

  it('rejects if the SDK returns no item when a condition fails', async () => {
    const { conditions, failure } = check()
    expect(await failure).toMatchObject({
      code: 'ERR_NONCE_STORE',
      message: expect.stringMatching(/Update the AWS SDK to 3\.363 or later\.$/),
    })
    expect(conditions).toHaveLength(4)
  })
})
