import { invalidType, kindOf } from '../arguments.js'

/** Returns the error for a value that is not headers, or `undefined` for headers in any shape. */
export function notHeaders(headers: unknown): TypeError | undefined {
  if (!isObject(headers) || typeof headers['then'] === 'function') {
    const fix = "Pass Node's request.headers, Fetch Headers, a record, a Map or [name, value] pairs."
    return invalidType(`request.headers is ${kindOf(headers)}. ${fix}`, 'no_headers')
  }
  // A sender can send a header that is called headers, req or raw. Its value is a string or a list of strings, never another object.
  const isRecord = (value: unknown) => isObject(value) && !Array.isArray(value)
  if (!isRecord(headers['headers']) && !isRecord(headers['req']) && !isRecord(headers['raw'])) return undefined
  return invalidType(
    'request.headers is a whole request. Pass its .headers (Hono: c.req.raw.headers).',
    'request_as_headers',
  )
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null
}
