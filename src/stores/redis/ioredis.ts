import { type ConnectedNonceStore, connectSettings, createClient } from '../connect/connected.js'
import { type ConnectRedisOptions, connectRedis, type RedisDriver } from './connect.js'

/** The options that `create` passes to `new Redis` or `new Redis.Cluster`. Each class ignores the options of the other class. */
export type IoredisOptions = ReturnType<typeof clientOptions>

/** A client of the package `ioredis`, version 5 or 6: a single server, a cluster, or a master behind Sentinel. */
export interface IoredisClient {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  disconnect(): void
  /** Returns the connections of a cluster. */
  nodes?(role: 'master'): readonly IoredisClient[]
}

const EXAMPLE = '(options) => new Redis(url, options)'

/**
 * Connects a {@link RedisNonceStore} with the package `ioredis`: to a single server, a cluster, or a master behind Sentinel.
 *
 * Resolves to the store, which checks every master twice per second, and replaces a client that does not respond.
 *
 * @param create - creates a client with the given options. The store calls `create` again when a client must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `keyPrefix` and `onError`.
 * @throws an error with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says what to do.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 * import { connectIoredis } from 'inbound-webhook-auth/redis'
 *
 * export const connect = (url: string) => connectIoredis((options) => new Redis(url, options))
 * ```
 */
export async function connectIoredis(
  create: (options: IoredisOptions) => IoredisClient,
  options: ConnectRedisOptions = {},
): Promise<ConnectedNonceStore> {
  const settings = connectSettings(create, EXAMPLE, options, ['keyPrefix'])
  const { timeout } = settings
  const driver: RedisDriver<IoredisClient> = {
    create(onClientError) {
      const client = createClient(create, clientOptions(timeout), ['connect', 'call', 'disconnect', 'on'], EXAMPLE)
      client.on('error', onClientError)
      return client
    },
    connect: (client) => client.connect(),
    send: (client, [command = '', ...args]) => client.call(command, ...args),
    masters: async (client) => client.nodes?.('master') ?? [client],
    close: (client) => client.disconnect(),
  }
  return connectRedis(driver, settings)
}

function clientOptions(timeout: number) {
  const node = {
    connectTimeout: timeout,
    // How long the client waits for a server that does not end its side of a connection, in milliseconds.
    disconnectTimeout: 100,
    // The client never sends a command again, because the store sends it again.
    maxRetriesPerRequest: 0,
  }
  // The client never connects again by itself, because the store replaces the client.
  const neverAgain = () => null
  return {
    ...node,
    // The client connects only when the store calls `connect`, and refuses commands while there is no connection.
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: neverAgain,
    // For Sentinel. The limit is a quarter of the time-out, so that the client can skip a sentinel that hangs.
    sentinelCommandTimeout: timeout / 4,
    sentinelRetryStrategy: neverAgain,
    // For Sentinel: the client leaves the old master as soon as a sentinel reports a new one. After a planned failover, the old master
    // accepts writes for up to 10 s, and all these writes are lost.
    failoverDetector: true,
    // For `Redis.Cluster`.
    clusterRetryStrategy: neverAgain,
    redisOptions: node,
  }
}
