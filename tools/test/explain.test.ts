import type { IncomingHttpHeaders } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RefusalLog, receive, refusal, refuse, WebhookRejectedError } from '../../src/index.js'
import type { RejectionReason } from '../../src/result.js'
import { receive as receiveStandard } from '../../src/standard-webhooks/index.js'
import { post, serve } from '../../test/support/http-server.js'
import { NOW, RecordingStore, SECRET, signedRequest, TestClock } from '../../test/support/request.js'
import { SimulatedTime } from '../../test/support/simulated-time.js'
import { diagnose } from '../src/index.js'
import { findLeaks } from './leaks.js'

// Each test loads the module again, because the limits hold for a process.
let explain: typeof import('../src/explain.js').explain
beforeEach(async () => {
  vi.resetModules()
  explain = (await import('../src/explain.js')).explain
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Real mistakes of senders, and the secret of the receiver. */
const CASES: readonly { what: string; secret: string | Buffer; headers: Record<string, string>; body: string }[] = [
  {
    what: 'the sender of Standard Webhooks signed another ID',
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1u',
    headers: {
      'webhook-id': 'evt_g15',
      'webhook-timestamp': '1795900000',
      'webhook-signature': 'v1,cen80faxyCQo0IPa0meAbGov7WChcpCXmMS5OVYKvrE=',
    },
    body: '{"k":15}',
  },
  {
    what: 'another system signed the request too, and the secret is the key itself',
    secret: Buffer.from('Zk3Qw8Lx2Vb6Nz0Ks5Rd9Mf1Pj7Gc4Ua'),
    headers: {
      'webhook-id': 'evt_g16',
      'webhook-timestamp': '1795900000',
      'webhook-signature': 'v1,xL0/vtDHW9b7InJ50j86AM6Okyc/wkaW5B+0WIDsgws=',
      'x-signature': 'a signature of another system',
    },
    body: '{"k":16}',
  },
  {
    what: 'the body contains the secret',
    secret: SECRET,
    headers: signedRequest({ timestamp: '1795900000', body: '{}\n' }).headers,
    body: `{"secret":"${SECRET}"}`,
  },
  {
    what: 'the timestamp has a letter',
    secret: 'Ht3nYw8Lq2Vx6Bz0Ks5Rd9Mf1Pj7Gc4Ua',
    headers: {
      'X-Timestamp': '1795900000Z',
      'X-Nonce': 'g4',
      'X-Signature': '85dca74b739c413d1d63f801dfd605d38be6ba0d23eb9b839b88c18d49a3510a',
    },
    body: '{"n":4}',
  },
]

describe.each(CASES)('a live handler, if $what', ({ secret, headers, body }) => {
  const clock = new TestClock(1_795_900_000_000)

  /** Sends the request to a handler with this source, and returns the lines of its log, and the headers as the handler received them. */
  async function linesOf(hasRawBody: boolean) {
    const lines: string[] = []
    let logged: Promise<void> | undefined
    let received: IncomingHttpHeaders = {}
    const port = await serve(async (request, response) => {
      received = request.headers
      try {
        const rawBody = hasRawBody ? Buffer.concat(await request.toArray()) : undefined
        const source = { webhookId: '42', request: rawBody ? { headers: received, rawBody } : request }
        const store = new RecordingStore()
        await ('webhook-id' in headers
          ? receiveStandard(source, secret, store, clock)
          : receive(source, String(secret), store, clock))
      } catch (error) {
        const log = explain(secret, { clock, log: ({ message }) => void lines.push(message) })
        refuse(response, error, {
          log(entry) {
            logged = log(entry)
          },
        })
      }
    })
    expect(await post(port, body, headers)).toMatchObject({ status: 401, text: '' })
    await logged
    return { lines, received }
  }

  it('gets the findings of diagnose, without the secret', async () => {
    const { lines, received } = await linesOf(true)
    const [usual = '', ...found] = lines
    const { findings } = await diagnose({ webhookId: '42', headers: received, body }, secret, clock)
    const start = /^Webhook 42: \w+: /.exec(usual)?.[0]
    expect(findings.length).toBeGreaterThan(0)
    expect(found).toHaveLength(findings.length)
    for (const [index, { code, message, evidence = '', fix }] of findings.entries()) {
      const parts = [`${start}${message} (${code})`, ...`${evidence}\n${fix}`.split(/:?\s*\n\s*/)]
      for (const part of parts) expect(found[index]).toContain(part)
    }
    const text = found.join('\n').replace(/\b[0-9a-f]{64}\b/g, 'a hash')
    expect(text).not.toMatch(/[^\P{Cc}\n]/u)
    expect(findLeaks(text, String(secret), JSON.stringify([headers, usual]))).toEqual([])
  })

  it('gets no finding if the body is not read, because the headers break a rule', async () => {
    expect((await linesOf(false)).lines.length > 1).toBe(!headers['X-Timestamp']?.includes('Z'))
  })
})

/** The error of a request to this webhook whose sender also signed a newline. */
function rejection(
  webhookId?: string,
  { reason = 'signature_mismatch' as RejectionReason, body = Buffer.from('a') } = {},
) {
  const { headers } = signedRequest({ body: Buffer.concat([body, Buffer.from('\n')]) })
  const rejected = { ok: false, reason: reason as 'replayed_nonce', message: 'A message.' } as const
  return new WebhookRejectedError(rejected, webhookId, { headers, body })
}

const entryOf = (error: unknown): RefusalLog => ({ level: 'warn', status: 401, message: 'the usual line', error })

/** Lets the limits count by a clock. */
function limitBy(clock: TestClock): void {
  vi.spyOn(performance, 'now').mockImplementation(() => clock.now())
}

/** Returns a function that logs an error, and resolves to how many lines were added to the usual line. */
function open(clock = new TestClock(), secret: Parameters<typeof explain>[0] = SECRET) {
  limitBy(clock)
  return async (error: unknown, during = () => {}) => {
    const lines: RefusalLog[] = []
    const entry = entryOf(error)
    const log = (one: RefusalLog) => {
      lines.push(one)
      if (one !== entry) during()
    }
    await explain(secret, { clock, log })(entry)
    expect(lines[0]).toBe(entry)
    return lines.slice(1).map(({ message }) => message)
  }
}

const FOUND = [expect.stringMatching(/^Webhook \w+: \w+: .*\(body_newline\).* Fix, on .+ side: /)]

it('10 000 forged requests get one explanation', async () => {
  const clock = new TestClock()
  limitBy(clock)
  const lines: string[] = []
  const log = explain(SECRET, { clock, log: ({ message }) => void lines.push(message) })
  const logged: Promise<void>[] = []
  for (let number = 0; number < 10_000; number++) {
    const { headers } = signedRequest({ nonce: `n${number}`, secret: 'another secret' })
    const request = { headers, rawBody: Buffer.from(`${number}`) }
    const error = await receive({ webhookId: '42', request }, SECRET, new RecordingStore(), clock).catch((e) => e)
    refusal(error, { log: (entry) => void logged.push(log(entry)) })
    // The clock of a receiver with 100 requests per second.
    clock.milliseconds += 10
  }
  await Promise.all(logged)
  const isFinding = (line: string) => line.includes(' (signature_mismatch) | ')
  expect(lines.filter((line) => !isFinding(line))).toHaveLength(10_000)
  expect(lines.filter(isFinding)).toHaveLength(1)
})

describe('an explanation', () => {
  it('runs alone, also if several handlers call explain', async () => {
    const both = await Promise.all([open()(rejection('42')), open()(rejection('43'))])
    expect(both).toEqual([FOUND, []])
  })

  it.each([
    ['1000 ms', 1000, 50_000],
    ['less than 1 ms', 0, 50],
  ])('that took %s is the last for 50 times as long', async (_, took, rest) => {
    const clock = new TestClock()
    const log = open(clock)
    const pass = () => {
      clock.milliseconds += took
    }
    expect(await log(rejection('1'), pass)).toEqual(FOUND)
    clock.milliseconds += rest - 1
    expect(await log(rejection('2'))).toEqual([])
    clock.milliseconds += 1
    expect(await log(rejection('2'))).toEqual(FOUND)
  })

  it('comes once per webhook, reason and hour', async () => {
    const clock = new TestClock()
    const isExplained = async (later: number, reason: RejectionReason) => {
      clock.milliseconds += later
      return (await open(clock)(rejection('42', { reason }))).length > 0
    }
    expect(await isExplained(0, 'signature_mismatch')).toBe(true)
    expect(await isExplained(3_599_999, 'signature_mismatch')).toBe(false)
    expect(await isExplained(0, 'invalid_nonce')).toBe(true)
    expect(await isExplained(50, 'signature_mismatch')).toBe(true)
    expect(await isExplained(50, 'invalid_nonce')).toBe(false)
    expect(await isExplained(3_600_000 - 150, 'signature_mismatch')).toBe(false)
    expect(await isExplained(50, 'invalid_nonce')).toBe(true)
  })

  it('has at most 64 KB of body', async () => {
    expect(await open()(rejection('42', { body: Buffer.alloc(65_537, 97) }))).toEqual([
      'Webhook 42: signature_mismatch: Not explained, because the body has 65537 bytes. Pass it to diagnose.',
    ])
    expect(await open(new TestClock(NOW + 50))(rejection('43', { body: Buffer.alloc(65_536, 97) }))).toEqual(FOUND)
  })

  it.each<[string, unknown]>([
    ['a replay', rejection('42', { reason: 'replayed_nonce' })],
    ['an unknown webhook', rejection(undefined, { reason: 'unknown_webhook' })],
    [
      'a request whose body was not read',
      new WebhookRejectedError({ ok: false, reason: 'invalid_nonce', message: '' }),
    ],
    ['an error of your code', Object.assign(rejection('42'), { code: 'ERR_OTHER' })],
    ['text', 'text'],
  ])('is not for %s', async (_, error) => {
    expect(await open()(error)).toEqual([])
  })

  it('begins when the response was sent', async () => {
    let isAsked = false
    const log = open(new TestClock(), () => {
      isAsked = true
      return SECRET
    })
    const lines = log(rejection('42'))
    await new Promise<void>(process.nextTick)
    await new Promise<void>(queueMicrotask)
    expect(isAsked).toBe(false)
    expect(await lines).toEqual(FOUND)
  })

  it('is one line, whatever the ID of the webhook is', async () => {
    const [line] = await open()(rejection(`4\n${'2'.repeat(200)}`))
    expect(line).toMatch(/^Webhook 4\\u000a2{198}… \(202 characters\): signature_mismatch: The sender signed /)
  })

  it('uses the secret of the webhook', async () => {
    const asked: string[] = []
    const find = async (webhookId: string) => {
      asked.push(webhookId)
      return webhookId === '42' ? ['another secret', SECRET] : null
    }
    const clock = new TestClock()
    for (const [webhookId, lines] of [
      ['42', FOUND],
      ['43', []],
      [undefined, []],
    ] as const) {
      expect(await open(clock, find)(rejection(webhookId))).toEqual(lines)
      clock.milliseconds += 50
    }
    expect(asked).toEqual(['42', '43'])
  })

  it('can be the next for the same webhook after one that failed', async () => {
    const clock = new TestClock()
    const failing = open(clock, () => Promise.reject(new Error('no connection')))
    await expect(failing(rejection('42'))).rejects.toThrow('no connection')
    clock.milliseconds += 50
    expect(await open(clock)(rejection('42'))).toEqual(FOUND)
  })

  it('waits at most 10 s for a secret', async () => {
    const time = new SimulatedTime()
    time.start()
    try {
      const hanging = explain(() => new Promise(() => {}), { log: () => {} })(entryOf(rejection('42')))
      const outcome = hanging.catch(String)
      for (let turn = 0; turn < 3; turn++) await nextTurn()
      await time.pass(10_000)
      expect(await outcome).toMatch(/^Error: No secret within 10000 ms\. Check /)
      time.now += 500_000
      const log = vi.fn()
      await explain(SECRET, { log })(entryOf(rejection('43')))
      expect(log).toHaveBeenCalledTimes(3)
    } finally {
      time.stop()
    }
  })

  it('rejects as the log does, so that refuse can say so', async () => {
    const log = explain(SECRET, { log: () => Promise.reject(new Error('disk full')) as never })
    await expect(log({ level: 'warn', status: 401, message: '', error: 'text' })).rejects.toThrow('disk full')
  })

  it('goes to the console by default, and changes no response', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const response = refusal(rejection('42'), { log: explain(SECRET) })
    expect(warn.mock.calls).toEqual([['Webhook 42: signature_mismatch: A message.']])
    expect([response.status, response.body]).toEqual([401, null])
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(3))
    expect(warn.mock.calls[1]).toEqual(FOUND)
  })
})

it('explain refuses an unknown option', () => {
  expect(() => explain(SECRET, { logger: console } as never)).toThrow(
    'options.logger is unknown. Use one of: log, clock.',
  )
})
