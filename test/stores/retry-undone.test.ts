import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'
import { SimulatedTime } from '../support/simulated-time.js'

const time = new SimulatedTime()
beforeEach(() => time.start())
afterEach(() => {
  vi.restoreAllMocks()
  time.stop()
})

describe.each([
  ['PostgreSQL', PostgresNonceStore],
  ['MySQL', MySqlNonceStore],
])('a statement that %s undoes', (_, Store) => {
  /** Returns the pauses before each further attempt if each attempt takes 5 ms, and half of each pause is random. */
  async function pausesWith(timeout: number, random: number): Promise<number[]> {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const starts: number[] = []
    const query = async () => {
      starts.push(time.now)
      await new Promise((resolve) => setTimeout(resolve, 5))
      throw Object.assign(new Error('Deadlock found'), { code: '40P01', errno: 1213, sqlState: '40001' })
    }
    await expect(time.until(new Store({ query, timeout }).reserve('42', 'nonce', 600))).rejects.toThrow()
    return starts.slice(1).map((start, index) => start - (starts[index] ?? 0) - 5)
  }

  it('is tried 20 times, after a pause each, so that the other statement can finish', async () => {
    expect(await pausesWith(10_000, 0)).toEqual([1, 2, 4, 8, ...Array(15).fill(16)])
    expect(await pausesWith(10_000, 1)).toEqual([2, 4, 8, 16, ...Array(15).fill(32)])
  })

  it('is not tried again if the attempt would begin after the time-out, because the caller then has an error', async () => {
    // The attempts begin after 0, 7, 16 and 29 ms. The next one would begin after 50 ms.
    expect(await pausesWith(49, 1)).toEqual([2, 4, 8])
    expect(await pausesWith(51, 1)).toEqual([2, 4, 8, 16])
  })
})
