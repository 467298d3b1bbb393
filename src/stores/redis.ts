import { randomUUID } from 'node:crypto'
import { assertOptions, invalidType, kindOf } from '../errors.js'
import { engineTtlMilliseconds, scopedKey } from './keys.js'
import type { NonceStore } from './nonce-store.js'

/** What {@link RedisNonceStore} needs: one function, which any client offers in one line. */
export interface RedisNonceStoreOptions {
  /**
   * Sends one command, name first, and gives its reply; rejects when there is none. The key is `args[1]`.
   *
   * Set the client up to give up within a second or so (see the guide): `verify` waits for as long as the client does.
   */
  sendCommand: (args: string[]) => Promise<unknown>
  /**
   * What every key starts with; `webhook-nonce:` by default. In a cluster, a hash tag (`{…}`) in it puts all keys in one
   * slot.
   */
  keyPrefix?: string | undefined
}

/** A random UUID. */
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A nonce store in Redis 7 or later, Valkey, or a cluster of either, through any client.
 *
 * A reservation is one command, `SET key token NX GET PX milliseconds`, which is atomic and touches a single key. The token
 * is random for each: a client that lost the reply and sends the command again finds its own token, and so a first
 * request is not taken for a replay. In a cluster, the keys of one webhook spread over all nodes.
 *
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for an option that is not as described.
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

  constructor(options: RedisNonceStoreOptions) {
    assertOptions(options)
    const { sendCommand, keyPrefix = 'webhook-nonce:' } = options
    if (typeof sendCommand !== 'function') {
      throw invalidType(
        `sendCommand is ${kindOf(sendCommand)}: pass a function, such as (args) => client.sendCommand(args)`,
      )
    }
    if (typeof keyPrefix !== 'string') throw invalidType(`keyPrefix is ${kindOf(keyPrefix)}: pass a string`)
    this.#sendCommand = sendCommand
    this.#keyPrefix = keyPrefix
  }

  /** Takes `key` on one webhook for `ttlSeconds`, if it is free. Rejects with whatever the client rejects with. */
  async reserve(webhookId: string, key: string, ttlSeconds: number): Promise<boolean> {
    // An empty hash tag makes Redis Cluster hash the whole key, whatever {…} a sender writes behind it.
    const redisKey = `${this.#keyPrefix}{}${scopedKey(webhookId, key)}`
    const token = randomUUID()
    const milliseconds = String(engineTtlMilliseconds(ttlSeconds))

    const reply = await this.#sendCommand(['SET', redisKey, token, 'NX', 'GET', 'PX', milliseconds])

    if (reply === null || reply === token) return true
    if (typeof reply === 'string' && TOKEN.test(reply)) return false
    throw new Error(
      `Redis replied ${kindOf(reply)} that is neither nil nor a reservation: let sendCommand resolve to the reply of ` +
        `SET … NX GET, undecoded but for strings, and let nothing else write keys that start with the prefix`,
    )
  }
}
