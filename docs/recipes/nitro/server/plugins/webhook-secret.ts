// # The secret of Nuxt and Nitro
//
// Save this file as `server/plugins/webhook-secret.ts`, because Nitro loads the handler only with the first request:

export default defineNitroPlugin(() => {
  if (!process.env['WEBHOOK_SECRET']) throw new Error('WEBHOOK_SECRET is not set')
})
