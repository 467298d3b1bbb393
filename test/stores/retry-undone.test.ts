import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { MySqlNonceStore } from '../../src/stores/mysql/index.js'
import { PostgresNonceStore } from '../../src/stores/postgres/index.js'

/** A client whose statements the server always undoes, and the times at which it got them. */
function undoing() {
  const times: number[] = []
  const query = async () => {
    times.push(performance.now())
    await sleep(5)
    throw Object.assign(new Error('Deadlock found'), { code: '40P01', errno: 1213, sqlState: '40001' })
  }
  return { times, query }
}

describe.each([
  ['PostgreSQL', PostgresNonceStore],
  ['MySQL', MySqlNonceStore],
])('a statement that %s undoes', (_, Store) => {
  it('is tried again after a pause, so that the other statement can finish', async () => {
    const { times, query } = undoing()
    await expect(new Store({ query, timeout: 10_000 }).reserve('42', 'nonce', 600)).rejects.toThrow('Deadlock')
    expect(times).toHaveLength(20)
    // The shortest pauses: 1 + 2 + 4 + 8 ms, then 15 of 16 ms. Timers may be a little early.
    expect(Number(times.at(-1)) - Number(times[0])).toBeGreaterThan(19 * 5 + 15 + 15 * 16 - 20)
  })

  it.each([
    // The pauses: 2, 4, 8 and 16 ms. The next one of 32 ms would end after 40 ms.
    [1, 5],
    // The pauses: 1, 2, 4, 8 and 16 ms. The next one of 16 ms would end after 40 ms.
    [0, 6],
  ])(
    'begins no attempt after the timeout, and half of a pause is random: with %d, %d attempts',
    async (random, attempts) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      vi.spyOn(Math, 'random').mockReturnValue(random)
      try {
        let calls = 0
        const query = async () => {
          calls++
          throw Object.assign(new Error('Deadlock found'), { code: '40P01', errno: 1213, sqlState: '40001' })
        }
        const rejected = expect(new Store({ query, timeout: 40 }).reserve('42', 'nonce', 600)).rejects.toThrow()
        await vi.advanceTimersByTimeAsync(200)
        await rejected
        expect(calls).toBe(attempts)
      } finally {
        vi.restoreAllMocks()
        vi.useRealTimers()
      }
    },
  )

  it('is not tried again after the timeout, because the caller already has an error', async () => {
    const { times, query } = undoing()
    await expect(new Store({ query, timeout: 40 }).reserve('42', 'nonce', 600)).rejects.toThrow()
    await sleep(150)
    // An attempt that was due just before the timeout may begin a little late.
    expect(Number(times.at(-1)) - Number(times[0])).toBeLessThan(40 + 20)
  })
})
