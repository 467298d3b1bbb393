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

const MIN_SUSPICIOUS_STORES = 100

/** How many memory stores have reserved their first nonce. The count restarts at 0 when a store reserves another nonce. */
let singleReservations = 0

/** Warns if a process creates a memory store per request, because these stores never find a replay. */
export class MemoryStoreUse {
  // Stores that were created before the first request are not a mistake, because a process can create one store per tenant at the start.
  readonly #isCreatedBetweenRequests = singleReservations > 0
  #hasReserved = false

  /** Counts a reservation of this store. */
  noteReservation(): void {
    singleReservations = this.#hasReserved ? 0 : singleReservations + 1
    this.#hasReserved = true
    if (singleReservations >= MIN_SUSPICIOUS_STORES && this.#isCreatedBetweenRequests) {
      warnOnce(
        'MEMORY_STORE_PER_REQUEST',
        `${MIN_SUSPICIOUS_STORES} MemoryNonceStores have reserved one nonce each, so replays are accepted. Create one store per process, or per tenant, not per request.`,
      )
    }
  }
}
