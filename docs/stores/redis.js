import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'
import { refuseEviction } from './eviction.js'

/** @param {string} url */
export async function connect(url) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 500,
    socket: {
      connectTimeout: 1000,
      socketTimeout: 1000,
      reconnectStrategy: (retries) => Math.min(50 * retries, 1000),
    },
  })
  client.on('error', console.error)
  await client.connect()
  refuseEviction(await client.info('memory'))
  const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })
  return { client, nonceStore, close: () => client.destroy() }
}
