import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Replicas, slotOf } from '../../../src/stores/redis/replicas.js'

// Tests with real servers and clients: test/integration/redis-replicas-faults.test.ts.

/** Returns what INFO says of a master whose replicas have these lags, in seconds. */
function info(lags: readonly number[], runId = 'a') {
  const lines = lags.map((lag, index) => `slave${index}:ip=127.0.0.1,port=7000,state=online,offset=14,lag=${lag}\r\n`)
  return `run_id:${runId}\r\nrole:master\r\nconnected_slaves:${lags.length}\r\n${lines.join('')}`
}

/** A connection, and what was sent on it. */
function open(minimum: number, ...counts: unknown[]) {
  const sent: string[][] = []
  let whenAnswered = Promise.resolve()
  const replicas = new Replicas<object>(minimum, 499.5, async (_, commands) => {
    sent.push(commands.map((args) => args.join(' ')))
    await whenAnswered
    const count = counts.shift() ?? 1
    if (count === 'lost') throw new Error('Connection is closed.')
    return commands.map(([command, name]) => {
      if (command === 'WAIT') return count
      return name === 'fails' ? new Error('OOM') : `${name} token`
    })
  })
  const connection = {}
  return {
    sent,
    replicas,
    connection,
    reserve: (name = 'reserved') => replicas.reserve(connection, ['EVAL', name]),
    observe: (lags: readonly number[], runId?: string) => replicas.observe(connection, info(lags, runId)),
    /** Makes the server answer nothing until the returned function is called. */
    hang() {
      let answer = () => {}
      whenAnswered = new Promise((resolve) => {
        answer = resolve
      })
      return () => answer()
    },
  }
}

describe('a reservation', () => {
  it('is sent together with WAIT, and confirmed if enough replicas have it', async () => {
    const { sent, reserve } = open(2, 2, 3)
    expect(await reserve()).toBe('reserved token')
    expect(await reserve()).toBe('reserved token')
    expect(sent).toEqual([
      ['EVAL reserved', 'WAIT 2 500'],
      ['EVAL reserved', 'WAIT 2 500'],
    ])
  })

  it('is refused if fewer have it', async () => {
    const { reserve } = open(2, 1)
    await expect(reserve()).rejects.toMatchObject({ code: 'NOREPLICAS', message: expect.stringMatching(/^1 of 2 /) })
  })

  it('that is taken needs no replica', async () => {
    const { reserve } = open(1, 0)
    expect(await reserve('taken')).toBe('taken token')
  })

  it('fails alone if the server answers with an error, and all fail if WAIT does', async () => {
    const { reserve } = open(1, 1, new Error('UNBLOCKED'))
    const both = await Promise.allSettled([reserve('fails'), reserve()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    await expect(reserve()).rejects.toThrow('UNBLOCKED')
  })

  it.each([undefined, Number.NaN, 'OK'])('is refused if WAIT answers %s', async (count) => {
    const { replicas } = open(1)
    const strange = new Replicas<object>(1, 500, async () => ['reserved token', count])
    await expect(strange.reserve({}, ['EVAL'])).rejects.toThrow('replicas')
    expect(await replicas.reserve({}, ['EVAL', 'reserved'])).toBe('reserved token')
  })
})

describe('reservations', () => {
  it('share the WAIT of one round trip, in turns', async () => {
    const { sent, reserve, hang } = open(1)
    const answer = hang()
    const all = [reserve(), reserve()]
    await sleep(1)
    all.push(reserve(), reserve(), reserve())
    await sleep(1)
    expect(sent.map(({ length }) => length)).toEqual([3])
    answer()
    await Promise.all(all)
    expect(sent.map(({ length }) => length)).toEqual([3, 4])
  })

  it('fail with their connection, and the next ones are sent', async () => {
    const { reserve, hang } = open(1, 'lost')
    const answer = hang()
    const first = reserve()
    await sleep(1)
    const second = reserve()
    answer()
    await expect(first).rejects.toThrow('Connection is closed.')
    expect(await second).toBe('reserved token')
    expect(await reserve()).toBe('reserved token')
  })

  it('of two connections do not wait for each other', async () => {
    const { sent, replicas, reserve, hang } = open(1)
    const answer = hang()
    const both = [reserve(), replicas.reserve({}, ['EVAL', 'reserved'])]
    await sleep(1)
    expect(sent).toHaveLength(2)
    answer()
    await Promise.all(both)
  })
})

describe('the replicas of a master', () => {
  it('must all have a reservation, because any of them may become the master', async () => {
    const { sent, observe, reserve } = open(1, 3, 2)
    observe([0, 1, 1])
    expect(await reserve()).toBe('reserved token')
    expect(sent).toEqual([['EVAL reserved', 'WAIT 3 500']])
    await expect(reserve()).rejects.toThrow(/^2 of 3 /)
  })

  it('count for six checks after they are gone, and nothing is sent meanwhile', async () => {
    const { sent, observe, reserve } = open(1)
    observe([0, 0])
    for (let check = 0; check < 5; check++) {
      observe([0])
      await expect(reserve()).rejects.toThrow(/^1 of 2 /)
    }
    expect(sent).toEqual([])
    observe([0])
    expect(await reserve()).toBe('reserved token')
    expect(sent).toEqual([['EVAL reserved', 'WAIT 1 500']])
  })

  it('do not count if they lag, or are not in step', async () => {
    const { observe, replicas, connection, reserve } = open(1)
    observe([3])
    await expect(reserve()).rejects.toThrow(/^0 of 1 /)
    replicas.observe(connection, 'run_id:a\r\nslave0:ip=::1,port=7000,state=wait_bgsave,offset=0,lag=0\r\n')
    await expect(reserve()).rejects.toThrow(/^0 of 1 /)
    // Reports at 0.9 s and 2.1 s by the clock of the master, and the second one is on its way.
    observe([2])
    expect(await reserve()).toBe('reserved token')
  })

  it('of another master replace those of the old one at once', async () => {
    const { observe, reserve } = open(1)
    observe([0, 0])
    observe([0], 'b')
    expect(await reserve()).toBe('reserved token')
  })
})

describe('replicas are lost', () => {
  afterEach(() => vi.useRealTimers())

  it('if there were enough during the last 3 s', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { observe, replicas, connection } = open(1)
    observe([])
    expect(replicas.areLost(connection)).toBe(false)
    observe([0])
    expect(replicas.areLost(connection)).toBe(false)
    observe([])
    vi.advanceTimersByTime(2999)
    expect(replicas.areLost(connection)).toBe(true)
    vi.advanceTimersByTime(1)
    expect(replicas.areLost(connection)).toBe(false)
  })

  it('never without the option', () => {
    const { observe, replicas, connection } = open(0)
    observe([0])
    observe([])
    expect(replicas.areLost(connection)).toBe(false)
  })
})

describe('slotOf', () => {
  // From `CLUSTER KEYSLOT` of Redis 7. The first one is the check value of CRC16/XMODEM, 0x31C3.
  it.each([
    ['123456789', 12739],
    ['foo{bar}x', 5061],
    ['bar', 5061],
    ['foo{}{bar}', 8363],
    ['{user1000}.following', 3443],
  ])('%s', (key, slot) => {
    expect(slotOf(key)).toBe(slot)
  })
})
