// Handles one request over a transaction, says what it has done, and waits until it is killed.
// Arguments: the kind of the database, its address, the request as JSON, its secret, and the option workTimeout. Says "inserted", and after a line of input "accepted".
import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { handle } from '../../../dist/index.js'
import { beginMysql2, MySqlTransactionStore } from '../../../dist/mysql.js'
import { beginPg, PostgresTransactionStore } from '../../../dist/postgres.js'

const [kind, url = '', request = '{}', secret = '', milliseconds = '30000'] = process.argv.slice(2)
const workTimeout = Number(milliseconds)
const { headers, body } = JSON.parse(request)
const store =
  kind === 'PostgreSQL'
    ? new PostgresTransactionStore({
        begin: beginPg(new pg.Pool({ connectionString: url })),
        query: (/** @type {pg.PoolClient} */ client, text) => client.query(text),
        workTimeout,
      })
    : new MySqlTransactionStore({
        begin: beginMysql2(mysql.createPool(url)),
        query: (/** @type {mysql.PoolConnection} */ connection, text) => connection.query(text),
        workTimeout,
      })

await handle(
  { webhookId: '42', request: { headers, body: Buffer.from(body) } },
  secret,
  /** @type {PostgresTransactionStore<{ query(text: string): Promise<unknown> }>} */ (store),
  async (_, transaction) => {
    await transaction.query(`INSERT INTO events VALUES ('${randomUUID()}')`)
    console.log('inserted')
    await once(process.stdin, 'data')
  },
)
console.log('accepted')
setInterval(() => {}, 1000)
