import { connectIoredis } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const master = { name: 'nonces', sentinels: [{ host: 'sentinel-1.example.com', port: 26379 }] }
export const nonceStore = await connectIoredis((options) => new Redis({ ...master, ...options }))
