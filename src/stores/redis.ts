export type { ConnectedNonceStore, ConnectOptions } from './connect/connected.js'
export {
  connectIoredis,
  type IoredisClient,
  type IoredisCluster,
  type IoredisOptions,
  type IoredisSingle,
} from './connect/ioredis.js'
export {
  connectNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisOptions,
  type NodeRedisSentinel,
  type NodeRedisSingle,
  type NodeRedisSocketOptions,
} from './connect/node-redis.js'
export type { ConnectRedisOptions } from './connect/redis.js'
export { RedisNonceStore, type RedisNonceStoreOptions } from './redis-nonce-store.js'
