import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createCluster } from 'redis'
import { refuseEviction } from './eviction.js'

/**
 * @param {string[]} urls
 * @param {number} [timeout] - how long a command may take, in milliseconds.
 */
export async function connect(urls, timeout = 1000) {
  const cluster = createCluster({
    rootNodes: urls.map((url) => ({ url })),
    defaults: {
      disableOfflineQueue: true,
      pingInterval: 500,
      socket: {
        connectTimeout: timeout,
        socketTimeout: timeout,
        reconnectStrategy: (retries) => Math.min(50 * retries, 1000),
      },
    },
  })
  cluster.on('error', console.error)
  await cluster.connect()
  refuseEviction(await cluster.sendCommand(undefined, false, ['INFO', 'memory']))
  const nonceStore = new RedisNonceStore({ timeout, sendCommand: (args) => cluster.sendCommand(args[3], false, args) })
  return { client: cluster, nonceStore, close: () => cluster.destroy() }
}
