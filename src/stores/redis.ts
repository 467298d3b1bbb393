import { randomUUID } from 'node:crypto'
import { assertOptions, invalidType, kindOf } from '../errors.js'
import { engineTtlMilliseconds, scopedKey } from './keys.js'
import type { NonceStore } from './nonce-store.js'
import { assertTimeout, within } from './with-timeout.js'

/** Configures {@link RedisNonceStore}. It needs one function, which is one line with any client. */
export interface RedisNonceStoreOptions {
  /**
   * Sends one command and resolves to its reply. Rejects if there is no reply. `args[0]` is the command's name, `args[1]` is
   * the key.
   */
  sendCommand: (args: string[]) => Promise<unknown>
  /**
   * The start of every key, by default `webhook-nonce:`. In a cluster, a hash tag (`{…}`) in it puts all keys in one slot.
   */
  keyPrefix?: string | undefined
  /** How long a reservation may take, in milliseconds. By default 1000. After that it rejects, whatever the client does. */
  timeout?: number | undefined
}

/** The format of a reservation's value: a random UUID. */
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A nonce store in Redis 7 or later, Valkey, or a cluster of either. It works with any client.
 *
 * A reservation is one atomic command on one key: `SET key token NX GET PX milliseconds`. Each token is random. A client
 * that lost the reply and sends the command again finds its own token, so the request is not rejected as a replay. In a
 * cluster, the keys of one webhook are on all nodes.
 *
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import { createClient } from 'redis'
 * import { RedisNonceStore } from 'inbound-webhook-auth/redis'
 *
 * export async function connect(url: string): Promise<RedisNonceStore> {
 *   const client = createClient({ url, disableOfflineQueue: true })
 *   await client.on('error', console.error).connect()
 *   return new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })
 * }
 * ```
 */
export class RedisNonceStore implements NonceStore {
  readonly #sendCommand: (args: string[]) => Promise<unknown>
  readonly #keyPrefix: string
  readonly #timeout: number

  constructor(options: RedisNonceStoreOptions) {
    assertOptions(options)
    const { sendCommand, keyPrefix = 'webhook-nonce:', timeout = 1000 } = options
    if (typeof sendCommand !== 'function') {
      throw invalidType(
        `sendCommand is ${kindOf(sendCommand)}. Pass a function, such as (args) => client.sendCommand(args).`,
      )
    }
    if (typeof keyPrefix !== 'string') throw invalidType(`keyPrefix is ${kindOf(keyPrefix)}. Pass a string.`)
    assertTimeout(timeout)
    this.#sendCommand = sendCommand
    this.#keyPrefix = keyPrefix
    this.#timeout = timeout
  }

  /** Reserves `key` for `webhookId` for `ttlSeconds`. Rejects if the client rejects, or after `timeout`. */
  async reserve(webhookId: string, key: string, ttlSeconds: number): Promise<boolean> {
    // With an empty hash tag in front, Redis Cluster ignores a {…} that a sender writes, and hashes the whole key.
    const redisKey = `${this.#keyPrefix}{}${scopedKey(webhookId, key)}`
    const token = randomUUID()
    const milliseconds = String(engineTtlMilliseconds(ttlSeconds))

    const reply = await within(
      this.#timeout,
      this.#sendCommand(['SET', redisKey, token, 'NX', 'GET', 'PX', milliseconds]),
    )

    if (reply === null || reply === token) return true
    if (typeof reply === 'string' && TOKEN.test(reply)) return false
    throw new Error(
      `Redis replied ${kindOf(reply)}, not nil or a reservation. Make sendCommand resolve to the reply of SET … NX GET, with ` +
        'strings decoded. Let no other program write keys with this prefix.',
    )
  }
}
