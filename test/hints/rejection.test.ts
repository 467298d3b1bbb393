import { describe, expect, it } from 'vitest'
import { type HeadersInput, type Rejected, receive, verify } from '../../src/index.js'
import * as standard from '../../src/standard-webhooks/index.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from '../support/request.js'
import { STANDARD_SECRET, signedMessage } from '../support/standard-webhooks.js'

// The message of a rejection describes the received value, so that its sender finds the mistake without a second request. wording.txt has the words.

describe('missing_header names all that are missing,', () => {
  it.each([
    [['x-nonce'], /^X-Nonce /],
    [['x-timestamp', 'x-signature'], /^X-Timestamp and X-Signature /],
    [['x-timestamp', 'x-nonce', 'x-signature'], /^X-Timestamp, X-Nonce and X-Signature /],
  ] as const)('%j', async (missing, text) => {
    const { headers, ...request } = signedRequest()
    const rest = Object.keys(headers).filter((name) => !missing.some((one) => one === name))
    // An empty header is not missing.
    const empty = rest.map((name) => [name, ''] as const)
    expect(await verify({ ...request, headers: empty }, SECRET, new RecordingStore())).toEqual({
      ok: false,
      reason: 'missing_header',
      header: missing[0],
      headers: missing,
      message: expect.stringMatching(text),
    })
  })
})

describe('missing_header names the entry to import if the request has the headers of the other scheme:', () => {
  const own = signedRequest()
  const other = signedMessage()
  const ofStandard = "webhook-signature. To verify it, import from 'inbound-webhook-auth/standard-webhooks'."
  it.each([
    [verify, other, ofStandard],
    [verify, signedMessage({}, 'svix'), ofStandard.replace('webhook-', 'svix-')],
    [standard.verify, own, "X-Signature. To verify it, import from 'inbound-webhook-auth'."],
  ])('%o', async (verify, request, end) => {
    const store = new RecordingStore()
    const rejection = await verify(request, STANDARD_SECRET, store)
    expect(rejection).toMatchObject({
      reason: 'missing_header',
      message: expect.stringMatching(/^[^.]* are missing\. /),
    })
    const { message } = rejection as Rejected
    expect([message.endsWith(` The request has ${end}`), message.length <= 200]).toEqual([true, true])
    const source = { webhookId: '42', request: { headers: request.headers, body: Buffer.from('') } }
    const received =
      verify === standard.verify
        ? standard.receive(source, STANDARD_SECRET, store)
        : receive(source, STANDARD_SECRET, store)
    await expect(received).rejects.toMatchObject({ detail: message })
  })

  it.each([
    ['stripe-signature', "stripe-signature, which is Stripe's format. Use Stripe's library."],
    ['x-hub-signature-256', "x-hub-signature-256, which is GitHub's format. Use GitHub's library."],
    ['x-slack-signature', "x-slack-signature, which is Slack's format. Use Slack's library."],
  ])('or the library to use: %s', async (name, end) => {
    const { message } = (await verify({ ...own, headers: { [name]: 'v' } }, SECRET, new RecordingStore())) as Rejected
    expect([message.endsWith(` The request has ${end}`), message.length <= 200]).toEqual([true, true])
  })

  it('but not if one of its own headers is there', async () => {
    const headers = { ...other.headers, 'x-nonce': 'n' }
    const { message } = (await verify({ ...own, headers }, SECRET, new RecordingStore())) as Rejected
    expect(message).toContain('Send all three headers.')
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
