import { type ConnectedNonceStore, connectSettings, createClient } from '../connect/connected.js'
import { type ConnectRedisOptions, connectRedis, type RedisDriver } from './connect.js'

/**
 * The options that `create` passes to `createClient`, `createCluster` or `createSentinel`. Each function ignores the options of the other
 * functions.
 */
export type NodeRedisOptions = ReturnType<typeof clientOptions>

/**
 * A client of the package `redis`, version 5 or 6: a single server, a cluster, or a master behind Sentinel. Each kind has its own parameters
 * of `sendCommand`.
 */
export interface NodeRedisClient {
  on(event: 'error', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  destroy(): unknown
  sendCommand(...parameters: unknown[]): Promise<unknown>
  /** Only a cluster has this list of nodes. */
  readonly masters?: readonly object[]
  nodeClient?(node: object): NodeRedisClient | Promise<NodeRedisClient>
  /** Only Sentinel has this method. */
  getSentinelNode?(): unknown
}

const EXAMPLE = '(options) => createClient({ url, ...options })'

/**
 * Connects a {@link RedisNonceStore} with the package `redis`: to a single server, a cluster, or a master behind Sentinel.
 *
 * Resolves to the store, which checks every master twice per second, and replaces a client that does not respond.
 *
 * @param create - creates a client with the given options. The store calls `create` again when a client must be replaced.
 * @param options - `timeout` in milliseconds, `concurrency`, `keyPrefix` and `onError`.
 * @throws an error with `code` `ERR_NONCE_STORE` if the server cannot be used. The message says what to do.
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
  const settings = connectSettings(create, EXAMPLE, options, ['keyPrefix'])
  const driver: RedisDriver<NodeRedisClient> = {
    create(onClientError) {
      const methods = ['connect', 'sendCommand', 'destroy', 'on']
      const client = createClient(create, clientOptions(settings.timeout), methods, EXAMPLE)
      client.on('error', onClientError)
      return client
    },
    connect: (client) => client.connect(),
    send: sendTo,
    async masters(client) {
      const { masters, nodeClient } = client
      return masters && nodeClient ? Promise.all(masters.map((node) => nodeClient.call(client, node))) : [client]
    },
    close: (client) => client.destroy(),
  }
  return connectRedis(driver, settings)
}

/** Returns new options for each client, because a client may change its options. */
function clientOptions(timeout: number) {
  const socket = () => ({
    connectTimeout: timeout,
    // The maximum time that a connection is idle before it is closed. destroy() does not close a connection that is being opened, so this
    // limit closes it. A connection in use is never idle for this long, because checks and their responses come more often.
    socketTimeout: 1000 + 2 * timeout,
    // The client never connects again by itself, because the store replaces the client.
    reconnectStrategy: false as const,
  })
  // The client refuses commands while there is no connection.
  const node = () => ({ disableOfflineQueue: true as const, socket: socket() })
  return {
    ...node(),
    // For `createCluster`: the connection to each node.
    defaults: node(),
    // For `createSentinel`: the connection to the master.
    nodeClientOptions: node(),
    // For `createSentinel`: the connections to the sentinels. The limit is a quarter of the time-out, so that the client can skip a sentinel
    // that hangs. The sentinel in use is never idle for this long, because it responds to pings.
    sentinelClientOptions: { pingInterval: timeout / 10, socket: { ...socket(), socketTimeout: timeout / 4 } },
    // For `createSentinel`: the client never sends a command again, because the store sends it again.
    maxCommandRediscovers: 0,
  }
}

function sendTo(client: NodeRedisClient, args: string[]): Promise<unknown> {
  // For a cluster, the first parameter is the first key. For a cluster and for Sentinel, `false` means that the command also writes.
  const parameters = client.masters ? [args[3], false, args] : client.getSentinelNode ? [false, args] : [args]
  return Reflect.apply(client.sendCommand, client, parameters)
}
