import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NonceStore } from '../../../src/index.js'
import { DynamoDBNonceStore } from '../../../src/stores/dynamodb.js'
import { RedisNonceStore } from '../../../src/stores/redis/index.js'
import { SimulatedTime } from '../../../test/support/simulated-time.js'
import { nonceStoreContract } from '../../src/testing/index.js'

// The contract tests the server, not what a store remembers of its own reservations.

const time = new SimulatedTime()
beforeAll(() => time.start())
afterAll(() => time.stop())

type Row = { owner: string; until: number }

/** A server that reserves and releases keys. Each kind of server below has one fault. */
class Server {
  protected readonly rows = new Map<string, Row>()

  reserve(keys: readonly string[], owner: string, milliseconds: number): boolean {
    const isFree = keys.every((key) => (this.rows.get(key)?.until ?? -1) < time.now)
    if (isFree) for (const key of keys) this.rows.set(key, { owner, until: time.now + milliseconds })
    return isFree
  }

  release(keys: readonly string[], owner: string): void {
    for (const key of keys) if (owner !== '' && this.rows.get(key)?.owner.startsWith(owner)) this.rows.delete(key)
  }
}

class ForgetsEverything extends Server {
  override reserve(...call: Parameters<Server['reserve']>): boolean {
    this.rows.clear()
    return super.reserve(...call)
  }
}

/** The store that reserved such a key remembers it, so that only the other store shows the fault. */
class ForgetsShortReservations extends Server {
  override reserve(...call: Parameters<Server['reserve']>): boolean {
    return call[2] < 10_000 || super.reserve(...call)
  }
}

class NeverExpires extends Server {
  override reserve(keys: readonly string[], owner: string): boolean {
    return super.reserve(keys, owner, Number.POSITIVE_INFINITY)
  }
}

/** Creates a store with `reserveAll`, and one without it. All shared stores remember their reservations by the same code. */
const STORES: Readonly<Record<string, (server: Server) => NonceStore>> = {
  RedisNonceStore: (server) =>
    new RedisNonceStore({
      async sendCommand([, , count, ...rest]) {
        const keys = rest.slice(0, Number(count))
        const [token = '', milliseconds] = rest.slice(Number(count))
        if (milliseconds !== undefined) {
          return `${server.reserve(keys, token, Number(milliseconds)) ? 'reserved' : 'taken'} ${token}`
        }
        server.release(keys, token)
        return `released ${token}`
      },
    }),
  DynamoDBNonceStore: (server) =>
    new DynamoDBNonceStore({
      clock: { now: () => time.now },
      async putItem({ Item, ExpressionAttributeValues }) {
        const key = Item.key_hash.S
        const owner = Object(ExpressionAttributeValues[':owner']).S
        const milliseconds = Number(Item.expires_at.N) * 1000 - time.now
        if (owner !== undefined) server.release([key], owner)
        else if (!server.reserve([key], Item.reserved_by.S, milliseconds)) {
          throw Object.assign(new Error('taken'), { name: 'ConditionalCheckFailedException' })
        }
        return { ConsumedCapacity: {} }
      },
    }),
}

/** Returns the names of the cases that fail, and the number of all cases. */
async function failuresOf(createStore: () => NonceStore): Promise<{ failed: string[]; count: number }> {
  const cases = nonceStoreContract(createStore, { load: 'light' }).filter(({ isSkipped }) => !isSkipped)
  const failed: string[] = []
  for (const { name, run } of cases) await time.until(run().catch(() => failed.push(name)))
  return { failed, count: cases.length }
}

describe.each(Object.entries(STORES))('%s', (_, create) => {
  it('passes every case with a correct server', async () => {
    const server = new Server()
    expect((await failuresOf(() => create(server))).failed).toEqual([])
  })

  it('fails every case with a server that forgets everything', async () => {
    const server = new ForgetsEverything()
    const { failed, count } = await failuresOf(() => create(server))
    expect(failed).toHaveLength(count)
  })

  it('fails the case about short reservations with a server that forgets them', async () => {
    const server = new ForgetsShortReservations()
    const { failed } = await failuresOf(() => create(server))
    expect(failed).toContain('frees a key when its TTL ends, not earlier and not later')
  })

  it('fails every case about the end of a TTL with a server on which no key expires', async () => {
    const server = new NeverExpires()
    const { failed } = await failuresOf(() => create(server))
    const hasReserveAll = create(server).reserveAll !== undefined
    expect(failed).toEqual([
      'frees a key when its TTL ends, not earlier and not later',
      'does not extend the TTL of a taken key',
      'gives each key its own TTL',
      'returns true to exactly one of many calls for an expired key',
      ...(hasReserveAll ? ['reserveAll(), if present, frees its keys when their TTL ends'] : []),
      'release(), if present, frees the keys of its owner and no others',
    ])
  })
})
