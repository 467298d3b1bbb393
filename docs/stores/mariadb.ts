import { connectMariadb } from 'inbound-webhook-auth/mysql'
import mariadb from 'mariadb'

const server = { host: 'db.example.com', user: 'hooks', database: 'hooks' }
export const nonceStore = await connectMariadb((options) => mariadb.createPool({ ...server, ...options }))
