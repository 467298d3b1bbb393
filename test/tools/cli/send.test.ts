import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { MemoryNonceStore, type NonceStore, verify } from '../../../src/index.js'
import { canBeSplitDifferently } from '../../../src/rules/nonce.js'
import { type Attempt, findCause, lengthenNonce, tamperBody } from '../../../src/tools/cli/commands/attempts.js'
import { isAccepted, isRejected } from '../../../src/tools/cli/http-client.js'
import { NONCE, NOW, TestClock } from '../../support/request.js'
import { call, FROM_ENV } from './call.js'

/** A secret of 32 random bytes, because a weaker one adds a note to the output. */
const SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

type Handler = (request: IncomingMessage, body: Buffer, response: ServerResponse) => unknown

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Starts a server that reads each request and responds with `handler`. */
async function serve(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    await handler(request, Buffer.concat(chunks), response)
    response.end()
  })
  return `http://127.0.0.1:${await listening(server)}/hooks/42?a=b`
}

/** Starts an endpoint that verifies, with the given weaknesses. */
async function endpoint({
  nonceStore = new MemoryNonceStore() as NonceStore,
  clock = new TestClock(),
  secret = SECRET,
  rejection = 401,
  refuses = (_request: IncomingMessage): boolean => false,
} = {}): Promise<string> {
  return serve(async (request, body, response) => {
    const result = await verify({ webhookId: '42', headers: request.headers, body }, secret, nonceStore, clock)
    response.statusCode = result.ok && !refuses(request) ? 204 : rejection
  })
}

const BODY = '{"event":"paid","amount":100}'
const ALL = ['--replay', '--tamper', '--age', '301', '--resplit']

const green = (text: string) => `\x1b[32m\x1b[1m${text}\x1b[22m\x1b[39m`
const red = (text: string) => `\x1b[31m\x1b[1m${text}\x1b[22m\x1b[39m`

function send(url: string, args: readonly string[] = [], stdin: string | Uint8Array = BODY, clock = new TestClock()) {
  return call(['send', url, '-', ...FROM_ENV, ...args], { stdin, clock, env: { WEBHOOK_SECRET: SECRET } })
}

describe('send', () => {
  it('signs and sends a body, and prints that it was accepted', async () => {
    const { exitCode, text, stderr } = await send(await endpoint())
    expect([exitCode, stderr, text]).toEqual([0, '', 'Accepted: 204 No Content\n'])
  })

  it.each([[[]], [['--json']]])('masks the secret if the endpoint answers with it: %j', async (args) => {
    const url = await serve((_request, _body, response) => {
      const headers = { Location: `/${SECRET}`, 'Set-Cookie': [`a=${SECRET}`], 'Content-Type': 'text/plain' }
      response.writeHead(302, `Found ${SECRET}`, headers).write(`the key is ${SECRET}`)
    })
    const { text, stderr } = await send(url, args)
    expect(text).toContain('the key is [secret]')
    expect(text + stderr).not.toContain(SECRET)
  })

  it('sends exactly these headers and bytes', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    let got: { raw: string[]; url: string | undefined; body: Buffer } | undefined
    const url = await serve((request, body) => {
      got = { raw: request.rawHeaders, url: request.url, body }
    })
    await send(url, ['--header', 'X-Test: a', '--header', 'x-test:b', '--header', 'user-agent: me'], bytes)
    expect(got?.url).toBe('/hooks/42?a=b')
    expect(got?.body.equals(bytes)).toBe(true)
    const pairs = Array.from({ length: (got?.raw.length ?? 0) / 2 }, (_, index) =>
      got?.raw.slice(2 * index, 2 * index + 2),
    )
    expect(pairs).toEqual([
      ['Host', new URL(url).host],
      ['Content-Type', 'application/octet-stream'],
      ['X-Timestamp', '1700000000'],
      ['X-Nonce', expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ['X-Signature', expect.stringMatching(/^[0-9a-f]{64}$/)],
      ['Content-Length', '256'],
      ['X-Test', 'a'],
      ['x-test', 'b'],
      ['user-agent', 'me'],
      ['Connection', 'close'],
    ])
  })

  it('prints the response, safe for a terminal', async () => {
    const url = await serve((_request, _body, response) => {
      response.writeHead(500, 'Oh\x80no')
      response.write('first\n\x1b[2Jsecond\n')
    })
    const { exitCode, text } = await send(url)
    expect(exitCode).toBe(1)
    expect(text).toBe(
      "Not accepted: 500 Oh\\u0080no\n\nfirst\n\\u001b[2Jsecond\nThe handler failed. The endpoint's log has the error.\n",
    )
  })

  it.each([
    [401, "The endpoint's log has the reason."],
    [307, 'Redirects are not followed. Location: /elsewhere'],
    [503, 'The endpoint did not decide.'],
    [404, ''],
  ])('exits with 1 for a response of %d', async (status, hint) => {
    let requests = 0
    const url = await serve((_request, _body, response) => {
      requests++
      response.writeHead(status, { Location: '/elsewhere' })
    })
    const { exitCode, text } = await send(url)
    expect([exitCode, requests]).toEqual([1, 1])
    expect(text).toContain(`Not accepted: ${status}`)
    expect(text).toContain(hint)
  })

  it('prints only the beginning of a long response', async () => {
    const url = await serve((_request, _body, response) => {
      for (let part = 0; part < 100; part++) response.write('x'.repeat(10_000))
    })
    const { exitCode, text } = await send(url)
    expect(exitCode).toBe(0)
    expect(text).toMatch(/\n\nx{16384}\n$/)
  })

  it('is a document with --json', async () => {
    const url = await serve((_request, _body, response) => response.writeHead(202, { 'X-A': 'b' }).write('{"a":1}'))
    const { exitCode, text, stderr } = await send(url, ['--json'])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(text)).toEqual({
      ok: true,
      attempts: [
        {
          kind: 'genuine',
          sent: 'a genuine request',
          expected: 'accepted',
          right: true,
          status: 202,
          statusText: 'Accepted',
          headers: expect.objectContaining({ 'x-a': 'b' }),
          body: '{"a":1}',
        },
      ],
      notes: [],
    })
  })

  it('prints a note about a secret that can be guessed, but uses it', async () => {
    const url = await endpoint({ secret: 'changeme' })
    const { exitCode, said } = await call(['send', url, '-', ...FROM_ENV], {
      stdin: BODY,
      clock: new TestClock(),
      env: { WEBHOOK_SECRET: 'changeme' },
    })
    expect(exitCode).toBe(0)
    expect(said).toMatch(/^The secret of --secret-env WEBHOOK_SECRET can be guessed: .* Use 32 random bytes/)
    expect(said).not.toContain('changeme')
  })

  it('prints a note about an empty body', async () => {
    expect(await send(await endpoint(), [], '')).toMatchObject({ exitCode: 0, stderr: 'The body is empty.\n' })
  })
})

describe('send says what to do if the genuine request is not accepted, so no attack is sent:', () => {
  it.each([
    [401, "The endpoint's log has the reason."],
    [404, 'Check the URL.'],
    [500, "The handler failed. The endpoint's log has the error."],
    [503, 'Its nonce store may be down.'],
  ])('%d', async (status, advice) => {
    const url = await serve((_request, _body, response) => {
      response.statusCode = status
    })
    const text = (await send(url, ['--replay'])).text.replaceAll('\n', ' ')
    expect(text).toContain(`The endpoint did not accept the genuine request, so no attack was sent. `)
    expect(text).toContain(advice)
  })
})

describe('send prints why there is no response', () => {
  it('if nothing listens on the port', async () => {
    const server = createServer()
    const port = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    servers.pop()
    const { exitCode, text } = await send(`http://127.0.0.1:${port}/`)
    expect([exitCode, text]).toEqual([1, 'Not accepted: no response (connection refused)\n'])
    const attack = await send(`http://127.0.0.1:${port}/`, ['--replay'])
    expect(attack.text).toContain('so no attack was sent. Check that the server runs')
    const { ok, attempts } = JSON.parse((await send(`http://127.0.0.1:${port}/`, ['--json'])).text)
    expect([ok, attempts]).toMatchObject([false, [{ status: 0, statusText: 'no response (connection refused)' }]])
  })

  it('if the timeout ends first', async () => {
    const server = createServer(() => {})
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server)}/`, ['--timeout', '0.1'])
    server.closeAllConnections()
    expect([exitCode, text]).toEqual([1, 'Not accepted: no response (none within 0.1 s)\n'])
  })

  it('if the server closes the connection', async () => {
    const server = createServer((request) => request.socket.destroy())
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server)}/`)
    expect([exitCode, text]).toEqual([
      1,
      expect.stringMatching(/no response \((connection reset by peer|ECONNRESET)\)/),
    ])
  })

  it('if the server closes the connection in the middle of its response', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('half', () => response.destroy())
    })
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server)}/`)
    expect([exitCode, text]).toEqual([
      1,
      expect.stringMatching(/no response \((connection reset by peer|ECONNRESET)\)/),
    ])
  })

  it('if the server does not use HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server as Server)}/`)
    expect([exitCode, text]).toEqual([1, expect.stringMatching(/no response \(HPE_/)])
  })

  it('if the server does not use TLS', async () => {
    const { exitCode, text } = await send((await endpoint()).replace('http:', 'https:'))
    expect([exitCode, text]).toEqual([1, expect.stringContaining('try http instead of https')])
  })

  it('if the certificate is not trusted', async () => {
    const server = createHttpsServer({ key: KEY, cert: CERTIFICATE })
    const { exitCode, text } = await send(`https://127.0.0.1:${await listening(server)}/`)
    expect([exitCode, text]).toEqual([
      1,
      expect.stringMatching(/certificate is not trusted \(\w+\)\. .*NODE_EXTRA_CA_CERTS\)/),
    ])
  })

  it('if a later attempt gets no response, and prints the earlier ones too', async () => {
    let requests = 0
    const server = createServer((request, response) => {
      if (requests++ === 0) response.writeHead(204).end()
      else request.socket.destroy()
    })
    const { exitCode, text } = await send(`http://127.0.0.1:${await listening(server)}/`, ['--replay'])
    expect(exitCode).toBe(1)
    expect(text).toMatch(/^sent .*\na genuine request .* as expected\nthe same .* no response .* UNEXPECTED STATUS\n/)
  })
})

it('a redirect without Location says so', async () => {
  const url = await serve((_request, _body, response) => {
    response.statusCode = 302
  })
  expect((await send(url)).text).toContain('Redirects are not followed. It has no Location.')
})

it('send refuses a secret that cannot be encoded', async () => {
  const env = { WEBHOOK_SECRET: '\ud800' }
  const { exitCode, stderr } = await call(['send', await endpoint(), '-', ...FROM_ENV], { env })
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('lone surrogate')])
})

describe('attacks', () => {
  it('are rejected by an endpoint that verifies', async () => {
    const { exitCode, text, stderr } = await send(await endpoint(), ALL)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toBe(`sent                           expected     response
a genuine request              2xx          204 No Content     as expected
the same request again         401          401 Unauthorized   as expected
one byte of the body changed   401          401 Unauthorized   as expected
signed 301 s ago               401          401 Unauthorized   as expected
re-split with a longer nonce   401          401 Unauthorized   as expected

The endpoint rejected every attack.
`)
  })

  it('--age within the window is not an attack', async () => {
    const { exitCode, text } = await send(await endpoint(), ['--age', '10'])
    expect(exitCode).toBe(0)
    expect(text).toMatch(/signed 10 s ago +2xx +204 No Content +as expected/)
    expect(text).toContain('No attack was sent.')
    expect(text).not.toContain('rejected every attack')
  })

  it('may be rejected with 403', async () => {
    expect(await send(await endpoint({ rejection: 403 }), ALL)).toMatchObject({ exitCode: 0 })
  })

  it('may be rejected with 400, which prints a note', async () => {
    const { exitCode, stderr } = await send(await endpoint({ rejection: 400 }), ALL)
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^Status 400 counts as rejected, but other errors have it too\. Answer 401/)
    expect((await send(await endpoint(), ALL)).stderr).toBe('')
  })

  it('are not rejected if the endpoint answers with another error', async () => {
    for (const rejection of [404, 429, 500, 302]) {
      const { exitCode, text } = await send(await endpoint({ rejection }), ['--replay'])
      expect(exitCode).toBe(1)
      expect(text).toContain('UNEXPECTED STATUS')
    }
  })

  it.each([
    ['--replay', 'the same request again', { nonceStore: { reserve: () => true } }],
    ['--resplit', 're-split with a longer nonce', { nonceStore: forgetful('signature ') }],
  ])('%s finds an endpoint without the check', async (option, sent, lacking) => {
    const { exitCode, text } = await send(await endpoint(lacking), ALL)
    expect(exitCode).toBe(1)
    expect(text).toMatch(new RegExp(`${sent} +401 +204 No Content +WRONGLY ACCEPTED`))
    expect((await send(await endpoint(), [option])).exitCode).toBe(0)
  })

  const withoutAwait = (options: Parameters<typeof endpoint>[0] = {}) => endpoint({ ...options, rejection: 204 })
  /** Starts an endpoint that verifies the expected body, and ignores the received one. */
  const withoutBody = () => {
    const nonceStore = new MemoryNonceStore()
    return serve(async ({ headers }, _body, response) => {
      const result = await verify({ webhookId: '42', headers, body: BODY }, SECRET, nonceStore, new TestClock())
      response.statusCode = result.ok ? 204 : 401
    })
  }
  const perRequest = () => endpoint({ nonceStore: { reserve: () => true } })

  it.each<[string, () => Promise<string>, string[], string]>([
    [
      'a missing `await` or `.ok`',
      withoutAwait,
      ALL,
      'A changed body was accepted. The handler probably ignores the result',
    ],
    ['the same, with one attack', withoutAwait, ['--tamper'], 'A changed body was accepted.'],
    [
      'a store per request',
      perRequest,
      ALL,
      'The replay was accepted. There is probably a nonce store per request or per process.',
    ],
    ['an age alone', withoutAwait, ['--age', '301'], 'A request from outside the window was accepted.'],
    ['a replay alone', perRequest, ['--replay'], 'If --tamper is accepted too, the handler ignores the result.'],
    ['another body', withoutBody, ALL, 'uses another body than the raw body that it verifies.'],
    [
      'a clock that is behind',
      () => endpoint({ clock: new TestClock(NOW - 10_000) }),
      ['--age', '301', '--tamper'],
      'A request from outside the window was accepted.',
    ],
    [
      'a store that forgets signatures',
      () => endpoint({ nonceStore: forgetful('signature ') }),
      ALL,
      'A re-split was accepted.',
    ],
    ['errors', () => endpoint({ rejection: 500 }), ALL, 'Some responses are not as expected.'],
  ])('print the likely cause: %s', async (_, start, args, cause) => {
    const url = await start()
    const { exitCode, text } = await send(url, args)
    expect(exitCode).toBe(1)
    expect(text.replaceAll(/\s+/g, ' ')).toContain(cause)
  })

  it('print the likely cause as JSON too', async () => {
    const { text } = await send(await withoutAwait(), [...ALL, '--json'])
    expect(JSON.parse(text).cause).toMatch(/^A changed body was accepted\./)
    expect(JSON.parse((await send(await endpoint(), [...ALL, '--json'])).text)).not.toHaveProperty('cause')
  })

  /** Returns a store that forgets the keys with a prefix. */
  function forgetful(prefix: string): NonceStore {
    const store = new MemoryNonceStore()
    return { reserve: (webhookId, key, ttl) => key.startsWith(prefix) || store.reserve(webhookId, key, ttl) }
  }

  it('--tamper and --age find an endpoint that accepts everything', async () => {
    const { exitCode, text } = await send(await serve(() => {}), ['--tamper', '--age', '301'])
    expect(exitCode).toBe(1)
    expect(text).toMatch(/one byte of the body changed +401 +200 OK +WRONGLY ACCEPTED/)
    expect(text).toMatch(/signed 301 s ago +401 +200 OK +WRONGLY ACCEPTED/)
  })

  it('are not sent if the endpoint rejects the genuine request', async () => {
    const { exitCode, text } = await send(await endpoint({ secret: 'another' }), ALL)
    expect(exitCode).toBe(1)
    expect(text).toMatch(
      /^sent .*\na genuine request +2xx +401 Unauthorized +NOT ACCEPTED\n\nThe endpoint did not accept the genuine request/,
    )
  })

  it.each([
    ['301', 'signed 301 s ago', 'rejected'],
    ['-301', 'signed 301 s in the future', 'rejected'],
    ['290', 'signed 290 s ago', 'accepted'],
    ['300', 'signed 300 s ago', 'either'],
    ['-290', 'signed 290 s in the future', 'accepted'],
  ])('--age=%s is %s and must be %s', async (age, sent, expected) => {
    const clock = new TestClock(1_700_000_000_900)
    const { exitCode, text } = await send(await endpoint({ clock }), [`--age=${age}`, '--json'], BODY, clock)
    expect(exitCode).toBe(0)
    expect(JSON.parse(text).attempts[1]).toMatchObject({ sent, expected, right: true })
  })

  it('--resplit uses a nonce with a colon if the body has none', async () => {
    const { exitCode, text } = await send(await endpoint(), ['--resplit'], 'no colon')
    expect(exitCode).toBe(0)
    expect(text).toMatch(/a genuine request with a colon in its nonce +2xx or 401 +204 No Content +as expected/)
    expect(text).toMatch(/re-split with a shorter nonce +401 +401 Unauthorized +as expected/)
  })

  it('--resplit finds an endpoint that accepts a shorter nonce', async () => {
    const { exitCode, text } = await send(
      await endpoint({ nonceStore: forgetful('signature ') }),
      ['--resplit'],
      'no colon',
    )
    expect(exitCode).toBe(1)
    expect(text).toMatch(/a shorter nonce +401 +204 No Content +WRONGLY ACCEPTED/)
  })

  it('--resplit allows an endpoint to refuse colons', async () => {
    const refuses = (request: IncomingMessage) => String(request.headers['x-nonce']).includes(':')
    expect(await send(await endpoint({ refuses }), ['--resplit'])).toMatchObject({ exitCode: 0 })
    const { exitCode, text } = await send(await endpoint({ refuses }), ['--resplit'], 'no colon')
    expect(exitCode).toBe(0)
    expect(text).not.toContain('shorter')
  })

  it.each([
    ['{"amount":100}', '{"amount":101}'],
    ['{"a":9,"b":"x/:"}', '{"a":8,"b":"x/:"}'],
    ['abc', 'acc'],
    ['', '0'],
  ])('--tamper changes %j to %j', (body, changed) => {
    expect(Buffer.from(tamperBody(Buffer.from(body))).toString()).toBe(changed)
  })

  it.each([
    ['{"a":1}', `${NONCE}:{"a"`, '1}'],
    [':', `${NONCE}:`, ''],
  ])('--resplit splits the body %j with a longer nonce', (body, nonce, rest) => {
    expect(lengthenNonce(NONCE, Buffer.from(body))).toEqual({ nonce, body: Buffer.from(rest) })
  })

  it.each(['', 'a', '{ "a":1}', 'é:', `${'x'.repeat(92)}:`])(
    '--resplit cannot split the body %j with a longer nonce',
    (text) => {
      const body = Buffer.from(text)
      expect(lengthenNonce(NONCE, body)).toBeUndefined()
      expect(canBeSplitDifferently({ timestamp: '', nonce: NONCE, body })).toBe(false)
    },
  )
})

it.each([
  [199, false, false],
  [200, true, false],
  [299, true, false],
  [300, false, false],
  [400, false, true],
  [401, false, true],
  [402, false, false],
  [403, false, true],
  [404, false, false],
])('the status %i is an acceptance: %s, and a rejection: %s', (status, accepted, rejected) => {
  const response = { status, statusText: '', headers: {}, body: '' }
  expect([isAccepted(response), isRejected(response)]).toEqual([accepted, rejected])
})

it('send colours the results at a terminal', async () => {
  const at = async (rejection: number, args: readonly string[]) => {
    const around = { stdin: BODY, isTTY: true, env: { WEBHOOK_SECRET: SECRET } }
    return (await call(['send', await endpoint({ rejection }), '-', ...FROM_ENV, ...args], around)).text
  }
  expect(await at(401, [])).toContain(green('Accepted'))
  const refused = await serve((_request, _body, response) => {
    response.statusCode = 404
  })
  const { text } = await call(['send', refused, '-', ...FROM_ENV], { stdin: BODY, isTTY: true })
  expect(text).toContain(red('Not accepted'))
  const [heading, row] = (await at(401, ['--replay'])).split('\n')
  expect(heading).toMatch(/^.\[2msent .*response.\[22m$/)
  expect(row).toContain('\x1b[32mas expected\x1b[39m')
  expect(await at(204, ['--tamper'])).toContain(red('WRONGLY ACCEPTED'))
})

it('there is no cause if no attack was accepted', () => {
  const attempt = (kind: Attempt['kind'], expected: Attempt['expected'], status: number): Attempt => ({
    kind,
    sent: '',
    expected,
    response: { status, statusText: '', headers: {}, body: '' },
  })
  expect(findCause([attempt('genuine', 'accepted', 204)])).toBeUndefined()
  expect(findCause([attempt('genuine', 'accepted', 204), attempt('replay', 'rejected', 401)])).toBeUndefined()
  expect(findCause([attempt('age', 'either', 204), attempt('tamper', 'rejected', 500)])).toBeUndefined()
})

describe('the times of --age', () => {
  it.each([
    ['0', 'signed 0 s ago', '1700000000'],
    ['10', 'signed 10 s ago', '1699999990'],
    ['-10', 'signed 10 s in the future', '1700000011'],
  ])('%s: %s, with the timestamp %s', async (age, words, timestamp) => {
    const timestamps: unknown[] = []
    const url = await serve(({ headers }, _body, response) => {
      timestamps.push(headers['x-timestamp'])
      response.statusCode = 204
    })
    // The time is in the middle of a second, so that rounding matters.
    const { text } = await send(url, [`--age=${age}`], BODY, new TestClock(NOW + 500))
    expect(text).toContain(words)
    expect(timestamps).toEqual(['1700000000', timestamp])
  })
})

it.each([
  [299, 'Accepted: 299'],
  [300, 'Redirects are not followed. Location: /elsewhere'],
  [399, 'Redirects are not followed. Location: /elsewhere'],
])('send says what the status %i is', async (status, words) => {
  const url = await serve((_request, _body, response) => {
    response.setHeader('Location', '/elsewhere')
    response.statusCode = status
  })
  const { text } = await send(url)
  expect(text).toContain(words)
  expect(text.includes('Redirects')).toBe(status > 299)
})

describe('a wrong call', () => {
  const URL = 'http://localhost/'
  it.each([
    [[], 'Invalid or missing URL.'],
    [['localhost'], 'Invalid or missing URL.'],
    [['file:///etc/passwd'], 'Invalid or missing URL.'],
    [['http://user@localhost/'], 'without a user name'],
    [['http://:password@localhost/'], 'without a user name'],
    [[URL, '-', '--timeout', 'long'], '--timeout is not a number.'],
    [[URL, '-', '--age', 'old'], '--age is not a number.'],
    [[URL, '-', '--header', 'nonsense'], "--header is not a header. Pass --header 'Name: value'."],
    [[URL, 'none.json'], 'no such file'],
  ])('%j prints what to do', async (args, message) => {
    const { exitCode, text, said } = await call(['send', ...args, ...FROM_ENV])
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })
})

// A certificate that was made for this test, so no program trusts it.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1lxBUIa7sK82MtQN
h0nLvAcbr6OcMhaG1h4e1uClr02hRANCAAQi/OlR+1+GOEKsn8VBmCXLcii0m133
M1Pt1C9PmV+M34FgxJgbDAuGedLi3mzj9/4/kh7PuFLd9X8eccFOXyxL
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUF4ISgRbZAPG8gFNe56ORE577smUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA2NDYyNVoYDzIxMjYxMDI4
MDY0NjI1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQi/OlR+1+GOEKsn8VBmCXLcii0m133M1Pt1C9PmV+M34FgxJgbDAuG
edLi3mzj9/4/kh7PuFLd9X8eccFOXyxLo1MwUTAdBgNVHQ4EFgQUACAp3PlSl3Rh
F4gdIaynM0uwI8UwHwYDVR0jBBgwFoAUACAp3PlSl3RhF4gdIaynM0uwI8UwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBPErij3BI/jdu0iUvppAys
ZEQWR+H0LM9t/Ej1dddOwAIhAKWxVR4j9zQrjvevP9tgRDblAgaakHhSq9ZSpBpP
o7iQ
-----END CERTIFICATE-----`
