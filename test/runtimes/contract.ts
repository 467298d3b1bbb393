import assert from 'node:assert/strict'
import type { SqliteDatabase } from '../../src/stores/sqlite.js'
import { TestClock } from '../support/request.js'
import type { Case, Core } from './case.js'

export type Testing = typeof import('../../src/testing/index.js')
export type Sqlite = typeof import('../../src/stores/sqlite.js')

/** The contract of a nonce store, on this runtime's clocks and timers. */
export function contract({ MemoryNonceStore }: Core, { nonceStoreContract }: Testing): Case[] {
  const store = new MemoryNonceStore()
  const clock = new TestClock()
  const storeOnClock = new MemoryNonceStore({ clock })
  const down = {
    reserve() {
      throw new Error('connection refused')
    },
  }
  const hanging = { reserve: () => new Promise<boolean>(() => {}) }
  return [
    ...nonceStoreContract(() => store, { createUnreachableStore: () => down }).map(({ name, run }) => ({
      name: `MemoryNonceStore ${name}`,
      run,
    })),
    {
      name: 'MemoryNonceStore passes on a clock that is moved',
      // One after the other, for each moves it.
      async run() {
        for (const { run } of nonceStoreContract(() => storeOnClock, { wait: moving(clock) })) await run()
      },
    },
    {
      name: 'a store that hangs does not pass',
      async run() {
        const cases = nonceStoreContract(() => store, { createUnreachableStore: () => hanging })
        await assert.rejects(async () => await cases.at(-1)?.run(), /does not answer within 4 s/)
      },
    },
  ]
}

/** The same for `SqliteNonceStore`, on the runtime's own SQLite. */
export function sqliteContract(
  { SqliteNonceStore }: Sqlite,
  { nonceStoreContract }: Testing,
  database: SqliteDatabase,
): Case[] {
  const clock = new TestClock()
  return [
    {
      name: 'SqliteNonceStore passes on a clock that is moved',
      async run() {
        const createStore = () => new SqliteNonceStore(database, { clock })
        for (const { run } of nonceStoreContract(createStore, { wait: moving(clock) })) await run()
      },
    },
  ]
}

function moving(clock: TestClock): (milliseconds: number) => void {
  return (milliseconds) => {
    clock.milliseconds += milliseconds
  }
}
