import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { SqliteNonceStore } from '../../../src/stores/sqlite.js'
import { isInstalled } from '../../support/programs.js'
import { temporaryFolder } from '../../support/servers.js'
import { sqliteOpener } from '../stores/sqlite-database.js'
import { type Row, testFaults } from './faults.js'

// sqlite.test.ts has the faults after which a process must be restarted, and a full disk.

const open = sqliteOpener()

/** A file with its table, and another connection than that of the store. */
function start(closers: (() => unknown)[]) {
  const folder = temporaryFolder()
  const address = join(folder, 'nonces.db')
  const database = open?.(address)
  new SqliteNonceStore(database)
  closers.push(
    () => rmSync(folder, { recursive: true }),
    () => database.close(),
  )
  return { address, database }
}

const ROWS: Row[] = [
  {
    fault: 'another process has locked the database',
    store: 'SQLite',
    kinds: ['sqlite'],
    async start(closers) {
      const { address, database } = start(closers)
      return { address, begin: () => database.exec('BEGIN IMMEDIATE'), end: () => database.exec('ROLLBACK') }
    },
  },
  {
    fault: 'the table is dropped and created again',
    store: 'SQLite',
    kinds: ['sqlite'],
    loses: 'everything',
    async start(closers) {
      const { address, database } = start(closers)
      const end = () => new SqliteNonceStore(database)
      return { address, begin: () => database.exec('DROP TABLE webhook_nonces'), end }
    },
  },
]

describe.runIf(isInstalled('better-sqlite3 or node:sqlite', open !== undefined))('the faults of the guide', () =>
  testFaults(ROWS),
)
