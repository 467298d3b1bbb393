import { invalidType, isObject, kindOf } from '../arguments.js'
import type { HeadersInput } from '../rules/headers.js'

/** Asserts that a value can be read as headers. */
export function assertHeaders(headers: unknown): asserts headers is HeadersInput {
  if (!isObject(headers) || typeof headers['then'] === 'function') {
    const fix = "Pass Node's request.headers, Fetch Headers, a record, a Map or [name, value] pairs."
    throw invalidType(`request.headers is ${kindOf(headers)}. ${fix}`, 'no_headers')
  }
  // A sender can also send a header called headers, req or raw. The value of a header is a string or a list of strings, so any other object
  // shows that `headers` is a request.
  const isRecord = (value: unknown) => isObject(value) && !Array.isArray(value)
  if (isRecord(headers['headers']) || isRecord(headers['req']) || isRecord(headers['raw'])) {
    const fix = 'Pass the headers of the request (Hono: c.req.raw.headers).'
    throw invalidType(`request.headers is a whole request. ${fix}`, 'request_as_headers')
  }
}
