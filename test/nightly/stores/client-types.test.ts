import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../support/packed.js'
import { BUILD } from '../packages/packages.js'
import { generatePrismaClient } from './transaction-clients.js'

// The table of clients in docs/operate/transactions.md compiles as it stands, with the types of the clients.

/** What each row of the table needs around it. */
const AROUND: Readonly<Record<string, string>> = {
  pg: `import { Pool, type PoolClient } from 'pg'
    const pool = new Pool()`,
  mysql2: `import { createPool, type PoolConnection } from 'mysql2/promise'
    const pool = createPool('mysql://127.0.0.1/hooks')`,
  'postgres.js': `import postgres, { type TransactionSql } from 'postgres'
    const sql = postgres()`,
  Drizzle: `import { sql } from 'drizzle-orm'
    import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
    import { drizzle } from 'drizzle-orm/node-postgres'
    const db = drizzle('postgres://127.0.0.1')`,
  Kysely: `import { type Kysely, sql, type Transaction } from 'kysely'
    interface DB { events: { id: string } }
    declare const db: Kysely<DB>`,
  Knex: `import createKnex, { type Knex } from 'knex'
    const knex = createKnex({ client: 'pg' })`,
  Prisma: `import { Prisma, type PrismaClient } from 'PRISMA'
    declare const prisma: PrismaClient`,
  TypeORM: `import type { DataSource, EntityManager } from 'typeorm'
    declare const dataSource: DataSource`,
  Sequelize: `import type { Sequelize, Transaction } from 'sequelize'
    declare const sequelize: Sequelize`,
}

const page = readFileSync(join(ROOT, 'docs/operate/transactions.md'), 'utf8')
const table = page.slice(page.indexOf('| client | type |')).split('\n\n')[0] ?? ''
const rows = table
  .split('\n')
  .slice(2)
  .map((line) => [...line.matchAll(/\| (?:`([^`]+)`|([^|`]+)) (?=\|)/g)].map(([, code, text]) => String(code ?? text)))

function source([client = '', type = '', begin = '', query = '']: readonly string[]): string {
  const database = client === 'mysql2' ? 'mysql' : 'postgres'
  const Store = client === 'mysql2' ? 'MySqlTransactionStore' : 'PostgresTransactionStore'
  return `import { handle } from 'inbound-webhook-auth'
    import { ${client === 'mysql2' ? 'beginMysql2' : 'beginPg'}, ${Store} } from 'inbound-webhook-auth/${database}'
    ${AROUND[client]}
    const store = new ${Store}<${type}>({ begin: ${begin}, query: ${query}, workTimeout: 1000 })
    const source = { webhookId: '42', request: new Request('http://localhost'), eventId: () => 1 }
    export const result: Promise<number | undefined> = handle(source, 'secret', store, async (_, t, signal) => {
      const transaction: ${type} = t
      return [transaction, signal.aborted].length
    })
    void [${client === 'mysql2' ? 'beginMysql2' : 'beginPg'}]
  `
}

it.each(['typescript', 'typescript-7'])('each row of the table of clients compiles with %s', (compiler) => {
  expect(rows.map(([client]) => client)).toEqual(Object.keys(AROUND))
  const prisma = generatePrismaClient()
  const folder = join(BUILD, 'client-types')
  mkdirSync(folder, { recursive: true })
  for (const row of rows) {
    const text = source(row).replace('PRISMA', prisma)
    writeFileSync(join(folder, `${row[0]?.replace('.', '-')}.mts`), text)
  }
  const paths = Object.fromEntries(
    ['', '/postgres', '/mysql'].map((entry) => [
      `inbound-webhook-auth${entry}`,
      [join(ROOT, `dist${entry === '' ? '/index' : entry}.d.ts`)],
    ]),
  )
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    esModuleInterop: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
  const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc')
  expect(spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout).toBe('')
})
