import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Cluster } from 'ioredis'
import { refuseEviction } from './eviction.js'

/**
 * @param {string[]} urls
 * @param {number} [timeout] - how long a command may take, in milliseconds.
 */
export async function connect(urls, timeout = 1000) {
  const cluster = new Cluster(urls, {
    lazyConnect: true,
    enableOfflineQueue: false,
    redisOptions: { commandTimeout: timeout, connectTimeout: timeout, maxRetriesPerRequest: 1 },
  })
  cluster.on('error', console.error)
  await cluster.connect()
  refuseEviction(await cluster.info('memory'))
  const nonceStore = new RedisNonceStore({
    timeout,
    sendCommand: ([name = '', ...args]) => cluster.call(name, ...args),
  })
  return { client: cluster, nonceStore, close: () => cluster.disconnect() }
}
