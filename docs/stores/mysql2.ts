import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mysql from 'mysql2/promise'

const pool = mysql.createPool({ uri: 'mysql://hooks@db.example.com/hooks' })
export const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values) })
await nonceStore.createTable()
