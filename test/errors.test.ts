import { describe, expect, it } from 'vitest'
import { BodyError, NonceStoreError, sign, WebhookRejectedError } from '../src/index.js'

const cause = new Error('the cause')
const CLOSE = { Connection: 'close' }

describe('the properties that frameworks and handlers read', () => {
  it.each<[string, () => Error, string, object]>([
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
      'BodyError of a body that is too large',
      () => new BodyError('ERR_BODY_TOO_LARGE', 'too large'),
      'too large',
      { name: 'BodyError', code: 'ERR_BODY_TOO_LARGE', status: 413, statusCode: 413, expose: true, headers: CLOSE },
    ],
    [
      'BodyError of a slow body',
      () => new BodyError('ERR_BODY_TIMEOUT', 'too slow'),
      'too slow',
      { name: 'BodyError', code: 'ERR_BODY_TIMEOUT', status: 408, statusCode: 408, expose: true, headers: CLOSE },
    ],
    [
      'BodyError of an aborted body',
      () => new BodyError('ERR_BODY_ABORTED', 'aborted', { cause }),
      'aborted',
      { name: 'BodyError', code: 'ERR_BODY_ABORTED', status: 400, statusCode: 400, expose: true, headers: CLOSE },
    ],
    [
      'NonceStoreError',
      () => new NonceStoreError('The nonce store failed', { cause }),
      'The nonce store failed',
      {
        name: 'NonceStoreError',
        code: 'ERR_NONCE_STORE',
        status: 503,
        statusCode: 503,
        expose: false,
        headers: { 'Retry-After': '1' },
      },
    ],
  ])('%s', (_, create, message, properties) => {
    const error = create()
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toBe(message)
    expect({ ...error }).toStrictEqual(properties)
    expect(String(error)).toBe(`${error.name}: ${message}`)
  })

  it('stand beside the cause', () => {
    expect(new NonceStoreError('', { cause }).cause).toBe(cause)
    expect(new BodyError('ERR_BODY_ABORTED', '', { cause }).cause).toBe(cause)
  })

  it('an error for an argument has a code, and no other property', () => {
    expect({ ...thrownBy(() => sign('', '')) }).toStrictEqual({ code: 'ERR_INVALID_ARGUMENT' })
  })
})

describe('a WebhookRejectedError', () => {
  const rejected = (): unknown =>
    new WebhookRejectedError({
      ok: false,
      reason: 'missing_header',
      header: 'x-nonce',
      headers: ['x-nonce'],
      message: 'X-Nonce is missing.',
    })

  it('has no reason in its JSON, which some frameworks send', () => {
    expect(JSON.parse(JSON.stringify(rejected()))).toEqual({
      code: 'ERR_WEBHOOK_REJECTED',
      message: 'The request is not authenticated',
    })
  })

  it('narrows in a catch of strict TypeScript by instanceof', () => {
    const error = rejected()
    if (!(error instanceof WebhookRejectedError)) throw error
    const { reason, header, detail, status } = error
    const status401: 401 = status
    expect([reason, header, detail, status401]).toEqual(['missing_header', 'x-nonce', 'X-Nonce is missing.', 401])
  })
})

function thrownBy(action: () => unknown): Error {
  try {
    action()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
