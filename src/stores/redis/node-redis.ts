import { type ConnectedNonceStore, createClient } from '../connect/connected.js'
import { type ConnectRedisOptions, connectRedis, type RedisDriver, redisSettings } from './connect.js'

/** The options of each connection. All times are in milliseconds. */
export interface NodeRedisSocketOptions {
  connectTimeout: number
  /** How long a connection may be idle before it is closed. */
  socketTimeout: number
  /** Never connects again by itself, because the store replaces the client. */
  reconnectStrategy: false
}

interface NodeRedisNodeOptions {
  socket: NodeRedisSocketOptions
  /** Refuses commands while there is no connection. */
  disableOfflineQueue: true
}

/**
 * The options that `create` passes to `createClient`, `createCluster` or `createSentinel`. Each function ignores the options of the other
 * functions.
 */
export interface NodeRedisOptions extends NodeRedisNodeOptions {
  /** For `createCluster`: the options of the connection to each node. */
  defaults: NodeRedisNodeOptions
  /** For `createSentinel`: the connection to the master. */
  nodeClientOptions: NodeRedisNodeOptions
  /** For `createSentinel`: the connections to the sentinels. */
  sentinelClientOptions: { pingInterval: number; socket: NodeRedisSocketOptions }
  /** For `createSentinel`: never sends a command again, because the store does so. */
  maxCommandRediscovers: 0
}

interface Connectable {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  destroy(): unknown
}

/** A client that `createClient` of the package `redis` returns. */
export interface NodeRedisSingle extends Connectable {
  sendCommand(args: string[]): Promise<unknown>
}

/** A cluster that `createCluster` of the package `redis` returns. */
export interface NodeRedisCluster extends Connectable {
  readonly masters: readonly object[]
  nodeClient(node: object): NodeRedisSingle | Promise<NodeRedisSingle>
  sendCommand(firstKey: string | undefined, isReadonly: boolean | undefined, args: string[]): Promise<unknown>
}

/** A client that `createSentinel` of the package `redis` returns. */
export interface NodeRedisSentinel extends Connectable {
  getSentinelNode(): unknown
  sendCommand(isReadonly: boolean | undefined, args: string[]): Promise<unknown>
}

/** A client of the package `redis`, version 5 or 6: a single server, a cluster, or Sentinel. */
export type NodeRedisClient = NodeRedisSingle | NodeRedisCluster | NodeRedisSentinel

const EXAMPLE = '(options) => createClient({ url, ...options })'

/**
 * Connects a {@link RedisNonceStore} with the package `redis`: to a single server, a cluster, or a master behind Sentinel.
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
 * import { createClient } from 'redis'
 * import { connectNodeRedis } from 'inbound-webhook-auth/redis'
 *
 * export const connect = (url: string) => connectNodeRedis((options) => createClient({ url, ...options }))
 * ```
 */
export async function connectNodeRedis(
  create: (options: NodeRedisOptions) => NodeRedisClient,
  options: ConnectRedisOptions = {},
): Promise<ConnectedNonceStore> {
  const settings = redisSettings(create, EXAMPLE, options)
  const driver: RedisDriver<NodeRedisClient, NodeRedisSingle | NodeRedisSentinel> = {
    create(onClientError) {
      const methods = ['connect', 'sendCommand', 'destroy', 'on']
      const client = createClient(create, clientOptions(settings.timeout), methods, EXAMPLE)
      client.on('error', onClientError)
      return client
    },
    connect: (client) => client.connect(),
    send: sendTo,
    async masters(client) {
      return isCluster(client) ? Promise.all(client.masters.map((node) => client.nodeClient(node))) : [client]
    },
    info: (connection) => sendTo(connection, ['INFO']),
    close: (client) => client.destroy(),
  }
  return connectRedis(driver, settings)
}

/** Returns new options for each client, because a client may change its options. */
function clientOptions(timeout: number): NodeRedisOptions {
  const socket = () => ({
    connectTimeout: timeout,
    // destroy() forgets a connection that is being opened, so that connection ends after this idle time. A connection in use is never
    // idle for this long, because checks and their responses come more often.
    socketTimeout: 1000 + 2 * timeout,
    reconnectStrategy: false as const,
  })
  const node = () => ({ disableOfflineQueue: true as const, socket: socket() })
  // The limit is a quarter of the time-out, so that the client can skip a sentinel that hangs. The sentinel in use is never idle for
  // this long, because it responds to pings.
  const sentinel = { ...socket(), socketTimeout: timeout / 4 }
  return {
    ...node(),
    defaults: node(),
    nodeClientOptions: node(),
    sentinelClientOptions: { pingInterval: timeout / 10, socket: sentinel },
    maxCommandRediscovers: 0,
  }
}

function isCluster(client: NodeRedisClient): client is NodeRedisCluster {
  return 'masters' in client
}

function isSentinel(client: object): client is NodeRedisSentinel {
  return 'getSentinelNode' in client
}

function sendTo(client: NodeRedisClient, args: string[]): Promise<unknown> {
  if (isCluster(client)) return client.sendCommand(args[3], false, args)
  if (isSentinel(client)) return client.sendCommand(false, args)
  return client.sendCommand(args)
}
