import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import {
  handle,
  MemoryNonceStore,
  type NonceStore,
  receive,
  refuse,
  type Secret,
  verify,
  type WebhookRequest,
} from '../src/index.js'
import { serve, write } from './support/http-server.js'
import { NOW, RecordingStore, SECRET, signatureOf, signedRequest, TestClock, TIMESTAMP } from './support/request.js'
import { SCHEMES, type TestScheme } from './support/schemes.js'

// These tests show what is not protected, with one test for each row of SECURITY.md.

interface Attacker {
  readonly signedRequest: TestScheme['request']
  readonly outcome: ReturnType<typeof outcomeBy>
}

/** A test of both schemes. */
const inBothSchemes = (name: string, test: (attacker: Attacker) => Promise<void>) =>
  it.each(SCHEMES)(`${name} (%s)`, (_, { request, verify }) =>
    test({ signedRequest: request, outcome: outcomeBy(verify) }),
  )

const outcomeBy =
  (by: TestScheme['verify']) =>
  async (request: WebhookRequest, store: NonceStore, clock = new TestClock(), secret: Secret = SECRET) => {
    const result = await by(request, secret, store, clock)
    return result.ok ? 'accepted' : result.reason
  }

const outcome = outcomeBy(verify)

inBothSchemes('a stolen secret signs anything, until it is no longer accepted', async ({ signedRequest, outcome }) => {
  const forged = signedRequest({ body: 'whatever the thief likes' })
  expect(await outcome(forged, new MemoryNonceStore(), undefined, ['new secret', SECRET])).toBe('accepted')
  expect(await outcome(forged, new MemoryNonceStore(), undefined, 'new secret')).toBe('signature_mismatch')
})

it('a captured request is enough to find a secret that can be guessed', async () => {
  const captured = signedRequest({ secret: 'webhook123' })
  const guesses = ['password', 'secret', 'webhook', 'webhook123', 'changeme']
  const outcomes = guesses.map((guess) => outcome(captured, new MemoryNonceStore(), undefined, guess))
  expect((await Promise.all(outcomes)).indexOf('accepted')).toBe(guesses.indexOf('webhook123'))
})

inBothSchemes(
  'a secret shared by two webhooks lets a request of one in on the other',
  async ({ signedRequest, outcome }) => {
    const store = new MemoryNonceStore()
    expect(await outcome(signedRequest({ webhookId: 'a' }), store)).toBe('accepted')
    expect(await outcome(signedRequest({ webhookId: 'b' }), store)).toBe('accepted')
    expect(await outcome(signedRequest({ webhookId: 'b' }), store)).toBe('replayed_nonce')
  },
)

inBothSchemes('what is not signed can be changed', async ({ signedRequest, outcome }) => {
  const request = signedRequest()
  const headers = { ...request.headers, 'content-type': 'text/html', host: 'elsewhere', 'x-priority': 'high' }
  expect(await outcome({ ...request, headers }, new MemoryNonceStore())).toBe('accepted')
})

it('a re-split that arrives first is accepted with a shortened body, and its original is rejected', async () => {
  const original = signedRequest({ nonce: 'abc', body: '{"a":1}' })
  const signature = original.headers['x-signature']
  const resplit = signedRequest({ nonce: 'abc:{"a"', body: '1}', signature })
  const store = new MemoryNonceStore()
  expect(await outcome(resplit, store)).toBe('accepted')
  expect(await outcome(original, store)).toBe('replayed_nonce')
})

it('a re-split with a shorter nonce that arrives first is accepted with a longer body, and its original is rejected', async () => {
  const original = signedRequest({ nonce: 'abc:def', body: '{"a":1}' })
  const signature = original.headers['x-signature']
  const resplit = signedRequest({ nonce: 'abc', body: 'def:{"a":1}', signature })
  const store = new MemoryNonceStore()
  expect(await outcome(resplit, store)).toBe('accepted')
  expect(await outcome(original, store)).toBe('replayed_nonce')
})

it('a captured message can use up the nonces of its splits, at most 127', async () => {
  const body = ':'.repeat(300)
  const signature = signatureOf(TIMESTAMP, 'n', body, SECRET)
  const store = new RecordingStore()
  expect(await outcome(signedRequest({ nonce: 'n', body }), store)).toBe('accepted')

  const rest = `n:${body}`
  for (let length = 2; length <= rest.indexOf(':') + body.length; length++) {
    const resplit = signedRequest({ nonce: rest.slice(0, length), body: rest.slice(length + 1), signature })
    expect(await outcome(resplit, store)).toBe(length <= 128 ? 'replayed_nonce' : 'invalid_nonce')
  }
  const spent = new Set(store.keys.filter((key) => key !== 'n' && !key.startsWith('signature ')))
  expect(spent.size).toBe(127)
  expect(await outcome(signedRequest({ nonce: 'n:', body: 'honest' }), store)).toBe('replayed_nonce')
  // Each of them has a colon, so a receiver that refuses colons in nonces is not affected.
  expect([...spent].every((nonce) => nonce.includes(':'))).toBe(true)
})

it('a message that is signed with both secrets of a rotation can be accepted in two splits', async () => {
  const secrets = ['new secret', SECRET]
  const store = new MemoryNonceStore()
  const send = (nonce: string, body: string, secret: string) => {
    const signature = signatureOf(TIMESTAMP, 'abc', '{"a":1}', secret)
    return outcome(signedRequest({ nonce, body, signature }), store, undefined, secrets)
  }
  expect(await send('abc', '{"a":1}', SECRET)).toBe('accepted')
  expect(await send('abc', '{"a":1}', 'new secret')).toBe('replayed_nonce')
  expect(await send('abc:{"a"', '1}', SECRET)).toBe('replayed_nonce')
  expect(await send('abc:{"a"', '1}', 'new secret')).toBe('accepted')
})

inBothSchemes(
  'a memory store after a restart lets a request in again, within its window',
  async ({ signedRequest, outcome }) => {
    const clock = new TestClock(NOW - 300_000)
    expect(await outcome(signedRequest(), new MemoryNonceStore(), clock)).toBe('accepted')
    clock.milliseconds = NOW + 300_000
    expect(await outcome(signedRequest(), new MemoryNonceStore(), clock)).toBe('accepted')
    clock.milliseconds += 1
    expect(await outcome(signedRequest(), new MemoryNonceStore(), clock)).toBe('timestamp_outside_window')
  },
)

inBothSchemes('a memory store in each of two processes lets a request in twice', async ({ signedRequest, outcome }) => {
  const [one, two] = [new MemoryNonceStore(), new MemoryNonceStore()]
  expect(await outcome(signedRequest(), one)).toBe('accepted')
  expect(await outcome(signedRequest(), two)).toBe('accepted')
  expect(await outcome(signedRequest(), one)).toBe('replayed_nonce')
  expect(await outcome(signedRequest(), two)).toBe('replayed_nonce')
})

inBothSchemes('a new store remembers nothing of the old one', async ({ signedRequest, outcome }) => {
  expect(await outcome(signedRequest(), new MemoryNonceStore())).toBe('accepted')
  expect(await outcome(signedRequest(), new MemoryNonceStore())).toBe('accepted')
})

inBothSchemes('two spellings of one webhookId let a request in twice', async ({ signedRequest, outcome }) => {
  const store = new MemoryNonceStore()
  expect(await outcome(signedRequest({ webhookId: 'abc' }), store)).toBe('accepted')
  expect(await outcome(signedRequest({ webhookId: 'ABC' }), store)).toBe('accepted')
  expect(await outcome(signedRequest({ webhookId: 'ABC' }), store)).toBe('replayed_nonce')
})

inBothSchemes('a memory store that evicts lets the evicted request in again', async ({ signedRequest, outcome }) => {
  const store = new MemoryNonceStore({ maxEntries: 2, whenFull: 'evict' })
  for (const nonce of ['1', '2', '3']) expect(await outcome(signedRequest({ nonce }), store)).toBe('accepted')
  expect(await outcome(signedRequest({ nonce: '2' }), store)).toBe('replayed_nonce')
  expect(await outcome(signedRequest({ nonce: '1' }), store)).toBe('accepted')
})

inBothSchemes(
  'a tenant who fills a shared store blocks the others, and no request is accepted',
  async ({ signedRequest, outcome }) => {
    const store = new MemoryNonceStore({ maxEntries: 2 })
    for (const nonce of ['1', '2'])
      expect(await outcome(signedRequest({ webhookId: 'busy', nonce }), store)).toBe('accepted')
    await expect(outcome(signedRequest({ webhookId: 'other', nonce: '3' }), store)).rejects.toMatchObject({
      code: 'ERR_NONCE_STORE',
    })
    expect(await outcome(signedRequest({ webhookId: 'busy', nonce: '1' }), store)).toBe('replayed_nonce')
  },
)

inBothSchemes(
  'a body passed as text may be changed if it decodes to the same text',
  async ({ signedRequest, outcome }) => {
    const signed = Buffer.from([0xef, 0xbf, 0xbd])
    const changed = Buffer.from([0xff])
    const request = signedRequest({ body: signed })
    expect(await outcome({ ...request, body: changed.toString('utf8') }, new MemoryNonceStore())).toBe('accepted')
    expect(await outcome({ ...request, body: changed }, new MemoryNonceStore())).toBe('signature_mismatch')
  },
)

inBothSchemes('secrets that differ only in NULs at the end are one key', async ({ signedRequest, outcome }) => {
  const request = signedRequest({ secret: 'a secret' })
  expect(await outcome(request, new MemoryNonceStore(), undefined, 'a secret\0')).toBe('accepted')
  expect(await outcome(request, new MemoryNonceStore(), undefined, 'a secret ')).toBe('signature_mismatch')
})

/** Starts a server with `receive` and `refuse`, which accepts requests at {@link NOW}. */
async function startServer(): Promise<{ port: number; accepted: string[] }> {
  const accepted: string[] = []
  const nonceStore = new RecordingStore()
  const port = await serve(async (request, response) => {
    try {
      const { nonce } = await receive({ webhookId: '42', request }, SECRET, nonceStore, new TestClock())
      accepted.push(nonce)
      response.writeHead(204).end()
    } catch (error) {
      refuse(response, error, { log() {} })
    }
  })
  return { port, accepted }
}

/** Returns the text of a request with these headers. */
function textOf(headers: Record<string, string>, body: string): string {
  const lines = Object.entries({ host: 'a', 'content-length': String(body.length), ...headers })
  return `POST / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

const FORGED = { 'x-timestamp': TIMESTAMP, 'x-nonce': 'n', 'x-signature': '0'.repeat(64) }

it('a request without a right signature can hold its memory until bodyTimeout', async () => {
  vi.useFakeTimers()
  try {
    const request = Object.assign(new Readable({ read() {} }), { headers: FORGED })
    const source = { webhookId: '42', request, maxBytes: 1000, bodyTimeout: 5000 }
    const settled = vi.fn()
    const received = receive(source, SECRET, new RecordingStore(), new TestClock()).catch((error) =>
      settled(error.code),
    )
    request.push(Buffer.alloc(1000))
    await vi.advanceTimersByTimeAsync(4999)
    expect(settled).not.toHaveBeenCalled()
    // The time-out takes one more turn of the event loop.
    await vi.advanceTimersByTimeAsync(2)
    await received
    expect(settled).toHaveBeenCalledWith('ERR_BODY_TIMEOUT')
  } finally {
    vi.useRealTimers()
  }
})

it('the header Connection of a 401 shows whether a header broke a rule', async () => {
  const { port } = await startServer()
  const answerTo = (headers: Record<string, string>, body: string) =>
    write(port, textOf({ ...headers, 'content-length': '6' }, body))
  const malformed = { ...FORGED, 'x-signature': '0' }
  expect(await answerTo(malformed, 'a ')).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: close\r\n/s)
  expect(await answerTo(FORGED, 'a body')).toMatch(/^HTTP\/1\.1 401 .*\r\nConnection: keep-alive\r\n/s)
})

it('a captured request runs again if the work of the first attempt failed, and never after it succeeded', async () => {
  const store = new MemoryNonceStore()
  const { headers, body } = signedRequest()
  const runs: string[] = []
  const send = (name: string, fails: boolean) => {
    const work = () => {
      runs.push(name)
      if (fails) throw new Error('the database is down')
    }
    const source = { webhookId: '42', request: { headers, body: Buffer.from(String(body)) } }
    return handle(source, SECRET, store, work, new TestClock()).catch(() => {})
  }
  await send('the sender', true)
  await send('an attacker', false)
  await send('the sender again', false)
  expect(runs).toEqual(['the sender', 'an attacker'])
})

it('Node answers 100 Continue before the request is refused', async () => {
  const { port } = await startServer()
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.write(textOf({ expect: '100-continue', 'content-length': '6' }, ''))
  let answer = ''
  for await (const chunk of socket) answer += chunk
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 .*\r\nConnection: close\r\n/s)
})

it('a valid request behind an early refusal on the same connection gets no response', async () => {
  const { port, accepted } = await startServer()
  const { headers, body } = signedRequest()
  expect(await write(port, textOf(headers, String(body)))).toMatch(/^HTTP\/1\.1 204 /)

  const socket = connect(port, '127.0.0.1')
    .setEncoding('latin1')
    .on('error', () => {})
  socket.write(textOf({ 'content-length': '6' }, 'a '))
  const behind = signedRequest({ nonce: 'behind' })
  const [refused] = await once(socket, 'data')
  socket.write(`body${textOf(behind.headers, String(behind.body))}`)
  let later = ''
  socket.on('data', (chunk) => {
    later += chunk
  })
  await once(socket, 'close')
  expect(refused).toMatch(/^HTTP\/1\.1 401 /)
  expect([later, accepted]).toEqual(['', [headers['x-nonce']]])
})
