import type { Response } from 'express'
import { refuse } from 'inbound-webhook-auth'
import type { PoolClient } from 'pg'
import { z } from 'zod'

const Event = z.object({ id: z.string(), type: z.string(), created: z.iso.datetime(), data: z.unknown() })
const Invoice = z.object({ invoice: z.string(), status: z.enum(['open', 'paid', 'void']) })

class UnusableEvent extends Error {}

/** Returns the event. Use it in `eventId` too. */
export function parse({ body }: { body: Buffer }) {
  try {
    return Event.parse(JSON.parse(body.toString()))
  } catch (cause) {
    throw new UnusableEvent('The event has another form.', { cause })
  }
}

/** Stores the newest state of an invoice, in whichever order its events arrive. */
export async function updateInvoice(webhook: { body: Buffer }, client: PoolClient) {
  const { type, created, data } = parse(webhook)
  if (!type.startsWith('invoice.')) return // The response is 204: other types are none of our business.
  const { success, data: invoice, error: cause } = Invoice.safeParse(data)
  if (!success) throw new UnusableEvent('The invoice has another form.', { cause })
  await client.query(
    `INSERT INTO invoices AS old (id, status, event_at) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, event_at = excluded.event_at
     WHERE old.event_at <= excluded.event_at`,
    [invoice.invoice, invoice.status, created],
  )
}

/** Call this in the `catch` instead of `refuse`. A status of 4xx ends the retries of an event that can never be used. */
export function refuseEvent(response: Response, error: unknown) {
  if (!(error instanceof UnusableEvent)) return refuse(response, error)
  console.error(error)
  response.sendStatus(422)
}
