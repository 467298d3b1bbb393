import { connectNodeRedis } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const url = 'redis://cache.example.com:6379'
export const nonceStore = await connectNodeRedis((options) => createClient({ url, ...options }))
