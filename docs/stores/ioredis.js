import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'
import { keepRedis } from './keep-redis.js'

/**
 * @param {string} url
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 */
export async function connect(url, timeout = 1000) {
  const redis = await keepRedis(
    {
      create() {
        const options = { lazyConnect: true, connectTimeout: timeout, enableOfflineQueue: false, retryStrategy: null }
        return new Redis(url, options).on('error', console.error)
      },
      infos: async (client) => [await client.info()],
      close: (client) => client.disconnect(),
    },
    timeout,
  )
  /** @param {string[]} command */
  const sendCommand = ([name = '', ...args]) => redis.send((client) => client.call(name, ...args))
  return { nonceStore: new RedisNonceStore({ sendCommand, timeout }), close: redis.close }
}
