import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const client = createClient({ url: 'redis://cache.example.com:6379' }) // The client of your service.
const socket = { connectTimeout: 1000, socketTimeout: 1000, reconnectStrategy: 100 }
const second = client.duplicate({ disableOfflineQueue: true, pingInterval: 250, socket })
await second.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => second.sendCommand(args) })
await nonceStore.check()
