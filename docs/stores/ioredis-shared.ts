import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const client = new Redis('redis://cache.example.com:6379') // The client of your service.
const limits = { connectTimeout: 1000, socketTimeout: 1000, maxRetriesPerRequest: 1, enableReadyCheck: false }
const reconnectOnError = ({ message }: Error) => message.startsWith('READONLY')
const second = client.duplicate({ ...limits, retryStrategy: () => 100, reconnectOnError }).on('error', console.error)
export const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => second.call(name, ...args) })
await nonceStore.check()
