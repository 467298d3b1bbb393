import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { SimulatedTime } from '../support/simulated-time.js'

const time = new SimulatedTime()
beforeEach(() => time.start())
afterEach(() => time.stop())

describe.each([
  ['PostgreSQL', PostgresNonceStore],
  ['MySQL', MySqlNonceStore],
])('deleteExpired in %s', (_, Store) => {
  /** Opens a store on a table of so many expired rows, where each deletion takes 10 ms. */
  function open(rows: number) {
    const batches: number[] = []
    const query = async (text: string, values: unknown[]) => {
      const limit = text.startsWith('DELETE') ? values.length : Number(/LIMIT (\d+)/.exec(text)?.[1] ?? values[0])
      const count = Math.min(limit, rows)
      // In MySQL, the rows are read first.
      if (text.startsWith('SELECT')) return Array(count).fill({ hash: 'AB' })
      rows -= count
      batches.push(count)
      await new Promise((resolve) => setTimeout(resolve, 10))
      return { rows: [{ count }], affectedRows: count }
    }
    return { store: new Store({ query }), batches }
  }

  it('deletes until no row is left', async () => {
    const { store, batches } = open(1000)
    expect(await time.until(store.deleteExpired({ limit: 300 }))).toBe(1000)
    expect(batches).toEqual([300, 300, 300, 100])
  })

  it.each([
    [20, 2],
    [20.5, 3],
    [1, 1],
    [1e9, 100],
  ])('starts no batch after %d ms, but ends the last', async (maxMilliseconds, count) => {
    const { store, batches } = open(25_400)
    expect(await time.until(store.deleteExpired({ maxMilliseconds }))).toBe(Math.min(256 * count, 25_400))
    expect(batches).toHaveLength(count)
  })

  it.each([
    { limit: 0 },
    { limit: 1.5 },
    { limit: '10' },
    { limit: 10_001 },
    { maxMilliseconds: 0 },
    { maxMilliseconds: Number.NaN },
  ])('refuses %o', async (options) => {
    const { store, batches } = open(1)
    await expect(Reflect.apply(store.deleteExpired, store, [options])).rejects.toThrow(
      /^limit must be a whole number from 1 to 10000, and maxMilliseconds a number above 0\.$/,
    )
    expect(batches).toEqual([])
  })

  it('refuses an unknown option', async () => {
    const { store } = open(1)
    await expect(Reflect.apply(store.deleteExpired, store, [{ maxRows: 10 }])).rejects.toThrow(
      /^options\.maxRows is unknown\. Use one of: limit, maxMilliseconds\./,
    )
  })
})
