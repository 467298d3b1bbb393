import type { HeadersInput } from '../../rules/headers.js'

/** A header with one value, its name in lowercase. */
export type Pair = readonly [name: string, value: string]

/** The names to try if the headers cannot be listed. */
const ASKED_NAMES = [
  ...['x-timestamp', 'x-nonce', 'x-signature', 'webhook-timestamp', 'webhook-id', 'webhook-signature'],
  ...['x-hub-signature-256', 'authorization', 'date', 'content-length', 'content-encoding', 'transfer-encoding'],
]

/** Lists every header, once per value, and leaves out values that are not text. */
export function listHeaders(headers: HeadersInput): Pair[] {
  const pairs: Pair[] = []
  const add = (name: unknown, values: unknown) => {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (typeof name === 'string' && typeof value === 'string') pairs.push([name.toLowerCase(), value])
    }
  }
  if (Symbol.iterator in headers) for (const [name, value] of headers) add(name, value)
  else if (typeof headers.get === 'function') for (const name of ASKED_NAMES) add(name, headers.get(name))
  else for (const [name, value] of Object.entries(headers)) add(name, value)
  return pairs
}
