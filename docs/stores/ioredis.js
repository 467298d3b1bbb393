import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

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
  const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => redis.call(name, ...args) })
  return { nonceStore, close: () => redis.disconnect() }
}
