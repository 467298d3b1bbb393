import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createSentinel } from 'redis'

const master = { name: 'nonces', sentinelRootNodes: [{ host: 'sentinel-1.example.com', port: 26379 }] }
const socket = { connectTimeout: 1000, socketTimeout: 1000, reconnectStrategy: 100 }
const nodeClientOptions = { disableOfflineQueue: true, pingInterval: 250, socket } as const
const client = createSentinel({ ...master, nodeClientOptions, sentinelClientOptions: { pingInterval: 250, socket } })
await client.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(false, args) })
await nonceStore.check()
