// # SvelteKit, Astro and React Router
//
// This handler suits each framework that passes a Fetch `Request`:
//
// ### SvelteKit 3
//
// Save the handler as `src/routes/hooks/billing/+server.ts` and replace the two lines about the secret:
//
// ```ts
// // src/routes/hooks/billing/+server.ts
// import { WEBHOOK_SECRET as secret } from '$app/env/private'
// ```
//
// Add these two files, so that SvelteKit does not start without the secret:
//
// ```ts
// // src/env.ts
// import { defineEnvVars } from '@sveltejs/kit/env'
//
// export const variables = defineEnvVars({ WEBHOOK_SECRET: {} })
// ```
//
// ```js
// // vite.config.js
// import adapter from '@sveltejs/adapter-node'
// import { sveltekit } from '@sveltejs/kit/vite'
//
// export default { plugins: [sveltekit({ adapter: adapter(), csrf: { trustedOrigins: ['*'] } })] }
// ```
//
// - **`trustedOrigins: ['*']` switches off the CSRF check of the whole app.** Leave it out if your senders use only `application/json`.
// - Build the app with `WEBHOOK_SECRET=any npx vite build`, and **start it with `BODY_SIZE_LIMIT=Infinity node build`.** Otherwise, bodies of more than 512 KB get 400.
// - In SvelteKit 2, install `@sveltejs/adapter-node@5`. There, the body of a request without `Content-Type` arrives empty, and the lines about the secret are:
//
// ```ts
// import { env } from '$env/dynamic/private'
// const { WEBHOOK_SECRET: secret = '' } = env
// ```
//
// ### Astro 5
//
// Save the handler as `src/pages/hooks/billing.ts` and add the line `export const prerender = false`. Then switch off the check of the origin:
//
// ```js
// // astro.config.mjs
// import node from '@astrojs/node'
//
// export default { adapter: node({ mode: 'standalone' }), security: { checkOrigin: false } }
// ```
//
// - **`checkOrigin: false` switches off the CSRF check of the whole app.** Leave it out if your senders use only `application/json`.
// - Without a secret, each request gets 500.
// - Run the app with `npx astro build && node dist/server/entry.mjs`.
//
// ### React Router 8
//
// Save the handler as `app/billing.ts`, name its function `action` instead of `POST`, and add a route:
//
// ```ts
// // app/routes.ts
// import { route } from '@react-router/dev/routes'
//
// export default [route('hooks/billing', 'billing.ts')]
// ```
//
// Run the app with `npx react-router build && npx react-router-serve build/server/index.js`.

import { handle, MemoryNonceStore, refusal } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

export const POST = async ({ request }: { request: Request }) => {
  try {
    const source = { webhookId: 'billing', request }
    await handle(source, secret, nonceStore, ({ body }) => {
      console.log(body.toString()) // your code
    })
    return new Response(null, { status: 204 })
  } catch (error) {
    return refusal(error)
  }
}
