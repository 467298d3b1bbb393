import { connectNodeRedis } from 'inbound-webhook-auth/redis'
import { createCluster } from 'redis'

const rootNodes = [{ url: 'redis://node-1.example.com:6379' }, { url: 'redis://node-2.example.com:6379' }]
export const nonceStore = await connectNodeRedis((options) => createCluster({ rootNodes, ...options }))
