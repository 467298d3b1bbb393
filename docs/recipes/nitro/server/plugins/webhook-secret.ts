export default defineNitroPlugin(() => {
  if (!process.env['WEBHOOK_SECRET']) throw new Error('WEBHOOK_SECRET is not set')
})
