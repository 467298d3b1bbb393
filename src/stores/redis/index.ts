export { RedisNonceStore, type RedisNonceStoreOptions } from './store.js'
