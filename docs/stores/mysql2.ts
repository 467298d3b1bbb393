import { connect, Socket } from 'node:net'
import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mysql from 'mysql2/promise'

const server = { host: 'db.example.com', port: 3306, user: 'hooks', database: 'hooks', connectTimeout: 1000 }
const pool = mysql.createPool({ ...server, stream: () => connect(server).setTimeout(1000, Socket.prototype.destroy) })
export const nonceStore = new MySqlNonceStore({ query: (sql, values) => pool.query(sql, values) })
await nonceStore.createTable()
await nonceStore.check()
