import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const master = { name: 'nonces', sentinels: [{ host: 'sentinel-1.example.com', port: 26379 }] }
const limits = { connectTimeout: 1000, socketTimeout: 1000, maxRetriesPerRequest: 1, sentinelCommandTimeout: 250 }
const client = new Redis({ ...master, ...limits, failoverDetector: true, retryStrategy: () => 100 })
client.on('error', console.error)
export const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => client.call(name, ...args) })
await nonceStore.check()
