import assert from 'node:assert/strict'
import { TestClock } from '../../support/request.js'
import type { Case, Core } from './case.js'

export type Testing = typeof import('../../../src/testing/index.js')
export type Sqlite = typeof import('../../../src/stores/sqlite.js')

/** The contract of a nonce store, with the clocks and timers of this runtime. */
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
      name: 'MemoryNonceStore passes with a clock that the test moves',
      // One after the other, because each case moves the clock.
      async run() {
        for (const { run } of nonceStoreContract(() => storeOnClock, { wait: moving(clock) })) await run()
      },
    },
    {
      name: 'a store that hangs does not pass',
      async run() {
        const cases = nonceStoreContract(() => store, { createUnreachableStore: () => hanging })
        const tested = cases.filter(({ isSkipped }) => !isSkipped)
        await assert.rejects(async () => await tested.at(-1)?.run(), /does not return within 4 s/)
      },
    },
  ]
}

/** The same for `SqliteNonceStore`, with the SQLite of the runtime. */
export function sqliteContract(
  { SqliteNonceStore }: Sqlite,
  { nonceStoreContract }: Testing,
  database: ConstructorParameters<typeof SqliteNonceStore>[0],
): Case[] {
  const clock = new TestClock()
  return [
    {
      name: 'SqliteNonceStore passes with a clock that the test moves',
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
