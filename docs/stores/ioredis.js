import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'
import { refuseEviction } from './eviction.js'

/**
 * @param {string} url
 * @param {number} [timeout] - how long a command may take, in milliseconds.
 */
export async function connect(url, timeout = 1000) {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout: timeout,
    connectTimeout: timeout,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  })
  redis.on('error', console.error)
  await redis.connect()
  refuseEviction(await redis.info('memory'))
  const nonceStore = new RedisNonceStore({ timeout, sendCommand: ([name = '', ...args]) => redis.call(name, ...args) })
  return { client: redis, nonceStore, close: () => redis.disconnect() }
}
