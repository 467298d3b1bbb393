import { connectIoredis } from 'inbound-webhook-auth/redis'
import { Redis } from 'ioredis'

const nodes = ['redis://node-1.example.com:6379', 'redis://node-2.example.com:6379']
export const nonceStore = await connectIoredis((options) => new Redis.Cluster(nodes, options))
