import { NONCE_TTL_SECONDS } from '../rules/nonce.js'

const warned = new Set<string>()

/** Warns about a probable mistake once per code. This is not an error, because the mistake is not certain. */
function warnOnce(code: string, message: string): void {
  if (warned.has(code)) return
  warned.add(code)
  warn(code, message)
}

export function warn(code: string, message: string): void {
  // Some runtimes have no `process`.
  globalThis.process?.emitWarning?.(message, { type: 'WebhookWarning', code })
}

/** Warns that `webhookId` equals the header `name`. This is not an error, because the sender chooses the value of the header. */
export function warnOfNonceAsWebhookId(name: string): void {
  warnOnce(
    'WEBHOOK_ID_IS_NONCE',
    `webhookId equals ${name} of an accepted request, but ${name} identifies a message, not a webhook. Pass the ID of the webhook in your database.`,
  )
}

/** How many webhooks the rule for memory stores remembers. Without a limit, the IDs of many webhooks would fill the memory. */
const MAX_WEBHOOKS = 10_000

/** The latest reservation of each webhook in a memory store, with the time of the store's clock. */
const latest = new Map<string, { use: MemoryStoreUse; time: number }>()

/** Identifies a memory store without keeping it alive. */
export class MemoryStoreUse {
  /** Warns if another store reserved a nonce for the same webhook so recently that the two stores could accept the same request. */
  noteReservation(webhookId: string, now: number): void {
    if (warned.has('MEMORY_STORE_PER_REQUEST')) return
    const previous = latest.get(webhookId)
    if (previous === undefined && latest.size === MAX_WEBHOOKS) latest.clear()
    latest.set(webhookId, { use: this, time: now })
    if (previous === undefined || previous.use === this || now - previous.time > NONCE_TTL_SECONDS * 1000) return
    latest.clear()
    warnOnce(
      'MEMORY_STORE_PER_REQUEST',
      'Two MemoryNonceStores reserved nonces for the same webhookId within 600 s, so each accepts a copy of the same request. Create one store per process, not per request.',
    )
  }
}
