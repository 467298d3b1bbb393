// # Receive with Next.js
//
// For Next.js 16. Install `redis`, and save this file as `nonce-store.ts` beside `app` or `pages`:
//
// - With `src/`, save all files below `src/`.
// - `package.json` must not have `"type": "commonjs"`.
// - The handlers use Redis, because each instance on Vercel has its own memory. With `next start` in one process, `new MemoryNonceStore()` is enough.

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
  release: async (...call) => (await connect()).release(...call),
}
