import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Cluster } from 'ioredis'
import { keepRedis } from './keep-redis.js'

/**
 * @param {string[]} urls
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 */
export async function connect(urls, timeout = 1000) {
  const redis = await keepRedis(
    {
      create() {
        const redisOptions = { connectTimeout: timeout, maxRetriesPerRequest: 0 }
        const options = { lazyConnect: true, enableOfflineQueue: false, clusterRetryStrategy: () => null, redisOptions }
        return new Cluster(urls, options).on('error', console.error)
      },
      infos: (cluster) => Promise.all(cluster.nodes('master').map((node) => node.info())),
      close: (cluster) => cluster.disconnect(),
    },
    timeout,
  )
  /** @param {string[]} command */
  const sendCommand = ([name = '', ...args]) => redis.send((cluster) => cluster.call(name, ...args))
  return { nonceStore: new RedisNonceStore({ sendCommand, timeout }), close: redis.close }
}
