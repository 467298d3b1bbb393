import { hash } from 'node:crypto'
import { types } from 'node:util'
import { invalidType, kindOf } from './arguments.js'

/** A nonce contains no space, so no nonce equals the key of an event. */
const PREFIX = 'event '

/** Returns the key of the event with this ID: a hash, because an ID can be long. Throws if the value is not an ID. */
export function eventKeyOf(id: unknown): string {
  if (typeof id === 'string' ? id !== '' : Number.isSafeInteger(id)) {
    // In JSON, the number 1 and the text "1" differ, and lone surrogates are escaped.
    return PREFIX + hash('sha256', JSON.stringify(id))
  }
  // The rejection of a promise would end the process.
  if (types.isPromise(id)) id.catch(() => {})
  throw invalidType(`eventId returned ${kindOf(id)}. Return the event's ID as a string or a safe integer.`)
}

export function isEventKey(key: string): boolean {
  return key.startsWith(PREFIX)
}
