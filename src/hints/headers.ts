import { invalidType, isObject, kindOf } from '../arguments.js'

export function notHeaders(headers: unknown): TypeError {
  const fix = "Pass Node's request.headers, Fetch Headers, a record, a Map or [name, value] pairs."
  return invalidType(`request.headers is ${kindOf(headers)}. ${fix}`)
}

/** Asserts that headers of which one is missing are not a promise or the request itself. */
export function assertNotRequest(headers: unknown): void {
  const { then, headers: own, req, raw } = Object(headers)
  if (typeof then === 'function') throw notHeaders(headers)
  // A sender can also send a header called headers, req or raw, but its value is a string or a list. Any other object shows a request.
  if ([own, req, raw].some((value) => isObject(value) && !Array.isArray(value))) {
    const fix = 'Pass the headers of the request (Hono: c.req.raw.headers).'
    throw invalidType(`request.headers is a whole request. ${fix}`)
  }
}
