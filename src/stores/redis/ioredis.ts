import { type ConnectedNonceStore, connectOptionsOf, createClient } from '../connect/connected.js'
import { type ConnectRedisOptions, connectRedis, type RedisDriver } from './connect.js'

/** What `create` passes to `new Redis` or `new Redis.Cluster`. Each reads the options that it knows. */
export interface IoredisOptions {
  lazyConnect: true
  enableOfflineQueue: false
  connectTimeout: number
  disconnectTimeout: number
  maxRetriesPerRequest: 0
  /** Never connects again by itself, because the store replaces the client. */
  retryStrategy: () => null
  /** For Sentinel. */
  sentinelCommandTimeout: number
  /** For Sentinel. */
  sentinelRetryStrategy: () => null
  /** For Sentinel: whether the client leaves the old master as soon as a sentinel reports a new one. */
  failoverDetector: true
  /** For `Redis.Cluster`. */
  clusterRetryStrategy: () => null
  /** For `Redis.Cluster`: its nodes. */
  redisOptions: { connectTimeout: number; disconnectTimeout: number; maxRetriesPerRequest: 0 }
}

/** A client that `new Redis` of the package `ioredis` returns: for a single server, or for a master behind Sentinel. */
export interface IoredisSingle {
  /** Listens for errors of the connection. */
  on(event: 'error', listener: (error: unknown) => void): unknown
  /** Connects. */
  connect(): Promise<unknown>
  /** Sends a command. */
  call(command: string, ...args: string[]): Promise<unknown>
  /** Ends all connections at once. */
  disconnect(): void
}

/** A cluster that `new Redis.Cluster` of the package `ioredis` returns. */
export interface IoredisCluster extends IoredisSingle {
  /** Returns the masters. */
  nodes(role: 'master'): readonly IoredisSingle[]
}

/** A client of the package `ioredis`, version 5 or 6: a single server, a cluster, or Sentinel. */
export type IoredisClient = IoredisSingle | IoredisCluster

const EXAMPLE = '(options) => new Redis(url, options)'

/**
 * Connects a {@link RedisNonceStore} with the package `ioredis`: to a single server, a cluster, or a master behind Sentinel.
 *
 * The store checks every master twice per second, and replaces a client that does not answer.
 *
 * @param create - creates a client with the options that it gets. It is called again when a client must be replaced.
 * @param options - `timeout` in milliseconds, `keyPrefix` and `onError`.
 * @throws `NonceStoreError` with `code` `ERR_NONCE_STORE` if the server cannot be used. Its message says why, and its `cause` is
 * the error of the client.
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
  const { timeout, onError } = connectOptionsOf(create, EXAMPLE, options, ['keyPrefix'])
  const driver: RedisDriver<IoredisClient> = {
    create(onClientError) {
      const client = createClient(create, clientOptions(timeout), ['connect', 'call', 'disconnect', 'on'], EXAMPLE)
      client.on('error', onClientError)
      return client
    },
    connect: (client) => client.connect(),
    send: (client, [command = '', ...args]) => client.call(command, ...args),
    async infos(client) {
      const masters = 'nodes' in client ? client.nodes('master') : [client]
      return Promise.all(masters.map((master) => master.call('INFO')))
    },
    async close(client) {
      client.disconnect()
    },
  }
  return connectRedis(driver, timeout, onError, options.keyPrefix)
}

function clientOptions(timeout: number): IoredisOptions {
  const node = {
    connectTimeout: timeout,
    // A server that hangs never ends its side of a connection, so the client waits only for this time, in milliseconds.
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0 as const,
  }
  return {
    ...node,
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: () => null,
    // A sentinel that hangs is skipped within the deadline.
    sentinelCommandTimeout: timeout / 4,
    sentinelRetryStrategy: () => null,
    // After a planned failover, the old master accepts writes for up to 10 s, and all of them are lost.
    failoverDetector: true,
    clusterRetryStrategy: () => null,
    redisOptions: node,
  }
}
