import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sign } from '../../../src/index.js'
import * as standard from '../../../src/standard-webhooks/index.js'
import { IS_POSIX } from '../../../test/support/programs.js'
import { send, signedHeaders } from '../../../test/support/raw-client.js'
import { PRIVATE_KEY, PUBLIC_KEY } from '../../../test/support/standard-webhooks.js'
import { bodyOf } from '../../src/capture/body.js'
import { readCapture } from '../../src/capture/read-capture.js'
import { serve, temporaryFolder } from '../resources.js'
import { call, FROM_ENV } from './call.js'
import { type Listener, SECRET, type StartListener, startInProcess, startProcess } from './listener.js'
import { createOpener } from './opener.js'

// Real sockets. Most tests run the command in this process, and those of the first part also run it as a program.

const folder = temporaryFolder()

/** Runs the command until the end of the test. */
async function listen(
  args: readonly string[] = ['--json'],
  start: StartListener = startInProcess,
  secret: string = SECRET,
) {
  const listener = await start(args, { WEBHOOK_SECRET: secret })
  onTestFinished(async () => void (await listener.interrupt()))
  return listener
}

const BODY = Buffer.from('{"event":"invoice.paid","customer":"Zoë"}')

/** Sends a request that is valid unless `parts` say otherwise. */
function post(
  port: number,
  parts: Parameters<typeof signedHeaders>[0] = {},
  body: Uint8Array = BODY,
  path = '/hooks/42',
) {
  return send(port, { path, headers: signedHeaders({ body, secret: SECRET, ...parts }), body })
}

/** Opens a connection and writes to it. */
function open(port: number, text: string | Uint8Array): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.resume()
  onTestFinished(() => void socket.destroy())
  socket.write(text)
  return socket
}

it('with a public key, accepts what the private key signed, and says what it cannot find out', async () => {
  const listener = await listen(['--json'], startInProcess, PUBLIC_KEY)
  expect(listener.stderr().replaceAll(/\s+/g, ' ')).toContain('A public key verifies v1a signatures but cannot sign.')
  const headers = Object.entries(standard.sign(BODY, PRIVATE_KEY))
  expect(await send(listener.port, { path: '/', headers, body: BODY })).toMatchObject({ status: 204 })
  const other = Object.entries(standard.sign('another body', PRIVATE_KEY))
  expect(await send(listener.port, { path: '/', headers: other, body: BODY })).toMatchObject({ status: 401 })
  expect(await listener.waitFor(2)).toMatchObject([
    { ok: true, findings: [] },
    {
      ok: false,
      reason: 'signature_mismatch',
      findings: [{ code: 'signature_mismatch', message: expect.stringContaining('A public key cannot sign') }],
    },
  ])
})

describe.each<[string, StartListener]>([
  // Windows has no signal for Ctrl+C.
  ...(IS_POSIX ? [['the program', startProcess] satisfies [string, StartListener]] : []),
  ['the command in this process', startInProcess],
])('%s', (_, start) => {
  it('prints its address, then a line per request, and ends after Ctrl+C with the counts', async () => {
    const listener = await listen(['--json'], start)
    const { port } = listener
    expect(JSON.parse(listener.stdout())).toEqual({ listening: `http://127.0.0.1:${port}` })

    expect(await post(port, { nonce: 'first' })).toMatchObject({ status: 204, text: '' })
    expect(await post(port, { nonce: 'first' })).toMatchObject({ status: 401, text: '' })
    expect(await post(port, { secret: `${SECRET}\n` })).toMatchObject({ status: 401 })
    const reports = await listener.waitFor(3)

    expect(reports).toMatchObject([
      { method: 'POST', path: '/hooks/42', status: 204, ok: true, findings: [] },
      {
        status: 401,
        ok: false,
        reason: 'replayed_nonce',
        detail: expect.stringMatching(/^the same nonce [012] s ago$/),
        findings: [
          { code: 'nonce_reused', evidence: expect.stringMatching(/^Accepted before: the same nonce [012] s ago\.$/) },
        ],
      },
      { status: 401, ok: false, reason: 'signature_mismatch', findings: [{ code: 'secret_whitespace' }] },
    ])
    expect(await listener.interrupt()).toBe(0)
    const [last = ''] = listener.stdout().trimEnd().split('\n').slice(-1)
    expect(JSON.parse(last)).toEqual({ counts: { accepted: 1, replayed_nonce: 1, signature_mismatch: 1 } })
    expect(listener.stdout()).not.toContain(SECRET)
  })
})

it('prints text without --json', async () => {
  const listener = await listen(['--save', folder])
  await post(listener.port)
  await post(listener.port, { secret: 'another' })
  await listener.interrupt()
  const text = listener.stdout()
  expect(text.match(/^ {3}Saved as .*\.http$/gm)).toHaveLength(2)
  expect(text).toMatch(/^\d\d:\d\d:\d\dZ {2}POST \/hooks\/42 {2}204 {2}accepted: body of 42 bytes$/m)
  expect(text).toMatch(/^\d\d:\d\d:\d\dZ {2}POST \/hooks\/42 {2}401 {2}signature_mismatch: body of 42 bytes$/m)
  expect(text).toContain('(signature_mismatch)')
  expect(text).toMatch(/^Listening on \S+ \(any path\)\. Press Ctrl\+C to end\.\nFor a public address, /)
  expect(text).toMatch(/^ {2}cloudflared tunnel --url http:\/\/127\.0\.0\.1:\d+ --http-host-header localhost$/m)
  expect(text.endsWith('\n2 requests: 1 accepted, 1 signature_mismatch.\n')).toBe(true)
  expect([listener.stderr(), text.includes('\x1b')]).toEqual(['', false])
})

describe('what the HTTP parser refuses is answered and explained', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
  it.each<[string, string | Uint8Array, string, number?]>([
    ['a folded signature', `${HEAD}X-Signature: abc\r\n def\r\n\r\n`, 'X-Signature has a newline in its value.'],
    ['no Host', 'POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n', 'The request has no Host header'],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'Content-Length is set twice'],
    ['TLS', Buffer.from([22, 3, 1, 0, 5, 1, 2, 3, 4, 5]), 'The sender uses TLS, but this port does not'],
    ['headers of 100 KB', `POST / HTTP/1.1\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`, '', 431],
  ])('%s', async (_, bytes, detail, status = 400) => {
    const { port, waitFor } = await listen()
    const socket = open(port, bytes)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    await once(socket, 'close')
    await post(port)
    const reports = await waitFor(2)
    expect(reports).toMatchObject([{ status, ok: false, reason: 'malformed_request', findings: [] }, { ok: true }])
    expect(reports[0]?.detail).toContain(detail)
    if (detail !== '') expect(reports[0]?.detail).not.toMatch(/Parse Error|HPE_/)
  })

  it('a body that is too large is answered with 413 before it is sent', async () => {
    const { port, waitFor } = await listen()
    const socket = open(port, 'POST /big HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n')
    const [answer] = await once(socket, 'data')
    // The rest of the body is not read, so the sender must not send another request on this connection.
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\nContent-Type: text\/plain\r\n/s)
    expect(await waitFor(1)).toMatchObject([{ path: '/big', status: 413, ok: false, reason: 'body_too_large' }])
    expect(await post(port, {}, Buffer.alloc(2 ** 20))).toMatchObject({ status: 204 })
  })
})

describe('--save', () => {
  const saved = join(folder, 'saved', 'here')
  let listener: Listener
  beforeAll(async () => {
    listener = await startInProcess(['--json', '--save', saved])
  })
  afterAll(() => listener.interrupt())

  it.each<[string, Uint8Array]>([
    ['nothing', Buffer.alloc(0)],
    ['every byte', Uint8Array.from({ length: 512 }, (_, index) => index % 256)],
  ])('keeps %s byte for byte, with its time, and diagnose reads it', async (_, body) => {
    const count = listener.reports().length
    const headers = [...signedHeaders({ body, secret: SECRET }), ['x-Zoë', 'Zo\xeb  b']] as [string, string][]
    const chunked = body.length > 0 ? { chunkBytes: 7 } : {}
    await send(listener.port, { path: '/hooks/42?a=b', headers: headers.slice(0, 3), body, ...chunked })
    const { savedAs = '', time } = (await listener.waitFor(count + 1))[count] ?? {}

    const captured = readCapture(readFileSync(savedAs))
    expect(Buffer.from(bodyOf(captured, captured.headers).body).equals(body)).toBe(true)
    expect(captured.arrival).toEqual([Date.parse(String(time)), 'from the time in the capture'])
    expect(captured.headers).toEqual(
      expect.arrayContaining([[':method', 'POST'], [':path', '/hooks/42?a=b'], ...headers.slice(0, 3)]),
    )
    const clock = { now: () => Date.now() + 86_400_000 }
    const around = { clock: clock as never, env: { WEBHOOK_SECRET: SECRET } }
    expect(await call(['diagnose', savedAs, ...FROM_ENV], around)).toMatchObject({ exitCode: 0 })
  })

  it('never replaces a file', async () => {
    const before = readdirSync(saved).length
    const other = await startInProcess(['--json', '--save', saved])
    // The clock does not move, so both listeners begin with the same file name.
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1000)
    const nothing = { headers: [], body: Buffer.alloc(0) }
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(index % 2 === 0 ? listener.port : other.port, nothing)),
    )
    await other.waitFor(10)
    now.mockRestore()
    await expect.poll(() => readdirSync(saved), { timeout: 50_000 }).toHaveLength(before + 20)
    await other.interrupt()
  })

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

  it.runIf(IS_POSIX).each([
    ['new/folder', '700'],
    ['existing', '755'],
  ])('keeps files and a new folder from other users, and the mode of a folder that exists: %s', async (name, mode) => {
    const path = join(folder, name)
    if (name === 'existing') mkdirSync(path)
    if (name === 'existing') chmodSync(path, 0o755)
    const { port, waitFor } = await listen(['--json', '--save', path])
    await post(port)
    const [report] = await waitFor(1)
    expect([modeOf(path), modeOf(String(report?.savedAs))]).toEqual([mode, '600'])
  })
})

describe('--forward-to', () => {
  it('passes a request on unchanged, and returns the response to the sender', async () => {
    const { origin, received } = await serve((_request, response) => {
      response.writeHead(418, ['X-A', '1', 'x-a', '2', 'Content-Type', 'text/plain']).end('a \xff answer', 'latin1')
    })
    const { port, waitFor } = await listen(['--json', '--forward-to', origin])
    const body = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)
    const headers: [string, string][] = [['X-a', 'b'], ['x-A', 'c \xe9'], ...signedHeaders({ body, secret: SECRET })]
    const answer = await send(port, { method: 'PUT', path: '/a/../b//c?d=%20e', headers, body })

    const own = ['Host', 'localhost', 'Connection', 'close', 'Content-Length', '70000']
    const rawHeaders = [...own, ...headers.flat()]
    expect(received).toMatchObject([{ method: 'PUT', url: '/a/../b//c?d=%20e', rawHeaders, body: Buffer.from(body) }])
    expect(answer).toMatchObject({ status: 418, text: 'a \xff answer' })
    const { headers: answered } = await fetch(`http://127.0.0.1:${port}/`)
    const passed = ['x-a', 'content-type', 'content-length'].map((name) => answered.get(name))
    expect(passed).toEqual(['1, 2', 'text/plain', '10'])
    expect((await waitFor(2))[0]).toMatchObject({ status: 418, ok: true, forwarded: { status: 418 } })
  })

  it.each([
    ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: upgrade', 'the status is 101'],
    ['HTTP/1.1 600 More', 'the status is 600'],
    ['nonsense', 'HPE_INVALID'],
  ])('answers 502, and goes on, if the endpoint answers %s', async (line, why) => {
    const strange = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(`${line}\r\n\r\n`))
    })
    onTestFinished(() => void strange.close())
    await once(strange.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(strange.address() as AddressInfo).port}`
    const { port, waitFor } = await listen(['--json', '--forward-to', origin])
    for (const path of ['/a', '/b']) expect(await post(port, {}, BODY, path)).toMatchObject({ status: 502 })
    expect(await waitFor(2)).toMatchObject([
      { status: 502, forwarded: { status: 0 }, differences: [expect.stringContaining(why)] },
      { status: 502 },
    ])
  })

  it('says what differs, as text, and what everybody reaches who can send', async () => {
    const { origin } = await serve((_request, response) => response.writeHead(401, { Date: '\x85' }).end())
    const listener = await listen(['--forward-to', origin])
    await post(listener.port)
    await listener.interrupt()
    expect(listener.stdout()).toMatch(
      / 401 {2}accepted: .*\n {3}Response of the endpoint: 401\.\n {3}Accepted here, but the endpoint responded\s+401\./,
    )
    expect(listener.stderr().replaceAll(/\s+/g, ' ')).toContain(
      `passes unsigned requests on too, so everybody who can send to this listener reaches the whole app at ${origin}.`,
    )
  })
})

describe('a page in a browser', () => {
  /** Sends a request with these header lines besides the length, and returns the response. */
  async function ask(port: number, lines: readonly string[], version = '1.1') {
    const head = [`POST /hooks HTTP/${version}`, ...lines, 'Connection: close', 'Content-Length: 2', '', '']
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    let answer = ''
    socket.on('data', (text) => {
      answer += text
    })
    socket.write(`${head.join('\r\n')}{}`)
    await once(socket, 'close')
    const [, status, text] = /^HTTP\/1\.1 (\d+) .*?\r\n\r\n(.*)$/s.exec(answer) ?? []
    return { status: Number(status), text }
  }

  it('cannot read a response by DNS rebinding: another Host gets 421, and is not passed on', async () => {
    const { origin, received } = await serve((_request, response) => response.end('private'))
    const { port, waitFor } = await listen(['--json', '--forward-to', origin])
    const HOSTS = [
      ...['evil.example', `Evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example', 'evillocalhost'],
      ...['a_b'],
    ]
    for (const host of HOSTS) {
      const name = host.toLowerCase().replace(/:.*/, '')
      const detail = `Host is ${name}. If this is the host of your tunnel, start listen with --allow-host ${name}. Otherwise, a page in a browser may have sent the request.`
      expect(await ask(port, [`Host: ${host}`])).toMatchObject({ status: 421, text: `${detail}\n` })
      expect((await waitFor(1)).at(-1)).toMatchObject({ status: 421, reason: 'foreign_host', detail })
    }
    // A command shows only a valid name.
    expect(await ask(port, ['Host: a;reboot'])).toEqual({
      status: 421,
      text: 'Host contains characters that are not allowed. Send to the address that listen prints.\n',
    })
    expect(received).toEqual([])
    expect(await waitFor(HOSTS.length + 1)).toHaveLength(HOSTS.length + 1)
  })

  it('is not suspected for the names of --allow-host', async () => {
    const { port } = await listen(['--json', '--allow-host', 'Abc.ngrok-free.app', '--allow-host', 'other.example.'])
    const names = ['abc.ngrok-free.app', 'ABC.ngrok-free.app:443', 'other.example', 'localhost', 'app.LOCALHOST.:1']
    for (const host of [...names, '[::1]', '[fe80::1]:8080', '192.168.0.7:8080']) {
      expect(await ask(port, [`Host: ${host}`])).toMatchObject({ status: 401 })
    }
    expect(await ask(port, ['Host: ngrok-free.app'])).toMatchObject({ status: 421 })
  })

  it('is not looked for in Host with --host, unless names are given', async () => {
    const { port } = await listen(['--json', '--host', '0.0.0.0'])
    expect(await ask(port, ['Host: build.example'])).toMatchObject({ status: 401 })
    const named = await listen(['--json', '--host', '0.0.0.0', '--allow-host', 'build.example'])
    expect(await ask(named.port, ['Host: build.example'])).toMatchObject({ status: 401 })
    // HTTP/1.0 needs no Host.
    expect(await ask(named.port, [], '1.0')).toMatchObject({ status: 401 })
    expect(await ask(named.port, ['Host: other.example'])).toMatchObject({ status: 421 })
  })

  it.each([
    ['another site', ['Sec-Fetch-Site: cross-site']],
    ['another port of this machine', ['Sec-Fetch-Site: same-site']],
    ['another site, in an old browser', ['Origin: https://evil.example']],
    ['a file, or a frame without an origin', ['Origin: null']],
  ])('of %s cannot send a request', async (_, lines) => {
    const { origin, received } = await serve()
    for (const host of [[], ['--host', '0.0.0.0']]) {
      const { port, waitFor } = await listen(['--json', '--forward-to', origin, ...host])
      const detail = 'A page in a browser sent this request. Send it with a program, such as curl.'
      expect(await ask(port, ['Host: localhost', ...lines])).toMatchObject({ status: 403, text: `${detail}\n` })
      expect(await waitFor(1)).toMatchObject([{ status: 403, reason: 'web_page', detail }])
    }
    expect(received).toEqual([])
  })

  it('may be opened by its user', async () => {
    const { port } = await listen()
    const ownOrigins = ['http', 'https'].map((scheme) => [
      'Sec-Fetch-Site: same-origin',
      `Origin: ${scheme}://localhost:5`,
    ])
    for (const lines of [['Sec-Fetch-Site: none'], ...ownOrigins]) {
      expect(await ask(port, ['Host: localhost:5', ...lines])).toMatchObject({ status: 401 })
    }
  })
})

describe('beyond loopback', () => {
  it.each([
    ['127.0.0.1', false],
    ['0.0.0.0', true],
  ])('listening on %s prints a warning: %s', async (host, isWarned) => {
    const said = (await listen(['--host', host])).stderr().replaceAll(/\s+/g, ' ')
    expect(said.includes('Warning: other machines can reach this address.')).toBe(isWarned)
  })
})

describe('a wrong call', () => {
  it.each([
    [['--port', '65536'], '--port 65536 is not a port. Pass a number from 0 to 65535.'],
    [['--save', join(folder, 'file', 'folder')], 'Cannot create the folder of --save: not a directory.'],
    [['--host', '192.0.2.1'], 'Cannot listen on 192.0.2.1, port 0: '],
    [
      ['--allow-host', 'https://a.example'],
      '--allow-host "https://a.example" is not a host name. Pass the host of your',
    ],
  ])('says what to do: %#', async (args, message) => {
    writeFileSync(join(folder, 'file'), '')
    const { exitCode, said } = await call(['listen', '--port', '0', ...FROM_ENV, ...args])
    expect([exitCode, said]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('send --request', () => {
  const file = join(folder, 'request.http')
  const around = { env: { WEBHOOK_SECRET: SECRET }, clock: Date as never }

  it('sends a saved request as it is', async () => {
    const { origin, received } = await serve((_request, response) => response.writeHead(204).end())
    const signed = Object.entries(sign('a body', SECRET)).map(([name, value]) => `${name}: ${value}\r\n`)
    const kept = 'X-Forwarded-Host: a\r\nHostname: b\r\n'
    writeFileSync(
      file,
      `PUT /old?path HTTP/1.1\r\nHost: old\r\nConnection: close\r\n${kept}${signed.join('')}TE: trailers\r\nContent-Length: 6\r\n\r\na body`,
    )
    const { exitCode, text, said } = await call(['send', `${origin}/new`, '--request', file], { ...around, env: {} })
    expect([exitCode, text]).toEqual([0, 'Accepted: 204 No Content\n'])
    expect(said).toBe('')
    expect(received).toMatchObject([{ method: 'PUT', url: '/new', body: Buffer.from('a body') }])
    const { rawHeaders = [] } = received[0] ?? {}
    expect(rawHeaders.slice(0, 2)).toEqual(['Host', origin.replace('http://', '')])
    expect(rawHeaders).toEqual(
      expect.arrayContaining(['X-Nonce', 'Content-Length', '6', 'X-Forwarded-Host', 'a', 'Hostname', 'b']),
    )
    expect(rawHeaders).not.toContain('TE')
  })
})

describe.each([[['--json']], [[]]])('listen %j', (args) => {
  it('masks a secret in the path and in the method, also of a request that it refuses', async () => {
    const listener = await listen([...args, '--save', folder])
    const encoded = Buffer.from(`key:${SECRET}`).toString('base64')
    for (const path of [`/h?secret=${SECRET}`, `/h/${SECRET}/a`, `/h?token=${encoded}`]) {
      await post(listener.port, {}, BODY, path)
    }
    await send(listener.port, { path: `/large/${SECRET}`, headers: [], body: Buffer.alloc(1_048_577) })
    await send(listener.port, { path: '/', headers: [[SECRET, 'a']], body: BODY })
    await vi.waitFor(() => expect(listener.stdout().match(/missing_header/g)).toHaveLength(1), 50_000)
    expect(listener.stdout()).toContain('/h?secret=[secret]')
    expect(listener.stdout()).toContain('/h/[secret]/a')
    expect(listener.stdout()).toContain('/large/[secret]')
    expect(listener.stdout()).toContain('The secret is in the name of a header.')
    for (const form of [SECRET, SECRET.toLowerCase(), encoded]) expect(listener.stdout()).not.toContain(form)
  })
})

describe('with --page', () => {
  const packageFolder = join(folder, 'package')
  const HTML = '<!doctype html><html lang="en"><title>workbench</title>'
  beforeAll(() => {
    mkdirSync(join(packageFolder, 'dist'), { recursive: true })
    writeFileSync(join(packageFolder, 'dist/workbench.html'), HTML)
  })

  async function listenWithPage(args: readonly string[], env = {}) {
    const listener = await startInProcess(['--page', ...args], env, FROM_ENV, packageFolder)
    onTestFinished(async () => void (await listener.interrupt()))
    const [url = ''] = /http:[^"\s]+:\d+\/[\w-]{22}\//.exec(listener.stdout()) ?? []
    return { listener, url }
  }

  it('serves a page that knows the requests from before it was opened, and prints its address', async () => {
    const { listener, url } = await listenWithPage(['--no-open'])
    expect(listener.stdout()).toMatch(
      /^Listening on http:\/\/127\.0\.0\.1:\d+ \(any path\)\. Press Ctrl\+C to end\.\nThe page is at http:/,
    )
    expect((await (await fetch(url)).text()).replace(/ data-findings="[^"]+"/, '')).toBe(
      HTML.replace('<html ', '<html data-live '),
    )
    await post(listener.port)
    await post(listener.port, { secret: 'another' })
    // A request is answered before it is explained.
    const shown = await vi.waitFor(async () => (await fetch(`${url}requests/2`)).json(), 50_000)
    expect(shown).toMatchObject({ report: { findings: [{ code: 'signature_mismatch' }] } })
    // Ctrl+C ends it although the page is open.
    await fetch(`${url}events`)
    expect(await listener.interrupt()).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  it.runIf(process.platform === 'linux')('opens the browser, whose arguments do not have the address', async () => {
    const opened = createOpener(join(folder, 'text/xdg-open'))
    const { listener, url } = await listenWithPage([], {
      PATH: [join(folder, 'text'), process.env['PATH']].join(delimiter),
    })
    // The file exists before its line is in it.
    const file = await vi.waitFor(() => {
      const [line = ''] = readFileSync(opened, 'utf8').split('\n')
      expect(line).not.toBe('')
      return line
    }, 50_000)
    expect(file).not.toContain(url)
    // Another user of this machine can read the arguments of the browser, but not this file.
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
    expect(readFileSync(file, 'utf8')).toContain(`<meta http-equiv="refresh" content="0; url=${url}">`)
    await listener.interrupt()
    expect(existsSync(dirname(file))).toBe(false)
  })
})
