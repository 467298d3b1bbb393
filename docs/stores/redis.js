import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'
import { keepRedis } from './keep-redis.js'

/**
 * @param {string} url
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 */
export async function connect(url, timeout = 1000) {
  const redis = await keepRedis(
    {
      create() {
        const socket = { connectTimeout: timeout, reconnectStrategy: /** @type {const} */ (false) }
        return createClient({ url, disableOfflineQueue: true, socket }).on('error', console.error)
      },
      infos: async (client) => [await client.info()],
      close: (client) => client.destroy(),
    },
    timeout,
  )
  const sendCommand = (/** @type {string[]} */ args) => redis.send((client) => client.sendCommand(args))
  return { nonceStore: new RedisNonceStore({ sendCommand, timeout }), close: redis.close }
}
