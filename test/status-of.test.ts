import { describe, expect, it } from 'vitest'
import { MemoryNonceStore, readBody, sign, statusOf, verify, verifyOrThrow } from '../src/index.js'
import { RecordingStore, SECRET, signedRequest } from './support/request.js'

async function caught(action: () => unknown): Promise<unknown> {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const now = String(Math.floor(Date.now() / 1000))

describe('statusOf', () => {
  it.each<[number, string, () => unknown]>([
    [401, 'a rejected request', () => verifyOrThrow({ ...signedRequest(), headers: {} }, SECRET, new RecordingStore())],
    [413, 'a body that is too large', () => readBody({ rawBody: Buffer.alloc(2) }, { maxBytes: 1 })],
    [
      408,
      'a body that arrives too slowly',
      () => {
        const request = { method: 'POST', body: new ReadableStream(), duplex: 'half' } as RequestInit
        return readBody(new Request('http://localhost/', request), { bodyTimeout: 1 })
      },
    ],
    [
      400,
      'a sender that hung up',
      () =>
        readBody(
          new Request('http://localhost/', {
            method: 'POST',
            body: new ReadableStream({ start: (controller) => controller.error(new Error('terminated')) }),
            duplex: 'half',
          } as RequestInit),
        ),
    ],
    [
      503,
      'a store that failed',
      () => verify(signedRequest({ timestamp: now }), SECRET, { reserve: () => Promise.reject(new Error('down')) }),
    ],
    [500, 'a mistake of the caller', () => sign('', '')],
    [
      500,
      'a store that is full, outside of verify',
      () => {
        const store = new MemoryNonceStore({ maxEntries: 1 })
        store.reserve('42', 'a', 600)
        store.reserve('42', 'b', 600)
      },
    ],
  ])('is %i for %s', async (status, _, action) => {
    expect(statusOf(await caught(action))).toBe(status)
  })

  it.each([
    undefined,
    null,
    'ERR_WEBHOOK_REJECTED',
    new Error('your code'),
    Object.assign(new Error('of a client'), { status: 404, statusCode: 404 }),
    Object.assign(new Error('of a client'), { code: 'ECONNREFUSED', status: 200 }),
    { code: 'ERR_WEBHOOK_REJECTED', status: 200 },
  ])('is 500 for anything else, whatever its status: %o', (error) => {
    expect(statusOf(error)).toBe(500)
  })

  it('knows an error of another copy of the package by its code', () => {
    expect(statusOf(Object.assign(new Error(), { code: 'ERR_NONCE_STORE', status: 503 }))).toBe(503)
  })
})
