import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const options = { url: 'redis://cache.example.com:6379', disableOfflineQueue: true, pingInterval: 250 } as const
const socket = { connectTimeout: 1000, socketTimeout: 1000, reconnectStrategy: 100 }
const client = createClient({ ...options, socket })
await client.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(args) })
await nonceStore.check()
