import { MemoryNonceStore, type MemoryNonceStoreOptions } from '../../src/index.js'
import { TestClock } from './request.js'

/** Returns a store, and its clock at this time. */
export function storeAt(milliseconds = 0, options: MemoryNonceStoreOptions = {}) {
  const clock = new TestClock(milliseconds)
  return { clock, store: new MemoryNonceStore({ clock, ...options }) }
}

/** Returns a flat string, like the value of a header from an HTTP server. */
export function flat(text: string): string {
  return Buffer.from(text).toString('latin1')
}

export const UUIDS = Array.from({ length: 200_000 }, (_, index) =>
  flat(`6f9619ff-8b86-4d01-b42d-${String(index).padStart(12, '0')}`),
)
