// # The secret
//
// Save this file as `instrumentation.ts` beside `nonce-store.ts`. Without a secret, every request then gets 500, and the log says why:

/** Next.js calls this function when the server starts, and not when it builds. */
export function register() {
  if (!process.env['WEBHOOK_SECRET']) throw new Error('WEBHOOK_SECRET is not set')
}
