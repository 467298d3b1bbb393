import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, type Mock, vi } from 'vitest'

/** A function of `node:crypto` that others import by its name. */
type Name = 'createSecretKey' | 'timingSafeEqual'

/**
 * Records the calls of a function of `node:crypto` while the tests of a file run. Returns the spy, which calls the real function.
 * Modules that were loaded before call the spy too, because the named exports of a built-in module can be renewed.
 */
export function spyOnCrypto<N extends Name>(name: N): Mock<(typeof crypto)[N]> {
  const original = crypto[name]
  const spy = vi.fn(original) as Mock<(typeof crypto)[N]>
  const set = (to: unknown) => {
    Object.assign(crypto, { [name]: to })
    syncBuiltinESMExports()
  }
  beforeAll(() => set(spy))
  afterAll(() => set(original))
  return spy
}
