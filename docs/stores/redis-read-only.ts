import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const client = createClient({ url: 'redis://cache.example.com:6379' })
await client.on('error', console.error).connect()
const reconnectIfReadOnly = (error: Error) => {
  if (error.message.startsWith('READONLY')) client.sendCommand(['QUIT']).catch(console.error)
  throw error
}
export const nonceStore = new RedisNonceStore({
  sendCommand: (args) => client.sendCommand(args).catch(reconnectIfReadOnly),
})
