// # Nuxt and Nitro
//
// For Nitro 2 on Node, which is the server of Nuxt 4. Save the handler as `server/routes/hooks/billing.post.ts`:
//
// - Run Nitro with `npx nitropack build && node .output/server/index.mjs`, and Nuxt with `npx nuxt build && node .output/server/index.mjs`.
// - Without Nuxt, `nitro.config.ts` needs `export default defineNitroConfig({ srcDir: 'server' })`.
// - Do not use the `readBody` of Nitro, which parses the body.

import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret = '' } = process.env
const nonceStore = new MemoryNonceStore()

export default defineEventHandler(async ({ node: { req: request, res: response } }) => {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    response.writeHead(204).end()
  } catch (error) {
    refuse(response, error)
  }
})
