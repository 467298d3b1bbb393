import { describe, expect, it } from 'vitest'
import { DynamoDBNonceStore } from '../../src/stores/dynamodb.js'
import { nonceStoreContract } from '../../tools/src/testing/index.js'
import { TestClock } from '../support/request.js'

/** The input of a PutItem. */
type PutItemInput = Parameters<ConstructorParameters<typeof DynamoDBNonceStore>[0]['putItem']>[0]

// Tests that need no database. The rest is in test/nightly/stores/dynamodb.test.ts.

const REFUSED = { name: 'ConditionalCheckFailedException' }
const OUTPUT = { ConsumedCapacity: { TableName: 'webhook_nonces', CapacityUnits: 1 } }

describe('DynamoDBNonceStore with a model of PutItem', () => {
  const items = new Map<string, PutItemInput['Item']>()

  /** Returns whether one of the conditions holds for the item of a key. */
  function holds(conditions: string, item: PutItemInput['Item'] | undefined, values: Record<string, object>): boolean {
    const { ':now': now, ':caller': caller, ':owner': owner } = values as Record<string, { N: string; S: string }>
    const known: Readonly<Record<string, () => boolean | undefined>> = {
      'attribute_not_exists(key_hash)': () => item === undefined,
      'expires_at < :now': () => item && Number(item.expires_at.N) < Number(now?.N),
      'reserved_by = :caller': () => item?.reserved_by.S === caller?.S,
      'begins_with(reserved_by, :owner)': () => item?.reserved_by.S.startsWith(String(owner?.S)),
    }
    return conditions.split(' OR ').some((condition) => known[condition]?.())
  }

  async function putItem(input: PutItemInput): Promise<object> {
    const { Item, ConditionExpression, ExpressionAttributeValues } = input
    const old = items.get(Item.key_hash.S)
    if (holds(ConditionExpression, old, ExpressionAttributeValues)) {
      items.set(Item.key_hash.S, Item)
      return { ...OUTPUT, ...(input.ReturnValues && { Attributes: old }) }
    }
    const more = input.ReturnValuesOnConditionCheckFailure && { Item: old }
    throw Object.assign(new Error('The conditional request failed'), REFUSED, more)
  }

  const clock = new TestClock()
  const wait = (milliseconds: number) => {
    clock.milliseconds += milliseconds
  }
  it.each(nonceStoreContract(() => new DynamoDBNonceStore({ putItem, clock }), { wait, load: 'light' }))(
    '$name',
    ({ run }) => run(),
  )
})

describe('a reservation', () => {
  it('is one conditional PutItem, with the key hashed and the expiry in whole seconds', async () => {
    const inputs: PutItemInput[] = []
    const putItem = async (input: PutItemInput) => {
      inputs.push(input)
      return OUTPUT
    }
    const store = new DynamoDBNonceStore({ putItem, table: 'nonces', clock: { now: () => 1_700_000_000_001.5 } })
    expect(await store.reserve('42', 'nonce', 600)).toBe(true)
    const caller = inputs[0]?.Item.reserved_by.S
    expect(inputs).toEqual([
      {
        TableName: 'nonces',
        Item: {
          // printf '2:42nonce' | sha256sum
          key_hash: { S: 'c8a607dc8326f7628b4b43b869533ee27d40ffb6962ab966056792cc26a002cc' },
          expires_at: { N: '1700000601' },
          reserved_by: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        },
        ConditionExpression: 'attribute_not_exists(key_hash) OR expires_at < :now OR reserved_by = :caller',
        ExpressionAttributeValues: { ':now': { N: '1700000000.001' }, ':caller': { S: caller } },
        ReturnConsumedCapacity: 'TOTAL',
      },
    ])
  })

  it('names a new caller each time, because the condition accepts the same caller twice', async () => {
    const callers: string[] = []
    const store = new DynamoDBNonceStore({
      async putItem({ Item, ExpressionAttributeValues }) {
        expect(Item.reserved_by).toEqual(ExpressionAttributeValues[':caller'])
        callers.push(Item.reserved_by.S)
        return OUTPUT
      },
    })
    for (const nonce of ['one', 'other', 'third']) await store.reserve('42', nonce, 600)
    expect(new Set(callers).size).toBe(3)
  })

  it.each<[string, object]>([
    ['3', Object.assign(new Error('The conditional request failed'), REFUSED)],
    ['2', Object.assign(new Error('The conditional request failed'), { code: 'ConditionalCheckFailedException' })],
  ])('whose condition does not hold is false, with version %s of the SDK', async (_, error) => {
    expect(await new DynamoDBNonceStore({ putItem: () => Promise.reject(error) }).reserve('42', 'nonce', 600)).toBe(
      false,
    )
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a throttled request', Object.assign(new Error('slow down'), { name: 'ThrottlingException' })],
    ['a missing table', Object.assign(new Error('no table'), { name: 'ResourceNotFoundException' })],
  ])('rejects with the error of putItem: %s', async (_, reason) => {
    const store = new DynamoDBNonceStore({ putItem: () => Promise.reject(reason) })
    await expect(store.reserve('42', 'nonce', 600)).rejects.toEqual(reason)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['true', true],
    ['an output without its capacity', {}],
    ['a command that was not sent', { input: { ReturnConsumedCapacity: 'TOTAL' } }],
  ])('is an error when putItem resolves to %s', async (_, output) => {
    const store = new DynamoDBNonceStore({ putItem: async () => output })
    await expect(store.reserve('42', 'nonce', 600)).rejects.toThrow(/putItem resolved to .*\. Resolve to the output/)
  })

  it('with a clock that returns no number is a TypeError', async () => {
    const store = new DynamoDBNonceStore({ putItem: async () => OUTPUT, clock: { now: () => Number.NaN } })
    await expect(store.reserve('42', 'nonce', 600)).rejects.toThrow(/clock\.now\(\) must return a finite/)
  })
})

describe('a claim', () => {
  it.each([
    ['stays if this call only extended it, because its code is running', 1_700_000_020, 0],
    ['is freed if this call made it', 1_699_999_980, 1],
  ])('whose second key is refused %s', async (_, earlierExpiry, releases) => {
    let calls = 0
    const store = new DynamoDBNonceStore({
      async putItem({ Item }) {
        if (++calls === 2) throw Object.assign(new Error('refused'), REFUSED)
        return { ...OUTPUT, Attributes: { ...Item, expires_at: { N: String(earlierExpiry) } } }
      },
      clock: { now: () => 1_700_000_000_000 },
    })
    expect(await store.claim('42', ['nonce', 'signature'], 30, 'owner')).toBe('in_progress')
    expect(calls - 2, 'calls that release').toBe(releases)
  })
})

describe('a release', () => {
  it('is one conditional PutItem per key, which expired so long ago that a clock behind finds the key free', async () => {
    const inputs: PutItemInput[] = []
    const putItem = async (input: PutItemInput) => {
      inputs.push(input)
      return OUTPUT
    }
    const store = new DynamoDBNonceStore({ putItem, clock: { now: () => 1_700_000_000_999 } })
    await store.release('42', ['nonce', 'another'], 'owner')
    const [first, second] = inputs.map(({ Item }) => Item.reserved_by.S)
    expect(inputs).toEqual([
      {
        TableName: 'webhook_nonces',
        Item: {
          key_hash: { S: 'c8a607dc8326f7628b4b43b869533ee27d40ffb6962ab966056792cc26a002cc' },
          // An hour before the time, which is rounded down.
          expires_at: { N: '1699996400' },
          reserved_by: { S: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        },
        ConditionExpression: 'begins_with(reserved_by, :owner)',
        // printf owner | sha256sum
        ExpressionAttributeValues: { ':owner': { S: '4c1029697ee358715d3a14a2add817c4' } },
        ReturnConsumedCapacity: 'TOTAL',
      },
      expect.objectContaining({ ConditionExpression: 'begins_with(reserved_by, :owner)' }),
    ])
    expect(second).not.toBe(first)
  })

  it('frees only the keys of a reservation with the same owner', async () => {
    const inputs: PutItemInput[] = []
    const store = new DynamoDBNonceStore({ putItem: async (input) => inputs.push(input) && OUTPUT })
    await store.reserve('42', 'nonce', 600, 'owner')
    expect(inputs[0]?.Item.reserved_by.S).toMatch(/^4c1029697ee358715d3a14a2add817c4[0-9a-f-]{36}$/)
  })

  it('changes nothing if the key has another owner, and rejects if the table fails', async () => {
    const refused = Object.assign(new Error('refused'), REFUSED)
    for (const [error, outcome] of [
      [refused, undefined],
      [new Error('slow down'), 'slow down'],
    ] as const) {
      const store = new DynamoDBNonceStore({ putItem: () => Promise.reject(error) })
      expect(await store.release('42', ['nonce'], 'owner').catch(({ message }) => message)).toBe(outcome)
    }
  })
})

describe('options', () => {
  const putItem = async () => OUTPUT
  it.each<[unknown, RegExp]>([
    [{}, /^putItem .*undefined/],
    [{ putItem: {} }, /^putItem .*an object/],
    [{ putItem, tableName: 'nonces' }, /^options\.tableName .*putItem, table, timeout, concurrency, clock/],
    [{ putItem, table: 'ab' }, /^table /],
    [{ putItem, table: 1 }, /^table .*a number/],
    [{ putItem, table: 'a table' }, /^table /],
    [{ putItem, timeout: 1.5 }, /^timeout /],
    [{ putItem, clock: {} }, /^clock /],
  ])('%o is refused', (options, message) => {
    const create = () => Reflect.construct(DynamoDBNonceStore, [options])
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })

  it('takes an ARN', () => {
    const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/webhook_nonces'
    expect(new DynamoDBNonceStore({ putItem, table })).toBeInstanceOf(DynamoDBNonceStore)
  })
})
