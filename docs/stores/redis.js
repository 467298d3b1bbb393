import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'
import { refuseEviction } from './eviction.js'

/**
 * @param {string} url
 * @param {number} [timeout] - how long a command may take, in milliseconds.
 */
export async function connect(url, timeout = 1000) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 500,
    socket: {
      connectTimeout: timeout,
      socketTimeout: timeout,
      reconnectStrategy: (retries) => Math.min(50 * retries, 1000),
    },
  })
  client.on('error', console.error)
  await client.connect()
  refuseEviction(await client.info('memory'))
  const nonceStore = new RedisNonceStore({ timeout, sendCommand: (args) => client.sendCommand(args) })
  return { client, nonceStore, close: () => client.destroy() }
}
