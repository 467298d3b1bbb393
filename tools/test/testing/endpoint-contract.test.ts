import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handle, MemoryNonceStore, refusal } from '../../../src/index.js'
import * as standard from '../../../src/standard-webhooks/index.js'
import { SimulatedTime } from '../../../test/support/simulated-time.js'
import { PRIVATE_KEY, PUBLIC_KEY } from '../../../test/support/standard-webhooks.js'
import { SIMULATED, SimulatedDatabase } from '../../../test/support/transactions/simulated-database.js'
import type { EndpointFault } from '../../src/testing/endpoint/faults.js'
import type { EndpointCaseCode } from '../../src/testing/endpoint/rows.js'
import { type EndpointContractOptions, type EndpointResult, endpointContract } from '../../src/testing/index.js'
import {
  type Answered,
  MISTAKES,
  Receiver,
  SIGNED_OTHERWISE,
  STANDARD_MISTAKES,
  STANDARD_SIGNED_OTHERWISE,
  StandardReceiver,
} from './receivers/receiver.js'
import { postDirectly } from './receivers/serve.js'

const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'
const STANDARD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const STANDARD = { secret: STANDARD_SECRET, scheme: 'standard-webhooks' } as const

// No test waits: the time of the contract is simulated.
const time = new SimulatedTime()
beforeAll(() => time.start())
afterAll(() => time.stop())

type Failure = Extract<EndpointResult, { ok: false }>

/** Runs the cases in their order, by default all of them, and returns what those found that fail. Ends if the first one fails. */
async function failures(
  options: EndpointContractOptions,
  isTried: (code: EndpointCaseCode) => boolean = () => true,
): Promise<Record<string, Failure>> {
  const found: Record<string, Failure> = {}
  for (const { code, check } of endpointContract({ timeout: 60_000, ...options })) {
    if (!isTried(code)) continue
    const result = await time.until(check())
    if (!result.ok) found[code] = result
    if (code === 'accepted-json' && !result.ok) break
  }
  return found
}

const CODES = endpointContract({ post: () => ({ status: 500 }), secret: SECRET }).map(({ code }) => code)

it.each([401, 409, 400, 403])('a right receiver that rejects with %d passes every case', async (status) => {
  const post = postDirectly(new Receiver(SECRET, status))
  expect(await failures({ post, secret: SECRET })).toEqual({})
})

/** The faults of mistakes that answer with a status of their own. */
const FAULTS: Record<string, EndpointFault> = {
  'answers 415 to bytes': 'content-type',
  'has a limit of 100 KB': 'too-large',
  'throws for a large timestamp': 'server-error',
}

describe('the contract finds the mistake of a receiver that', () => {
  it.each(MISTAKES)('$name', async (mistake) => {
    const { name, fails, says, apply } = mistake
    const receiver = new Receiver(SECRET)
    const post = postDirectly(Object.assign(receiver, apply(receiver)))
    // Besides the cases that must fail, a third of those that must pass is tried, which differs from mistake to mistake.
    const offset = MISTAKES.indexOf(mistake)
    const isTried = (code: EndpointCaseCode) =>
      // The last case judges what the others left behind.
      fails.includes(code) || fails.includes('answers-alive') || (CODES.indexOf(code) + offset) % 3 === 0
    const found = await failures({ post, secret: SECRET }, isTried)
    expect(Object.keys(found)).toEqual(fails)
    const [{ cause, fix, fault } = {} as Failure] = Object.values(found)
    expect(`${cause} ${fix}`).toMatch(says)
    if (FAULTS[name] !== undefined) expect(fault).toBe(FAULTS[name])
  })

  it('fails each case alone', () => {
    const alone = MISTAKES.flatMap(({ fails }) => (fails.length === 1 ? fails : []))
    expect(CODES.filter((code) => !alone.includes(code))).toEqual([])
  })
})

/** A receiver of Standard Webhooks that uses the text of the secret as the key. */
class TextKeyReceiver extends StandardReceiver {
  override signatureOf([timestamp, messageId]: readonly [string, string, string], body: Buffer): string {
    const options = { messageId, timestamp: Number(timestamp) }
    return standard.sign(body, Buffer.from(this.secret), options)['webhook-signature']
  }
}

describe('the contract of Standard Webhooks', () => {
  const right = () => postDirectly(new StandardReceiver(STANDARD_SECRET))
  const codes = endpointContract({ ...STANDARD, post: right() }).map(({ code }) => code)

  it('has the cases of both schemes, and a few of its own', () => {
    expect(codes.filter((code) => !CODES.includes(code))).toEqual([
      'accepted-retry',
      'accepted-signatures',
      'signature-version',
    ])
    expect(CODES.filter((code) => !codes.includes(code))).toEqual(['nonce-form', 'replay-other-body'])
  })

  it('is passed by a right receiver, and by this library', async () => {
    expect(await failures({ ...STANDARD, post: right() })).toEqual({})
    const nonceStore = new MemoryNonceStore()
    const post: EndpointContractOptions['post'] = async (headers, body) => {
      const { ok } = await standard.verify({ webhookId: '42', headers, body }, STANDARD_SECRET, nonceStore)
      return { status: ok ? 204 : 401 }
    }
    expect(await failures({ ...STANDARD, post })).toEqual({})
    expect(await failures({ ...STANDARD, secret: Buffer.from(STANDARD_SECRET.slice(6), 'base64'), post })).toEqual({})
  })

  describe('with a private key', () => {
    const ED25519 = { ...STANDARD, secret: PRIVATE_KEY }
    const nonceStore = new MemoryNonceStore()
    /** Returns the `post` of a receiver that changes the signature before it verifies it with this library. */
    const verifying =
      (change = (signature: string) => signature): EndpointContractOptions['post'] =>
      async (headers, body) => {
        const changed = headers.map(
          ([name, value]) => [name, name.endsWith('-signature') ? change(value) : value] as const,
        )
        const { ok } = await standard.verify({ webhookId: '42', headers: changed, body }, PUBLIC_KEY, nonceStore)
        return { status: ok ? 204 : 401 }
      }

    it('is passed by this library with the public key', async () => {
      expect(await failures({ ...ED25519, post: verifying() })).toEqual({})
    })

    it('finds that a receiver reads v1 as v1a', async () => {
      const found = await failures({ ...ED25519, post: verifying((value) => value.replace(/^v1,/, 'v1a,')) })
      expect(found).toMatchObject({ 'signature-version': { fix: expect.stringContaining('begin with v1a') } })
    })

    it('names neither HMAC nor v1, in its advice', async () => {
      const texts = JSON.stringify(await failures({ ...ED25519, post: () => ({ status: 204 }) }))
      expect(texts).toContain('Verify each entry that begins with v1a')
      expect(texts).not.toMatch(/HMAC|v1,|X-|\b44\b/)
      expect(() => endpointContract({ ...ED25519, secret: PUBLIC_KEY, post: right() })).toThrow(
        'secret is a public key',
      )
      expect(() => endpointContract({ ...ED25519, scheme: 'ed25519' as never, post: right() })).toThrow(
        'scheme must be',
      )
    })
  })

  it.each(STANDARD_MISTAKES)('finds the mistake of a receiver that $name', async ({ fails, says, apply }) => {
    const receiver = new StandardReceiver(STANDARD_SECRET)
    const found = await failures({ ...STANDARD, post: postDirectly(Object.assign(receiver, apply(receiver))) })
    expect(Object.keys(found)).toEqual(fails)
    const [{ cause, fix } = {} as Failure] = Object.values(found)
    expect(`${cause} ${fix}`).toMatch(says)
  })

  it.each(STANDARD_SIGNED_OTHERWISE)('finds what a receiver expects instead: %s', async (_, says, parts) => {
    const receiver = new StandardReceiver(STANDARD_SECRET)
    const post = postDirectly(Object.assign(receiver, typeof parts === 'function' ? parts(receiver) : parts))
    expect(await failures({ ...STANDARD, post })).toMatchObject({
      'accepted-json': { fault: 'refused', cause: expect.stringMatching(says) },
    })
  })

  it('names X-Signature nowhere, and the other contract names webhook-signature nowhere', async () => {
    const texts = async (options: EndpointContractOptions) => JSON.stringify(await failures(options))
    const accepting = { post: () => ({ status: 204 }) }
    expect(await texts({ ...STANDARD, ...accepting })).not.toMatch(/X-|hex digits/)
    expect(await texts({ secret: SECRET, ...accepting })).not.toMatch(/webhook-|v1,/)
  })

  it.each<[string, EndpointContractOptions['scheme'], string, Receiver, RegExp]>([
    [
      'X-Signature',
      'x-signature',
      STANDARD_SECRET,
      new StandardReceiver(STANDARD_SECRET),
      /--scheme standard-webhooks/,
    ],
    ['text as the key', 'x-signature', SECRET, new TextKeyReceiver(SECRET), /--scheme standard-webhooks/],
    ['the standard', 'standard-webhooks', STANDARD_SECRET, new Receiver(STANDARD_SECRET), /X-Nonce.*without --scheme/],
  ])('names the other scheme if the endpoint keeps that one: %s', async (_, scheme, secret, other, says) => {
    const { cause, fix } = (await failures({ scheme, secret, post: postDirectly(other) }))['accepted-json'] as Failure
    expect(`${cause} ${fix}`).toMatch(says)
  })

  it.each([
    [{ scheme: 'svix' }, "scheme must be 'x-signature' or 'standard-webhooks'."],
    [{ secret: 'not.base64!' }, 'secret is not base64, even without a prefix such as whsec_.'],
    [{ secret: '' }, 'secret is an empty string.'],
    [{ secret: Buffer.of() }, 'secret has no bytes.'],
    [{ secret: Buffer.from(SECRET), scheme: undefined }, 'secret is'],
  ])('refuses %j', (options, message) => {
    const all = { ...STANDARD, post: right(), ...options } as EndpointContractOptions
    expect(() => endpointContract(all)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining(message) }),
    )
  })
})

describe('if the endpoint refuses the first request, the contract finds what it expects instead:', () => {
  it.each(SIGNED_OTHERWISE)('%s', async (_, says, parts, secret = SECRET) => {
    const receiver = new Receiver(secret)
    const post = postDirectly(Object.assign(receiver, typeof parts === 'function' ? parts(receiver) : parts))
    const found = await failures({ post, secret })
    expect(found).toMatchObject({ 'accepted-json': { fault: 'refused', cause: expect.stringMatching(says) } })
  })

  it.each([
    [404, 'refused', /response is 404, so no handler .* or the handler finds no webhook there/],
    [405, 'refused', /response is 405, so no handler/],
    [413, 'too-large', /413/],
    [302, 'redirected', /redirect/],
    [500, 'server-error', /for a valid request\. .*exception/],
    [429, 'too-many', /429/],
    [100, 'no-answer', /No response/],
  ])('the status %d', async (status, fault, says) => {
    const found = await failures({ post: () => ({ status }), secret: SECRET })
    expect(found).toEqual({
      'accepted-json': {
        ok: false,
        statuses: [status],
        fault,
        cause: expect.stringMatching(says),
        fix: expect.any(String),
      },
    })
  })
})

it('the contract names clocks that differ if a case near the end of the window fails', async () => {
  const late = Object.assign(new Receiver(SECRET), { isInWindow: (age: number) => Math.abs(age - 100) <= 300 })
  const post = postDirectly(late)
  const dated: EndpointContractOptions['post'] = async (...request) => ({
    ...(await post(...request)),
    headers: new Headers({ Date: new Date(Date.now() - 100_000).toUTCString() }),
  })
  const found = await failures({ post: dated, secret: SECRET })
  expect(Object.keys(found)).toEqual(['accepted-ahead', 'timestamp-old'])
  for (const { cause } of Object.values(found)) expect(cause).toMatch(/clock of the endpoint is (99|100|101) s behind/)
})

describe('a rejection with the right signature fails', () => {
  const leaky =
    (answerOf: (right: string, received: string) => Partial<Answered>, right = new Receiver(SECRET)) =>
    async (request: IncomingMessage, sent: Buffer): Promise<Answered> => {
      const answered = await right.answer(request, sent)
      const [timestamp = '', nonce = '', received = ''] = right.names.map((name) => String(request.headers[name]))
      if (answered.status !== 401) return answered
      return { ...answered, ...answerOf(right.signatureOf([timestamp, nonce, received], sent), received) }
    }
  const leaksOf = async (answer: Receiver['answer'], options: object = { secret: SECRET }) => {
    const found = await failures({ post: postDirectly({ answer }), ...options } as EndpointContractOptions)
    return Object.entries(found).flatMap(([code, { fault }]) => (fault === 'leaks-signature' ? [code] : []))
  }
  const base64 = (hex: string, form: 'base64' | 'base64url') => Buffer.from(hex, 'hex').toString(form)

  it.each<[string, (right: string) => Partial<Answered>]>([
    ['in the text', (right) => ({ text: `{"expected":"${right}"}` })],
    ['in uppercase', (right) => ({ text: right.toUpperCase() })],
    ['in base64', (right) => ({ text: base64(right, 'base64') })],
    ['in base64, as PHP writes JSON', (right) => ({ text: base64(right, 'base64').replaceAll('/', '\\/') })],
    ['in base64url', (right) => ({ text: base64(right, 'base64url') })],
    ['in a header', (right) => ({ headers: { 'x-expected': `sha256=${right}` } })],
    ['in the status line', (right) => ({ statusText: `Expected ${right}` })],
  ])('%s', async (_, answerOf) => {
    const codes = await leaksOf(leaky(answerOf))
    expect(codes).toEqual(expect.arrayContaining(['signature-other-secret', 'signature-empty', 'body-changed']))
    expect(codes).toEqual(expect.arrayContaining(['headers-no-signature', 'answers-hostile']))
    // These requests have the right signature themselves.
    expect(codes.filter((code) => /^(accepted|timestamp|replay-again|signature-form)/.test(code))).toEqual([])
  })

  it('but not one with the received signature', async () => {
    expect(await leaksOf(leaky((_, received) => ({ text: `wrong signature ${received}` })))).toEqual([])
  })
})

it('the contract names a handler that answers before its check has ended the process', async () => {
  const right = postDirectly(new Receiver(SECRET))
  let isRunning = true
  const post: EndpointContractOptions['post'] = async (...request) => {
    if (!isRunning) throw new Error('ECONNREFUSED')
    isRunning = (await right(...request)).status === 204
    return { status: 204 }
  }
  const found = await failures({ post, secret: SECRET }, (code) => /^accepted-(json|bytes)$/.test(code))
  expect(found).toMatchObject({
    'accepted-bytes': { fault: 'answers-early', cause: expect.stringMatching(/responds before the check ends/) },
  })
})

describe('the contract', () => {
  const right = () => postDirectly(new Receiver(SECRET))
  const caseOf = (code: string, options: Partial<EndpointContractOptions> = {}) => {
    const found = endpointContract({ post: right(), secret: SECRET, timeout: 60_000, ...options }).find(
      (one) => one.code === code,
    )
    if (found === undefined) throw new Error(`no case ${code}`)
    return found
  }
  /** Returns the response of another function for the last of some requests. */
  const last = (count: number, answer: () => Answered): EndpointContractOptions['post'] => {
    const post = right()
    let requests = 0
    return (...request) => (++requests < count ? post(...request) : answer())
  }

  it('throws an error with the cause and the fix', async () => {
    const [{ apply } = { apply: () => ({}) }] = MISTAKES.filter(({ name }) => name === 'accepts base64')
    const receiver = new Receiver(SECRET)
    const post = postDirectly(Object.assign(receiver, apply(receiver)))
    await expect(time.until(caseOf('signature-form', { post }).run())).rejects.toThrow(
      /^Sent: the signature in another form\. Came: 401, 401, 204\. Sent: base64\. A signature .* is accepted\. .* Compute lowercase hex/,
    )
    await time.until(caseOf('signature-form').run())
  })

  it.each([
    ['replay-copies', { status: 500 }, 'server-error'],
    // The copies block each other.
    ['replay-copies', { status: 409 }, 'none-accepted'],
    ['replay-copies', { status: 503, headers: { 'retry-after': '1' } }, 'unavailable'],
  ])('judges all responses of %s: %j', async (code, answer, fault) => {
    const found = await time.until(caseOf(code, { post: last(3, () => answer) }).check())
    expect(found).toMatchObject({ ok: false, fault })
  })

  it.each<[string, () => object, object]>([
    ['with Retry-After', () => ({ status: 503, headers: { 'retry-after': '1' } }), { ok: true }],
    ['with Retry-After of Fetch', () => ({ status: 503, headers: new Headers({ 'Retry-After': '1' }) }), { ok: true }],
    ['without Retry-After', () => ({ status: 503 }), { ok: false, fault: 'unavailable' }],
    [
      'with another status',
      () => ({ status: 500, headers: { 'retry-after': '1' } }),
      { ok: false, fault: 'server-error' },
    ],
  ])('lets an endpoint answer 503 to copies while the first one is in work: %s', async (_, busy, result) => {
    const post = right()
    const working: EndpointContractOptions['post'] = async (headers, body, delivery) => {
      const answer = await post(headers, body, delivery)
      return delivery.together > 1 && answer.status === 401 ? (busy() as typeof answer) : answer
    }
    expect(await time.until(caseOf('replay-copies', { post: working }).check())).toMatchObject(result)
  })

  it.each<[string, EndpointContractOptions['post']]>([
    ['never answers', () => new Promise(() => {})],
    ['never ends its body', () => ({ status: 204, text: () => new Promise(() => {}) })],
    ['breaks its body off', () => ({ status: 204, text: () => Promise.reject(new TypeError('terminated')) })],
  ])('counts an endpoint that %s as no response', async (_, post) => {
    const first = caseOf('accepted-json', { post, timeout: 10 })
    expect(await time.until(first.check())).toMatchObject({ ok: false, statuses: [0], fault: 'no-answer' })
    await expect(time.until(first.run())).rejects.toThrow('Came: no response.')
  })

  it('sends copies again that a short queue of connections dropped', async () => {
    const post = right()
    let copies = 0
    const short: EndpointContractOptions['post'] = async (headers, body, delivery) =>
      delivery.together > 1 && ++copies > 6 ? Promise.reject(new Error('ECONNRESET')) : post(headers, body, delivery)
    const result = await time.until(caseOf('replay-copies', { post: short }).check())
    expect([result.ok, copies]).toEqual([true, 20])
  })

  it('skips the cases about other bodies if there is an event', async () => {
    const cases = endpointContract({ post: right(), secret: SECRET, body: '{"event":"paid"}' })
    const skipped = cases.filter(({ isSkipped }) => isSkipped)
    expect(skipped.map(({ code }) => code)).toEqual([
      ...['accepted-empty', 'accepted-bytes', 'accepted-text', 'accepted-form', 'accepted-plain-text'],
      ...['accepted-compressed', 'accepted-100-kb'],
    ])
    expect(skipped[0]?.name).toBe('not tested: accepted-empty: an empty body is accepted. Leave out body')
    expect(await skipped[0]?.check()).toEqual({ ok: true, statuses: [] })
    await skipped[0]?.run()
    expect(await failures({ post: right(), secret: SECRET, body: Buffer.from('no colon') })).toEqual({})
    expect(await failures({ post: right(), secret: SECRET, body: '' })).toEqual({})
  })

  it.each(SIMULATED)(
    'replaces {{uuid}}, so that a handler with eventId over %s passes every case',
    async (_, Store) => {
      const store = new Store(new SimulatedDatabase().client)
      const events: string[] = []
      const eventId = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).id
      const post: EndpointContractOptions['post'] = async (headers, body) => {
        const source = { webhookId: '42', request: { headers, body: Buffer.from(body) }, eventId }
        try {
          await handle(source, SECRET, store, (webhook) => events.push(eventId(webhook)))
          return { status: 204 }
        } catch (error) {
          return refusal(error, { log() {} })
        }
      }
      expect(await failures({ post, secret: SECRET, body: '{"id":"{{uuid}}","text":"\u00e9"}' })).toEqual({})
      expect(new Set(events).size).toBe(events.length)
      expect(events.length).toBeGreaterThan(20)
      for (const id of events) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    },
  )

  it.each([
    [{ post: 'http://localhost/' }, 'post is a string. Pass a function that sends a request'],
    [{ secret: '' }, 'secret is an empty string. Pass the signing secret'],
    [{ clock: {} }, 'clock'],
    [{ body: { event: 'paid' } }, 'body is an object. Pass the bytes or the text'],
    [{ instances: 0 }, 'instances is not a whole number above 0.'],
    [{ timeout: 0 }, 'timeout must be a whole number of milliseconds from 1 to 2147483647.'],
    // A timer of Node would not wait at all.
    [{ timeout: Number.POSITIVE_INFINITY }, 'timeout must be a whole number of milliseconds from 1 to 2147483647.'],
    [{ other: 1 }, 'options.other is unknown.'],
  ])('refuses the options %j', (options, message) => {
    const all = { post: right(), secret: SECRET, ...options } as unknown as EndpointContractOptions
    expect(() => endpointContract(all)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT', message: expect.stringContaining(message) }),
    )
  })

  it('refuses a post that returns no status', async () => {
    const post = (() => undefined) as unknown as EndpointContractOptions['post']
    await expect(time.until(caseOf('accepted-json', { post }).run())).rejects.toThrow(
      'post returned undefined without a status.',
    )
  })
})
