import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createSentinel } from 'redis'

const both = { pingInterval: 250, socket: { connectTimeout: 1000, socketTimeout: 1000, reconnectStrategy: 100 } }
const nodes = { name: 'nonces', sentinelClientOptions: both, nodeClientOptions: { ...both, disableOfflineQueue: true } }
const client = createSentinel({ ...nodes, sentinelRootNodes: [{ host: 'sentinel-1.example.com', port: 26379 }] })
await client.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(false, args) })
await nonceStore.check()
