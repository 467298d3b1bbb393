import * as library from 'inbound-webhook-auth'

// The parts of docs/reference/errors.md that the program knows: what the log says for each reason, and the table of errors.

const { MemoryNonceStore, receive, sign, verify } = library

const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'
const BODY = '{"event":"invoice.paid"}'
const CLOCK = { now: () => 1_700_000_000_000 }

/** A request with one mistake, by the reason of its rejection. */
const MISTAKES = {
  missing_header: (/** @type {Headers} */ headers) => headers.delete('x-nonce'),
  invalid_timestamp: (/** @type {Headers} */ headers) => headers.set('x-timestamp', '2023-11-14T22:13:20Z'),
  timestamp_outside_window: (/** @type {Headers} */ headers) => headers.set('x-timestamp', '1699999600'),
  invalid_nonce: (/** @type {Headers} */ headers) => headers.set('x-nonce', 'invoice 4711'),
  signature_mismatch: (/** @type {Headers} */ headers) => headers.set('x-signature', '0'.repeat(64)),
  unknown_webhook: () => {},
  replayed_nonce: () => {},
}

/**
 * Returns what the log says for a request that is rejected with this reason.
 *
 * @param {string} reason
 */
export async function reasonPart(reason) {
  const mistake = Object.entries(MISTAKES).find(([name]) => name === reason)?.[1]
  const nonceStore = new MemoryNonceStore({ clock: CLOCK })
  const headers = new Headers(sign(BODY, SECRET, { clock: CLOCK, nonce: '6f9619ff' }))
  const request = { headers, rawBody: Buffer.from(BODY) }
  const ask = () =>
    reason === 'unknown_webhook'
      ? receive({ request }, () => undefined, nonceStore, CLOCK).catch((error) => ({ ...error, message: error.detail }))
      : verify({ webhookId: 'billing', headers, body: BODY }, SECRET, nonceStore, CLOCK)
  if (reason === 'replayed_nonce') await ask()
  mistake?.(headers)
  const result = await ask()
  if (result.ok || result.reason !== reason) throw new Error(`The example of ${reason} has another result.`)
  return `The log says, for example:\n\n\`\`\`text\n${result.message}\n\`\`\``
}

/**
 * Returns the classes of an error that a user can name: a class that nobody can import is an `Error`.
 *
 * @param {string} name - the names of the classes, such as `TypeError or RangeError`.
 */
function classesOf(name) {
  return name.split(' or ').map((one) => (one in library || one in globalThis ? one : 'Error'))
}

/**
 * Returns the table of errors.
 *
 * @param {string} source - `src/errors.ts`, whose table has one row per code.
 */
export function errorsPart(source) {
  const rows = [
    ...source.matchAll(/^ {2}(ERR_\w+): \{ name: '(.+)', status: (\d+), headers: (\w+), level: '(\w+)' \}/gm),
  ]
  const headers = /** @type {Record<string, string>} */ ({
    CONNECTION_CLOSE: '`Connection: close`',
    RETRY_AFTER: '`Retry-After: 1`',
    undefined: '',
  })
  const lines = rows.map(
    ([, code, name = '', status, header = '', level]) =>
      `| [\`${code}\`](#${code?.toLowerCase()}) | \`${classesOf(name).join('`, `')}\` | ${status} | ${headers[header]} | \`${level}\` |`,
  )
  return ['| `code` | class | response | header | log |', '|---|---|---|---|---|', ...lines].join('\n')
}
