import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createSentinel } from 'redis'
import { keepRedis } from './keep-redis.js'

/**
 * @param {{ name: string, sentinels: { host: string, port: number }[] }} master
 * @param {number} [timeout] - how long a reservation may take, in milliseconds.
 */
export async function connect({ name, sentinels }, timeout = 1000) {
  const redis = await keepRedis(
    {
      create() {
        const socket = { connectTimeout: timeout, reconnectStrategy: /** @type {const} */ (false) }
        const nodeClientOptions = { disableOfflineQueue: true, socket }
        const options = { name, sentinelRootNodes: sentinels, nodeClientOptions, sentinelClientOptions: { socket } }
        return createSentinel(options).on('error', console.error)
      },
      infos: async (sentinel) => [await sentinel.sendCommand(false, ['INFO'])],
      close: (sentinel) => void sentinel.destroy().catch(() => {}),
    },
    timeout,
  )
  /** @param {string[]} args */
  const sendCommand = (args) => redis.send((sentinel) => sentinel.sendCommand(false, args))
  return { nonceStore: new RedisNonceStore({ sendCommand, timeout }), close: redis.close }
}
