import { describe, expect, it } from 'vitest'
import {
  hasErrorCode,
  MemoryNonceStore,
  NonceStoreError,
  NonceStoreFullError,
  sign,
  verify,
  verifyOrThrow,
} from '../src/index.js'
import { RecordingStore, SECRET, signedRequest } from './support/request.js'

async function thrownBy(action: () => unknown): Promise<unknown> {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('hasErrorCode', () => {
  it.each([
    ['ERR_WEBHOOK_REJECTED', () => verifyOrThrow({ ...signedRequest(), headers: {} }, SECRET, new RecordingStore())],
    ['ERR_NONCE_STORE', () => verify(signedRequest({ timestamp: now() }), SECRET, { reserve: () => Promise.reject() })],
    [
      'ERR_NONCE_STORE_FULL',
      () => {
        const store = new MemoryNonceStore({ maxEntries: 1 })
        store.reserve('42', 'a', 600)
        store.reserve('42', 'b', 600)
      },
    ],
    ['ERR_INVALID_ARGUMENT', () => sign('', '')],
    ['ERR_INVALID_ARGUMENT', () => sign('', SECRET, { nonce: '' })],
  ] as const)('recognises %s', async (code, action) => {
    const error = await thrownBy(action)
    const codes = ['ERR_WEBHOOK_REJECTED', 'ERR_NONCE_STORE', 'ERR_NONCE_STORE_FULL', 'ERR_INVALID_ARGUMENT'] as const
    expect(codes.filter((one) => hasErrorCode(error, one))).toEqual([code])
  })

  it.each([NonceStoreError, NonceStoreFullError])('%o names its class', (StoreError) => {
    expect(String(new StoreError('why'))).toBe(`${StoreError.name}: why`)
  })

  it('recognises an error of another copy of the package by its code', () => {
    const error = Object.assign(new Error(), { code: 'ERR_NONCE_STORE' })
    expect(hasErrorCode(error, 'ERR_NONCE_STORE')).toBe(true)
  })

  it.each([undefined, null, 'ERR_NONCE_STORE', { code: 'ERR_NONCE_STORE' }, new Error('ERR_NONCE_STORE')])(
    'does not recognise %o',
    (thrown) => {
      expect(hasErrorCode(thrown, 'ERR_NONCE_STORE')).toBe(false)
    },
  )

  it('narrows the type of a caught error in strict TypeScript', async () => {
    const error = await thrownBy(() => verifyOrThrow({ ...signedRequest(), headers: {} }, SECRET, new RecordingStore()))
    if (!hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) throw error
    const { reason, header, detail, status } = error
    expect([reason, header, typeof detail, status]).toEqual(['missing_header', 'x-timestamp', 'string', 401])
  })
})

function now(): string {
  return String(Math.floor(Date.now() / 1000))
}
