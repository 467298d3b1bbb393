import { vi } from 'vitest'
import { MemoryNonceStore, type MemoryNonceStoreOptions } from '../../../src/index.js'
import { TestClock } from '../../support/request.js'

/** Returns a store, and its clock at this time. */
export function storeAt(milliseconds = 0, options: MemoryNonceStoreOptions = {}) {
  const clock = new TestClock(milliseconds)
  return { clock, store: new MemoryNonceStore({ clock, ...options }) }
}

/** Runs `action`, while `lengthOf` decides how long each new `Int32Array` is. Its error is the error of the allocation. */
export function withArrays(lengthOf: (length: number) => number, action: () => void): void {
  const construct: ProxyHandler<typeof Int32Array>['construct'] = (target, [length, ...rest]) =>
    Reflect.construct(target, [typeof length === 'number' ? lengthOf(length) : length, ...rest])
  vi.stubGlobal('Int32Array', new Proxy(Int32Array, { construct }))
  try {
    action()
  } finally {
    vi.unstubAllGlobals()
  }
}

/** Returns a flat string, like the value of a header from an HTTP server. */
function uuid(index: number): string {
  return Buffer.from(`6f9619ff-8b86-4d01-b42d-${String(index).padStart(12, '0')}`).toString('latin1')
}

export const UUIDS = Array.from({ length: 200_000 }, (_, index) => uuid(index))
