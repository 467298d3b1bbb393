import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
import mariadb from 'mariadb'

const pool = mariadb.createPool({ host: 'db.example.com', user: 'hooks', database: 'hooks' })
export const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values) })
await nonceStore.createTable()
