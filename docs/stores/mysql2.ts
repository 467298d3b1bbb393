import { connectMysql2 } from 'inbound-webhook-auth/mysql'
import mysql from 'mysql2/promise'

const uri = 'mysql://hooks@db.example.com/hooks'
export const nonceStore = await connectMysql2((options) => mysql.createPool({ uri, ...options }))
