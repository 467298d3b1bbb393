import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClaimState, NonceStore } from '../../../src/index.js'
import { RedisNonceStore } from '../../../src/stores/redis/index.js'
import { SimulatedTime } from '../../../test/support/simulated-time.js'
import { nonceStoreContract } from '../../src/testing/index.js'

// The contract tests the server, not what a store remembers of its own reservations.

const time = new SimulatedTime()
beforeAll(() => time.start())
afterAll(() => time.stop())

type Row = { owner: string; until: number }

/** A server that reserves, claims and releases keys. Each kind of server below has one fault. */
class Server {
  protected readonly rows = new Map<string, Row>()

  reserve(keys: readonly string[], owner: string, milliseconds: number): boolean {
    const isFree = keys.every((key) => (this.rows.get(key)?.until ?? -1) < time.now)
    if (isFree) for (const key of keys) this.rows.set(key, { owner, until: time.now + milliseconds })
    return isFree
  }

  /** The owner of a claim is the hash of an owner and the word `claim`. With `record`, the keys are recorded as done for that owner. */
  claim(keys: readonly string[], hash: string, milliseconds: number, record?: string): ClaimState {
    const claim = `${hash} claim`
    const others = keys.flatMap((key) => {
      const row = this.rows.get(key)
      const isOwn = row?.owner === claim || (record !== undefined && row?.owner.startsWith(hash))
      return row === undefined || row.until < time.now || isOwn ? [] : [row.owner]
    })
    if (others.some((owner) => !owner.endsWith(' claim'))) return 'taken'
    if (others.length > 0) return 'in_progress'
    for (const key of keys) this.rows.set(key, { owner: record ?? claim, until: time.now + milliseconds })
    return 'claimed'
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

  override claim(...call: Parameters<Server['claim']>): ClaimState {
    this.rows.clear()
    return super.claim(...call)
  }
}

class NeverExpires extends Server {
  override reserve(keys: readonly string[], owner: string): boolean {
    return super.reserve(keys, owner, Number.POSITIVE_INFINITY)
  }

  override claim(keys: readonly string[], hash: string, _: number, record?: string): ClaimState {
    return super.claim(keys, hash, Number.POSITIVE_INFINITY, record)
  }
}

/** A claim gets a reservation of the same owner. An instance that reserved the key does not ask the server. */
class GetsOwnReservations extends Server {
  override claim(keys: readonly string[], hash: string, milliseconds: number, record?: string): ClaimState {
    return super.claim(keys, hash, milliseconds, record ?? `${hash} claim`)
  }
}

/** All shared stores remember their reservations by the same code. */
const create = (server: Server): NonceStore =>
  new RedisNonceStore({
    async sendCommand([, , count, ...rest]) {
      const keys = rest.slice(0, Number(count))
      const [token = '', milliseconds, hash, purpose] = rest.slice(Number(count))
      if (hash !== undefined) {
        return `${server.claim(keys, hash, Number(milliseconds), purpose === 'done' ? token : undefined)} ${token}`
      }
      if (milliseconds !== undefined) {
        return `${server.reserve(keys, token, Number(milliseconds)) ? 'reserved' : 'taken'} ${token}`
      }
      server.release(keys, token)
      return `released ${token}`
    },
  })

/** Returns the names of the cases that fail, and the number of all cases. */
async function failuresOf(createStore: () => NonceStore): Promise<{ failed: string[]; count: number }> {
  const cases = nonceStoreContract(createStore, { load: 'light' }).filter(({ isSkipped }) => !isSkipped)
  const failed: string[] = []
  for (const { name, run } of cases) await time.until(run().catch(() => failed.push(name)))
  return { failed, count: cases.length }
}

describe('RedisNonceStore', () => {
  it('passes every case with a correct server', async () => {
    const server = new Server()
    expect((await failuresOf(() => create(server))).failed).toEqual([])
  })

  it('fails every case with a server that forgets everything', async () => {
    const server = new ForgetsEverything()
    const { failed, count } = await failuresOf(() => create(server))
    expect(failed).toHaveLength(count)
  })

  it('fails the cases with a late claim if a claim gets a reservation of its owner', async () => {
    const server = new GetsOwnReservations()
    const { failed } = await failuresOf(() => create(server))
    expect(failed).toEqual([
      'claim(), if present, takes no key that is reserved, and its keys are taken for reserve()',
      'claim(), if present, records a claim with isDone, as often as it is called',
    ])
  })

  it('fails every case about the end of a TTL with a server on which no key expires', async () => {
    const server = new NeverExpires()
    const { failed } = await failuresOf(() => create(server))
    expect(failed).toEqual([
      'frees a key when its TTL ends, not earlier and not later',
      'does not extend the TTL of a taken key',
      'returns true to exactly one of many calls for an expired key',
      'gives each key its own TTL',
      'reserveAll(), if present, frees its keys when their TTL ends',
      'release(), if present, frees the keys of its owner and no others',
      'claim(), if present, takes no key that is reserved, and its keys are taken for reserve()',
      'claim(), if present, ends a claim when its time ends, and not before',
    ])
  })
})
