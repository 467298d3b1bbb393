import { type ConnectedNonceStore, createClient } from '../connect/connected.js'
import { type ConnectRedisOptions, connectRedis, type RedisDriver, redisSettings } from './connect.js'

/** The options of each connection. All times are in milliseconds. */
interface IoredisNodeOptions {
  connectTimeout: number
  disconnectTimeout: number
  /** The client never sends a command again, because the store does so. */
  maxRetriesPerRequest: 0
}

/** The options that `create` passes to `new Redis` or `new Redis.Cluster`. Each class ignores the options of the other class. */
export interface IoredisOptions extends IoredisNodeOptions {
  /** Connects only when the store calls `connect`. */
  lazyConnect: true
  /** Refuses commands while there is no connection. */
  enableOfflineQueue: false
  /** Never connects again by itself, because the store replaces the client. */
  retryStrategy: () => null
  /** For Sentinel: how long a sentinel may take to respond. */
  sentinelCommandTimeout: number
  /** For Sentinel: never asks all sentinels again, because the store replaces the client. */
  sentinelRetryStrategy: () => null
  /** For Sentinel: the client leaves the old master as soon as a sentinel reports a new one. */
  failoverDetector: true
  /** For `Redis.Cluster`: never connects again by itself. */
  clusterRetryStrategy: () => null
  /** For `Redis.Cluster`: the options of the connection to each node. */
  redisOptions: IoredisNodeOptions
}

/** A client that `new Redis` of the package `ioredis` returns: for a single server, or for a master behind Sentinel. */
export interface IoredisSingle {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  disconnect(): void
}

/** A cluster that `new Redis.Cluster` of the package `ioredis` returns. */
export interface IoredisCluster extends IoredisSingle {
  nodes(role: 'master'): readonly IoredisSingle[]
}

/** A client of the package `ioredis`, version 5 or 6: a single server, a cluster, or Sentinel. */
export type IoredisClient = IoredisSingle | IoredisCluster

const EXAMPLE = '(options) => new Redis(url, options)'

/**
 * Connects a {@link RedisNonceStore} with the package `ioredis`: to a single server, a cluster, or a master behind Sentinel.
 *
 * Resolves to the store, which checks every master twice per second, and replaces a client that does not respond.
 *
 * @param create - creates a client with the given options. The store calls `create` again when a client must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `keyPrefix` and `onError`.
 * @throws `NonceStoreError` with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says why, and `cause` is
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
  const settings = redisSettings(create, EXAMPLE, options)
  const { timeout } = settings
  const driver: RedisDriver<IoredisClient, IoredisSingle> = {
    create(onClientError) {
      const client = createClient(create, clientOptions(timeout), ['connect', 'call', 'disconnect', 'on'], EXAMPLE)
      client.on('error', onClientError)
      return client
    },
    connect: (client) => client.connect(),
    send: (client, [command = '', ...args]) => client.call(command, ...args),
    masters: async (client) => ('nodes' in client ? client.nodes('master') : [client]),
    info: (connection) => connection.call('INFO'),
    close: (client) => client.disconnect(),
  }
  return connectRedis(driver, settings)
}

function clientOptions(timeout: number): IoredisOptions {
  const node = {
    connectTimeout: timeout,
    // How long the client waits for a server that does not end its side of a connection, in milliseconds.
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0 as const,
  }
  return {
    ...node,
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: () => null,
    // The limit is a quarter of the time-out, so that the client can skip a sentinel that hangs.
    sentinelCommandTimeout: timeout / 4,
    sentinelRetryStrategy: () => null,
    // After a planned failover, the old master accepts writes for up to 10 s, and all these writes are lost.
    failoverDetector: true,
    clusterRetryStrategy: () => null,
    redisOptions: node,
  }
}
