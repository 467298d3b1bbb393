// # The secret of Nuxt and Nitro
//
// Nitro loads the handler only with the first request, so save this file as `server/plugins/webhook-secret.ts`:

export default defineNitroPlugin(() => {
  if (!process.env['WEBHOOK_SECRET']) throw new Error('WEBHOOK_SECRET is not set')
})
