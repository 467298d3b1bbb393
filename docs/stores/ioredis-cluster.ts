import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const client = new Redis.Cluster(['redis://node-1.example.com:6379']).on('error', console.error)
export const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => client.call(name, ...args) })
