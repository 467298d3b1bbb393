import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { beginMysql2 } from '../../src/stores/mysql/index.js'
import { beginPg } from '../../src/stores/postgres/index.js'
import { SimulatedTime } from '../support/simulated-time.js'

const time = new SimulatedTime()
beforeEach(() => time.start())
afterEach(() => time.stop())

const FAILURE = new Error('the work failed')
const hang = () => new Promise<never>(() => {})

/** A connection that records its calls. */
class Connection {
  readonly calls: string[] = []
  readonly listeners = new Set<unknown>()

  constructor(readonly answer: (text: string) => Promise<unknown> = async () => {}) {}

  query(text: string): Promise<unknown> {
    this.calls.push(text)
    return this.answer(text)
  }

  release(destroy?: boolean): void {
    this.calls.push(destroy === true ? 'end' : 'release')
  }

  destroy(): void {
    this.calls.push('end')
  }

  on(event: 'error'): void {
    this.listeners.add(event)
  }

  removeListener(event: 'error'): void {
    this.listeners.delete(event)
  }
}

const BEGINS = [
  ['beginPg', (connection: Connection) => beginPg({ connect: async () => connection })],
  ['beginMysql2', (connection: Connection) => beginMysql2({ getConnection: async () => connection })],
] as const

describe.each(BEGINS)('%s', (_, beginOn) => {
  it('commits, and returns the connection', async () => {
    const connection = new Connection()
    await beginOn(connection)(async (given) => {
      expect(given).toBe(connection)
      // The pool hears no errors while the connection is in use, and an error without a listener would end the process.
      expect([...connection.listeners]).toEqual(['error'])
      await given.query('INSERT')
    })
    expect(connection.calls).toEqual(['BEGIN', 'INSERT', 'COMMIT', 'release'])
    expect([connection.listeners.size, time.refs]).toEqual([0, 0])
  })

  it('rolls back if the function rejects, and rejects with the same error', async () => {
    const connection = new Connection()
    await expect(beginOn(connection)(() => Promise.reject(FAILURE))).rejects.toBe(FAILURE)
    expect(connection.calls).toEqual(['BEGIN', 'ROLLBACK', 'release'])
    expect([connection.listeners.size, time.refs]).toEqual([0, 0])
  })

  it('ends the connection if the rollback fails', async () => {
    const connection = new Connection(async (text) => {
      if (text === 'ROLLBACK') throw new Error('the connection is lost')
    })
    await expect(beginOn(connection)(() => Promise.reject(FAILURE))).rejects.toBe(FAILURE)
    expect(connection.calls).toEqual(['BEGIN', 'ROLLBACK', 'end'])
  })

  it.each([
    ['fails', () => Promise.reject(new Error('the connection is lost'))],
    ['succeeds', async () => {}],
  ])('hears the errors of the connection while a rollback %s, and after it has ended it', async (_, rollBack) => {
    const listening: [string, number][] = []
    const connection = new Connection(async (text) => {
      listening.push([text, connection.listeners.size])
      if (text === 'ROLLBACK') await rollBack()
    })
    for (const method of ['release', 'destroy'] as const) {
      const call = connection[method].bind(connection)
      connection[method] = (destroy?: boolean) => {
        listening.push([method, connection.listeners.size])
        call(destroy)
      }
    }
    await expect(beginOn(connection)(() => Promise.reject(FAILURE))).rejects.toBe(FAILURE)
    expect(listening.map(([, count]) => count)).toEqual([1, 1, 1])
    // A connection that was ended is not the pool's any more, and may report its end later.
    expect(connection.listeners.size).toBe(connection.calls.includes('end') ? 1 : 0)
  })

  it('ends the connection if the rollback has no response for 1000 ms', async () => {
    const connection = new Connection((text) => (text === 'ROLLBACK' ? hang() : Promise.resolve()))
    const refused = expect(beginOn(connection)(() => Promise.reject(FAILURE))).rejects.toBe(FAILURE)
    await time.pass(999)
    expect(connection.calls).toEqual(['BEGIN', 'ROLLBACK'])
    await time.pass(1)
    await refused
    expect(connection.calls).toEqual(['BEGIN', 'ROLLBACK', 'end'])
  })

  it.each(['BEGIN', 'COMMIT'])('rolls back if %s fails', async (failing) => {
    const connection = new Connection(async (text) => {
      if (text === failing) throw FAILURE
    })
    let runs = 0
    const begun = beginOn(connection)(async () => void runs++)
    await expect(begun).rejects.toBe(FAILURE)
    expect([runs, connection.calls.slice(-2)]).toEqual([failing === 'BEGIN' ? 0 : 1, ['ROLLBACK', 'release']])
  })
})
