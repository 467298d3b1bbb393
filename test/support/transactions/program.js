// Handles one request over a transaction, says what it has done, and waits until it is killed.
// Arguments: the kind of the database, its address, and the request as JSON. Says "inserted", and after a line of input "accepted".
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { handle } from '../../../dist/index.js'
import { beginMysql2, MySqlTransactionStore } from '../../../dist/mysql.js'
import { beginPg, PostgresTransactionStore } from '../../../dist/postgres.js'

const [kind, url = '', request = '{}', secret = ''] = process.argv.slice(2)
const { headers, body } = JSON.parse(request)
const store =
  kind === 'PostgreSQL'
    ? new PostgresTransactionStore({
        begin: beginPg(new pg.Pool({ connectionString: url })),
        query: (/** @type {pg.PoolClient} */ client, text) => client.query(text),
      })
    : new MySqlTransactionStore({
        begin: beginMysql2(mysql.createPool(url)),
        query: (/** @type {mysql.PoolConnection} */ connection, text) => connection.query(text),
      })

await handle(
  { webhookId: '42', request: { headers, body: Buffer.from(body) } },
  secret,
  /** @type {PostgresTransactionStore<{ query(text: string): Promise<unknown> }>} */ (store),
  async (_, transaction) => {
    await transaction.query("INSERT INTO events VALUES ('of the program')")
    console.log('inserted')
    await once(process.stdin, 'data')
  },
)
console.log('accepted')
setInterval(() => {}, 1000)
