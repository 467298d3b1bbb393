import { describe, expect, it } from 'vitest'
import {
  BodyAbortedError,
  BodyTimeoutError,
  BodyTooLargeError,
  hasErrorCode,
  MemoryNonceStore,
  NonceStoreBusyError,
  NonceStoreError,
  NonceStoreFullError,
  sign,
  verify,
  verifyOrThrow,
  WebhookRejectedError,
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

  it.each([NonceStoreError, NonceStoreFullError, NonceStoreBusyError])('%o names its class', (StoreError) => {
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

describe('the properties that frameworks read', () => {
  const cause = new Error('the cause')

  it.each<[string, () => Error, string, object]>([
    [
      'NonceStoreError',
      () => new NonceStoreError('The nonce store failed', { cause }),
      'The nonce store failed',
      { name: 'NonceStoreError', code: 'ERR_NONCE_STORE', status: 503, statusCode: 503, expose: false },
    ],
    [
      'WebhookRejectedError',
      () => new WebhookRejectedError({ ok: false, reason: 'replayed_nonce', message: 'It was used.' }),
      'The request is not authenticated',
      {
        name: 'WebhookRejectedError',
        code: 'ERR_WEBHOOK_REJECTED',
        status: 401,
        statusCode: 401,
        expose: true,
        reason: 'replayed_nonce',
        header: undefined,
        webhookId: undefined,
        headers: undefined,
        detail: 'It was used.',
      },
    ],
    [
      'NonceStoreFullError',
      () => new NonceStoreFullError('The store is full'),
      'The store is full',
      { name: 'NonceStoreFullError', code: 'ERR_NONCE_STORE_FULL' },
    ],
    [
      'NonceStoreBusyError',
      () => new NonceStoreBusyError('The server is behind'),
      'The server is behind',
      { name: 'NonceStoreBusyError', code: 'ERR_NONCE_STORE_BUSY' },
    ],
    [
      'BodyTooLargeError',
      () => new BodyTooLargeError(100),
      'The request body has more than 100 bytes',
      {
        name: 'BodyTooLargeError',
        code: 'ERR_BODY_TOO_LARGE',
        status: 413,
        statusCode: 413,
        expose: true,
        headers: { Connection: 'close' },
      },
    ],
    [
      'BodyTimeoutError',
      () => new BodyTimeoutError(30_000),
      'The request body was not complete after 30000 ms',
      {
        name: 'BodyTimeoutError',
        code: 'ERR_BODY_TIMEOUT',
        status: 408,
        statusCode: 408,
        expose: true,
        headers: { Connection: 'close' },
      },
    ],
    [
      'BodyAbortedError',
      () => new BodyAbortedError(cause),
      'The sender closed the connection before the body was complete',
      { name: 'BodyAbortedError', code: 'ERR_BODY_ABORTED', status: 400, statusCode: 400, expose: true },
    ],
  ])('%s', (_, create, message, properties) => {
    const error = create()
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toBe(message)
    expect({ ...error }).toStrictEqual(properties)
  })

  it('stand beside the cause', () => {
    expect(new NonceStoreError('', { cause }).cause).toBe(cause)
    expect(new BodyAbortedError(cause).cause).toBe(cause)
  })

  it('an error for an argument has no hint if the value shows no mistake', async () => {
    expect({ ...Object(await thrownBy(() => sign('', ''))) }).toStrictEqual({ code: 'ERR_INVALID_ARGUMENT' })
  })
})

function now(): string {
  return String(Math.floor(Date.now() / 1000))
}
