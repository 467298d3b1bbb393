import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mysql from 'mysql2/promise'

const pool = mysql.createPool({ uri: 'mysql://hooks@db.example.com/hooks' }) // The pool of your service.
export const nonceStore = new MySqlNonceStore({ query: (sql, values) => pool.query({ sql, values, timeout: 1000 }) })
await nonceStore.createTable()
await nonceStore.check()
