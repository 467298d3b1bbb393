import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

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
  const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })
  return { nonceStore, close: () => client.destroy() }
}
