import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createCluster } from 'redis'

const rootNodes = [{ url: 'redis://node-1.example.com:6379' }, { url: 'redis://node-2.example.com:6379' }]
const socket = { connectTimeout: 1000, socketTimeout: 1000, reconnectStrategy: 100 }
const client = createCluster({ rootNodes, defaults: { disableOfflineQueue: true, pingInterval: 250, socket } })
await client.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args[3], false, args) })
await nonceStore.check()
