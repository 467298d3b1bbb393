const warned = new Set<string>()

/** Warns of a mistake that cannot be an error, because correct programs may look the same for a while. Warns once per process and code. */
export function warnOnce(code: string, message: string): void {
  if (warned.has(code)) return
  warned.add(code)
  // Some runtimes have no process.
  globalThis.process?.emitWarning?.(message, { type: 'WebhookWarning', code })
}

/** Warns that a `webhookId` is the value of the header `name`. This is no error, because the sender chooses the value. */
export function warnOfNonceAsWebhookId(name: string): void {
  warnOnce(
    'WEBHOOK_ID_IS_NONCE',
    `webhookId equals the ${name} of an accepted request, which names a message, not a webhook. Pass the ID of the webhook in your database.`,
  )
}

const MIN_SUSPICIOUS_STORES = 100

/** How many memory stores have reserved their first nonce since a store last reserved another one. */
let singleReservations = 0

/** Notices that a process creates a memory store per request, in which no replay is found. */
export class MemoryStoreUse {
  // Stores per tenant that are created at the start are no mistake, although the first requests may all be for different tenants.
  readonly #isCreatedBetweenRequests = singleReservations > 0
  #hasReserved = false

  /** Notes that the store has reserved a nonce. */
  noteReservation(): void {
    singleReservations = this.#hasReserved ? 0 : singleReservations + 1
    this.#hasReserved = true
    if (singleReservations >= MIN_SUSPICIOUS_STORES && this.#isCreatedBetweenRequests) {
      warnOnce(
        'MEMORY_STORE_PER_REQUEST',
        `${MIN_SUSPICIOUS_STORES} MemoryNonceStores have reserved one nonce each, so replays pass. Create one store per process, or per tenant, not per request.`,
      )
    }
  }
}
