import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'
import { refuseEviction } from './eviction.js'

/** @param {string} url */
export async function connect(url) {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: 1000,
    connectTimeout: 1000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  })
  redis.on('error', console.error)
  await redis.connect()
  refuseEviction(await redis.info('memory'))
  const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => redis.call(name, ...args) })
  return { client: redis, nonceStore, close: () => redis.disconnect() }
}
