import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const isReadOnly = ({ message }: Error) => message.startsWith('READONLY')
const limits = { connectTimeout: 1000, socketTimeout: 1000, maxRetriesPerRequest: 1, enableReadyCheck: false }
const options = { ...limits, retryStrategy: () => 100, reconnectOnError: isReadOnly }
const client = new Redis('redis://cache.example.com:6379', options).on('error', console.error)
export const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => client.call(name, ...args) })
await nonceStore.check()
