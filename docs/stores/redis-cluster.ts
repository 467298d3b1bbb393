import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createCluster } from 'redis'

const client = createCluster({ rootNodes: [{ url: 'redis://node-1.example.com:6379' }] })
await client.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args[3], false, args) })
