import { connectIoredis } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const url = 'redis://cache.example.com:6379'
export const nonceStore = await connectIoredis((options) => new Redis(url, options))
