const warned = new Set<string>()

/** Warns of a mistake that cannot be an error, because correct programs may look the same for a while. Warns once per process and code. */
export function warnOnce(code: string, message: string): void {
  if (warned.has(code)) return
  warned.add(code)
  // Some runtimes have no process.
  globalThis.process?.emitWarning?.(message, { type: 'WebhookWarning', code })
}

/** Warns that a `webhookId` is the nonce. This is no error, because the sender chooses the nonce. */
export function warnOfNonceAsWebhookId(): void {
  warnOnce(
    'WEBHOOK_ID_IS_NONCE',
    'webhookId equals the nonce of an accepted request. If they are always equal, replays pass. Pass the ID of the webhook in your database.',
  )
}
