/** Next.js calls it when the server starts, and not when it builds. */
export function register() {
  if (!process.env['WEBHOOK_SECRET']) throw new Error('WEBHOOK_SECRET is not set')
}
