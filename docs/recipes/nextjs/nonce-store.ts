// # Next.js
//
// For Next.js 16. Install `redis` and save this file as `nonce-store.ts` beside `app` or `pages`:
//
// - Run the app with `npx next build && npx next start`.
// - With `src/`, save all files below `src/`.
// - `package.json` must not have `"type": "commonjs"`.
// - With `next start` in one process, `new MemoryNonceStore()` is enough. On Vercel, each instance has its own memory.

import { RedisNonceStore } from 'inbound-webhook-auth/redis'
import { createClient } from 'redis'

const { REDIS_URL: url = 'redis://localhost' } = process.env
const client = createClient({ url }).on('error', console.error)
let connecting: Promise<unknown> | undefined

/** Connects with the first request, not while Next.js builds. The client then connects again by itself. */
export const nonceStore = new RedisNonceStore({
  async sendCommand(args) {
    connecting ??= client.connect()
    await connecting
    return client.sendCommand(args)
  },
})
