import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mariadb from 'mariadb'

const server = { host: 'db.example.com', port: 3306, user: 'hooks', database: 'hooks' }
const initSql = 'SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1'
const pool = mariadb.createPool({ ...server, connectTimeout: 1000, acquireTimeout: 1000, socketTimeout: 1000, initSql })
export const nonceStore = new MySqlNonceStore({ query: (sql, values) => pool.query(sql, values) })
await nonceStore.createTable()
await nonceStore.check()
