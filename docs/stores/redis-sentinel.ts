import { connectNodeRedis } from 'inbound-webhook-auth/redis'
import { createSentinel } from 'redis'

const master = { name: 'nonces', sentinelRootNodes: [{ host: 'sentinel-1.example.com', port: 26379 }] }
export const nonceStore = await connectNodeRedis((options) => createSentinel({ ...master, ...options }))
