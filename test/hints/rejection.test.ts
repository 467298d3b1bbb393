import { describe, expect, it } from 'vitest'
import { type HeadersInput, verify } from '../../src/index.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from '../support/request.js'

// The message of a rejection describes the received value, so that its sender finds the mistake without a second request. wording.txt has the words.

it('a nonce of 128 characters is not too long, so the wrong character is named', async () => {
  const request = signedRequest({ nonce: `${'a'.repeat(127)} ` })
  const result = await verify(request, SECRET, new RecordingStore(), new TestClock())
  expect(result).toMatchObject({ reason: 'invalid_nonce', message: expect.stringMatching(/U\+0020/) })
})

describe('missing_header names all that are missing,', () => {
  it.each([
    [['x-nonce'], /^X-Nonce /],
    [['x-timestamp', 'x-signature'], /^X-Timestamp and X-Signature /],
    [['x-timestamp', 'x-nonce', 'x-signature'], /^X-Timestamp, X-Nonce and X-Signature /],
  ] as const)('%j', async (missing, text) => {
    const { headers, ...request } = signedRequest()
    const rest = Object.entries(headers).filter(([name]) => !missing.some((one) => one === name))
    expect(await verify({ ...request, headers: rest }, SECRET, new RecordingStore())).toEqual({
      ok: false,
      reason: 'missing_header',
      header: missing[0],
      headers: missing,
      message: expect.stringMatching(text),
    })
  })
})

describe('the description never throws, whatever the headers do', () => {
  const wrong = { ...signedRequest({ secret: 'another secret' }).headers }
  it.each<[string, () => HeadersInput]>([
    [
      'headers that can be read once',
      () => {
        let reads = 0
        return {
          get(name: string) {
            if (++reads > 3) throw new Error('read again')
            return wrong[name as keyof typeof wrong] ?? null
          },
        }
      },
    ],
    [
      'a getter that throws',
      () =>
        Object.defineProperty({ ...wrong }, 'content-length', {
          enumerable: true,
          get() {
            throw new Error('read')
          },
        }),
    ],
    ['an iterator that was used up', () => Object.entries(wrong).values()],
    ['a Content-Length that is a symbol', () => ({ ...wrong, 'content-length': Symbol('5') as never })],
  ])('%s', async (_, headers) => {
    const result = await verify(
      { ...signedRequest(), headers: headers() },
      SECRET,
      new RecordingStore(),
      new TestClock(),
    )
    expect(result).toMatchObject({ ok: false, reason: 'signature_mismatch' })
  })
})
