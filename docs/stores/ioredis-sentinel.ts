import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const sentinels = [{ host: 'sentinel-1.example.com', port: 26379 }]
const client = new Redis({ name: 'nonces', sentinels }).on('error', console.error)
export const nonceStore = new RedisNonceStore({ sendCommand: ([name = '', ...args]) => client.call(name, ...args) })
