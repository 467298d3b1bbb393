import type { NonceStore } from 'inbound-webhook-auth'
import { connectNodeRedis } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const { REDIS_URL: url = 'redis://localhost' } = process.env
let connecting: ReturnType<typeof connectNodeRedis> | undefined

/** Connects with the first request, not while Next.js builds. If Redis is down, the next request tries again. */
function connect() {
  connecting ??= connectNodeRedis((options) => createClient({ url, ...options })).catch((error) => {
    connecting = undefined
    throw error
  })
  return connecting
}
export const nonceStore: NonceStore = {
  reserve: async (...call) => (await connect()).reserve(...call),
  reserveAll: async (...call) => (await connect()).reserveAll(...call),
}
