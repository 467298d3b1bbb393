import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const nodes = ['redis://node-1.example.com:6379', 'redis://node-2.example.com:6379']
const redisOptions = { connectTimeout: 1000, socketTimeout: 1000, maxRetriesPerRequest: 1, enableReadyCheck: false }
const client = new Redis.Cluster(nodes, { clusterRetryStrategy: () => 100, slotsRefreshTimeout: 1000, redisOptions })
client.on('error', console.error)
export const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => client.call(name, ...args) })
await nonceStore.check()
