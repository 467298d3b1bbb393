import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createCluster } from 'redis'
import { keepRedis } from './keep-redis.js'

/**
 * @param {string[]} urls
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 */
export async function connect(urls, timeout = 1000) {
  const redis = await keepRedis(
    {
      create() {
        const socket = { connectTimeout: timeout, reconnectStrategy: /** @type {const} */ (false) }
        const rootNodes = urls.map((url) => ({ url }))
        return createCluster({ rootNodes, defaults: { disableOfflineQueue: true, socket } }).on('error', console.error)
      },
      infos: (cluster) => Promise.all(cluster.masters.map(async (node) => (await cluster.nodeClient(node)).info())),
      close: (cluster) => cluster.destroy(),
    },
    timeout,
  )
  /** @param {string[]} args */
  const sendCommand = (args) => redis.send((cluster) => cluster.sendCommand(args[3], false, args))
  return { nonceStore: new RedisNonceStore({ sendCommand, timeout }), close: redis.close }
}
