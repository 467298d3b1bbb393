import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createSentinel } from 'redis'

const sentinelRootNodes = [{ host: 'sentinel-1.example.com', port: 26379 }]
const client = createSentinel({ name: 'nonces', sentinelRootNodes })
await client.on('error', console.error).connect()
export const nonceStore = new RedisNonceStore({ sendCommand: (args) => client.sendCommand(false, args) })
