import { hasErrorCode, statusOf } from 'inbound-webhook-auth'

/** Logs anything that a handler caught, as one line of JSON. Anyone can cause the first three, so they need no stack. */
export function logError(error: unknown, webhookId: string): void {
  const write = (level: string, fields: object) => console.log(JSON.stringify({ level, webhookId, ...fields }))

  if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) {
    const { reason, header, detail } = error
    write('warn', { reason, header, detail })
  } else if (hasErrorCode(error, 'ERR_BODY_TOO_LARGE') || hasErrorCode(error, 'ERR_BODY_ABORTED')) {
    write('info', { reason: error.code })
  } else {
    const { stack, cause } = error instanceof Error ? error : new Error(String(error))
    write('error', { status: statusOf(error), stack, cause: cause instanceof Error ? cause.stack : cause })
  }
}
