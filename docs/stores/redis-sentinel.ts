import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createSentinel } from 'redis'

const master = { name: 'nonces', sentinelRootNodes: [{ host: 'sentinel-1.example.com', port: 26379 }] }
const limits = { pingInterval: 250, socket: { connectTimeout: 1000, socketTimeout: 1000, reconnectStrategy: 100 } }
const nodes = { sentinelClientOptions: limits, nodeClientOptions: { ...limits, disableOfflineQueue: true } } as const
const client = await createSentinel({ ...master, ...nodes }).on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(false, args) })
await nonceStore.check()
