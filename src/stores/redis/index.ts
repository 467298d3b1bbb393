export type { ConnectedNonceStore, ConnectOptions } from '../connect/connected.js'
export type { ConnectRedisOptions } from './connect.js'
export {
  connectIoredis,
  type IoredisClient,
  type IoredisCluster,
  type IoredisNode,
  type IoredisOptions,
  type IoredisSingle,
} from './ioredis.js'
export {
  connectNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisOptions,
  type NodeRedisSentinel,
  type NodeRedisSingle,
  type NodeRedisSocketOptions,
} from './node-redis.js'
export { RedisNonceStore, type RedisNonceStoreOptions } from './store.js'
