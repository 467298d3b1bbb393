import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { NONCE, NOW, SECRET, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'
import { call, FROM_ENV } from './call.js'

const folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))
afterAll(() => rmSync(folder, { recursive: true }))

const BODY = Buffer.from('{"name":"Zo\xeb"}\0\xff\n', 'latin1')
const { headers } = signedRequest({ body: BODY })
const HEADER_OPTIONS = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
const bodyFile = join(folder, 'body')
writeFileSync(bodyFile, BODY)

/** The capture of a genuine request but for its body, its secret or its headers. */
function capture(parts: Parameters<typeof signedRequest>[0] = {}, more = ''): Buffer {
  const { headers, body } = signedRequest({ body: BODY, ...parts })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST /hooks/42 HTTP/1.1\r\n${lines.join('')}Content-Length: ${Buffer.from(body).length}\r\n${more}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)])
}

const path = join(folder, 'request.http')
writeFileSync(path, capture())

const CURL = Buffer.from(
  [
    '*   Trying 127.0.0.1:8765...',
    '> POST /x HTTP/1.1',
    ...Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`),
    `> Content-Length: ${BODY.length}`,
    '> ',
    '* upload completely sent off',
    '< HTTP/1.1 401 Unauthorized',
    '< Date: Tue, 14 Nov 2023 22:13:21 GMT',
    '< ',
    '',
  ].join('\r\n'),
)

describe('verify', () => {
  it('says that a captured request is genuine', async () => {
    const { exitCode, text, stderr } = await call(['verify', path, ...FROM_ENV])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toBe(`Genuine: signed with the secret of --secret-env WEBHOOK_SECRET
X-Timestamp  1700000000 (2023-11-14T22:13:20Z)
X-Nonce      ${NONCE}
Whether it is a replay, one request cannot tell: only the nonce store of the service knows.

Read: POST /hooks/42 HTTP/1.1, 17 bytes of body.
Time assumed: 2023-11-14T22:13:20Z, now.
`)
  })

  it('says so to programs', async () => {
    const { exitCode, text } = await call(['verify', path, ...FROM_ENV, '--json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(text)).toEqual({
      ok: true,
      timestamp: Number(TIMESTAMP),
      nonce: NONCE,
      secretIndex: 0,
      secret: '--secret-env WEBHOOK_SECRET',
      notes: [
        'Read: POST /hooks/42 HTTP/1.1, 17 bytes of body.',
        'Time assumed: 2023-11-14T22:13:20Z, now.',
        expect.stringContaining('replay'),
      ],
    })
  })

  it('names the secret that matched, of several', async () => {
    const env = { NEW: 'new', OLD: SECRET }
    const { text } = await call(['verify', path, '--secret-env', 'NEW', '--secret-env', 'OLD', '--json'], { env })
    expect(JSON.parse(text)).toMatchObject({ secretIndex: 1, secret: '--secret-env OLD' })
  })

  it('says that one is not, and where to go from there', async () => {
    const stdin = capture({ secret: 'another' })
    const { exitCode, text, stderr } = await call(['verify', '-', ...FROM_ENV], { stdin })
    expect([exitCode, stderr]).toEqual([1, ''])
    expect(text).toMatch(
      /^Not genuine: signature_mismatch\nX-Signature is not (.*\n)+To find out why: inbound-webhook-auth diagnose/,
    )
    expect(JSON.parse((await call(['verify', '-', ...FROM_ENV, '--json'], { stdin })).text)).toMatchObject({
      ok: false,
      reason: 'signature_mismatch',
      message: expect.stringContaining('X-Signature'),
      notes: [expect.stringContaining('Read'), expect.stringContaining('Time assumed')],
    })
  })

  it.each([
    [
      'missing_header',
      capture()
        .toString('latin1')
        .replace(/x-nonce.*\r\n/, ''),
    ],
    ['invalid_timestamp', capture({ timestamp: '1700000000.5' })],
    ['timestamp_outside_window', capture({ timestamp: '1699999699' })],
    ['invalid_nonce', capture({ nonce: 'a nonce' })],
    ['signature_mismatch', capture({ signature: 'sha256=00' })],
  ])('gives the reason %s', async (reason, request) => {
    const stdin = typeof request === 'string' ? Buffer.from(request, 'latin1') : request
    const { exitCode, text } = await call(['verify', ...FROM_ENV], { stdin })
    expect([exitCode, text.split('\n')[0]]).toEqual([1, `Not genuine: ${reason}`])
  })

  it('does not print what the request says to the terminal', async () => {
    const stdin = capture({}, '').toString('latin1').replace('/hooks/42', '/\x1b[2J')
    expect((await call(['verify', '-', ...FROM_ENV], { stdin: Buffer.from(stdin, 'latin1') })).stderr).not.toContain(
      '\x1b',
    )
  })

  it('colours its verdict on a terminal', async () => {
    const { text } = await call(['verify', path, ...FROM_ENV], { isTTY: true })
    expect(text).toContain('\x1b[32m\x1b[1mGenuine\x1b[22m\x1b[39m')
  })
})

describe('the request', () => {
  it('may be given by its parts', async () => {
    const args = ['verify', ...HEADER_OPTIONS, '--body-file', bodyFile, ...FROM_ENV]
    expect(await call(args)).toMatchObject({ exitCode: 0, text: expect.stringContaining('Read: a request, 17 bytes') })
    expect(await call([...args.slice(0, -2), '--secret-file', '-'], { stdin: SECRET })).toMatchObject({ exitCode: 0 })
    expect(
      await call(
        args.map((arg) => (arg === bodyFile ? '-' : arg)),
        { stdin: BODY },
      ),
    ).toMatchObject({ exitCode: 0 })
  })

  it('may have no body', async () => {
    const options = Object.entries(signedRequest({ body: '' }).headers).map(
      ([name, value]) => `--header=${name}: ${value}`,
    )
    expect(await call(['verify', ...options, ...FROM_ENV])).toMatchObject({ exitCode: 0 })
  })

  it('may have another header instead of the one captured', async () => {
    const stdin = capture({ signature: 'nonsense' })
    const { exitCode } = await call(['verify', '-', '--header', `X-SIGNATURE:${headers['x-signature']}`, ...FROM_ENV], {
      stdin,
    })
    expect(exitCode).toBe(0)
  })

  it('may be what curl -v shows, with the file that was sent, at the time of the answer', async () => {
    const later = new TestClock(NOW + 3_600_000)
    const args = ['verify', '-', '--body-file', bodyFile, ...FROM_ENV]
    const { exitCode, text } = await call(args, { stdin: CURL, clock: later })
    expect(exitCode).toBe(0)
    expect(text).toContain('Time assumed: 2023-11-14T22:13:21Z, the Date of the answer in the capture.')
    expect(await call([...args, '--at', '2023-11-14T23:13:20Z'], { stdin: CURL })).toMatchObject({ exitCode: 1 })
  })

  it('notes what was done to read it', async () => {
    const stdin = Buffer.concat([capture(), Buffer.from('\n')])
    const { exitCode, text } = await call(['verify', '-', ...FROM_ENV], { stdin })
    expect(exitCode).toBe(0)
    expect(text).toContain('\nThe line end after the body was left out, for Content-Length is 17.\n')
  })

  it.each([
    ['no file', ['none.http'], '', 'cannot read the captured request from "none.http": no such file'],
    ['nothing', ['-'], '', 'the capture is empty'],
    ['what curl -v shows alone', ['-'], CURL, 'the capture shows no body, as curl -v does not'],
    ['a header without a colon', ['--header', 'X-Nonce'], '', "--header takes 'Name: value'"],
    ['standard input for two', ['-', '--body-file', '-'], '', 'standard input can be read once'],
    ['a time without its zone', [path, '--at', '2023-11-14T22:13:20'], '', '--at is no time'],
  ])('cannot be %s', async (_, args, stdin, message) => {
    const { exitCode, text, said } = await call(['verify', ...args, ...FROM_ENV], { stdin })
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })

  it('is not read from standard input that is the secret', async () => {
    const { exitCode, stderr } = await call(['verify', '--secret-file', '-'], { stdin: capture() })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('standard input can be read once')])
  })
})

describe('the time', () => {
  const LATER = { clock: new TestClock(NOW + 86_400_000) }
  it.each([
    [[], 1, '2023-11-15T22:13:20Z, now'],
    [['--at', 'timestamp'], 0, '2023-11-14T22:13:20Z, the time that the request states'],
    [['--at', '1700000300'], 0, '2023-11-14T22:18:20Z, as given with --at'],
    [['--at', '1700000300001'], 1, '2023-11-14T22:18:20.001Z, as given with --at'],
    [['--at=2023-11-14T22:13:20Z'], 0, '2023-11-14T22:13:20Z, as given with --at'],
  ])('%j: exit code %d', async (args, code, words) => {
    const { exitCode, text } = await call(['verify', path, ...FROM_ENV, ...args], LATER)
    expect(exitCode).toBe(code)
    expect(text).toContain(`Time assumed: ${words}.`)
  })

  it('is told in days and years where it is so far off', async () => {
    const { text } = await call(['verify', path, ...FROM_ENV, '--at', '1795261161'])
    expect(text.replaceAll(/\s+/g, ' ')).toContain('(it is 3 years 7 d behind server time)')
    const near = await call(['verify', path, ...FROM_ENV, '--at', '1700000301'])
    expect(near.text.replaceAll(/\s+/g, ' ')).toContain('(it is 301 s behind server time)')
  })

  it('is told in words where it is beyond all calendars', async () => {
    const { text } = await call(['verify', '-', ...FROM_ENV], { stdin: capture({ timestamp: '9'.repeat(40) }) })
    expect(text.replaceAll(/\s+/g, ' ')).toContain('(it is more than 9999 years ahead of server time)')
  })

  it.each([
    ['soon', '2023-11-15T22:13:20Z, now, for the request states none'],
    ['9'.repeat(20), '2023-11-15T22:13:20Z, now, for the request states none that has come'],
  ])('that the request states may be nonsense: %s', async (timestamp, words) => {
    const { text } = await call(['verify', '-', ...FROM_ENV, '--at', 'timestamp'], {
      ...LATER,
      stdin: capture({ timestamp }),
    })
    expect(text).toContain(words)
  })

  it('that the request does not state is now', async () => {
    const stdin = Buffer.from('X-Nonce: a\n\n')
    const { text } = await call(['verify', '-', ...FROM_ENV, '--at', 'timestamp'], { ...LATER, stdin })
    expect(text).toMatch(/^Not genuine: missing_header\n/)
  })
})

describe('diagnose', () => {
  it('takes no time that has not come for the one of the request', async () => {
    const stdin = capture({ timestamp: `${TIMESTAMP}000` })
    const { exitCode, text } = await call(['diagnose', '-', ...FROM_ENV, '--at', 'timestamp'], { stdin })
    expect(exitCode).toBe(1)
    expect(text).toMatch(/timestamp_unit/)
    expect(text).toMatch(/now, for the request states none that has come/)
  })

  it.each([
    ['a request line', 'PUT /in/7f3a HTTP/1.1'],
    ['a request line without version', 'PUT /in/7f3a'],
  ])('finds that method and path were signed, by %s', async (_, line) => {
    const signature = createHmac('sha256', SECRET).update(`PUT\n/in/7f3a\n${TIMESTAMP}\n${NONCE}\n{}`).digest('hex')
    const stdin = `${line}\nX-Timestamp: ${TIMESTAMP}\nX-Nonce: ${NONCE}\nX-Signature: ${signature}\n\n{}`
    const { exitCode, text } = await call(['diagnose', '-', ...FROM_ENV], { stdin })
    expect(exitCode).toBe(1)
    expect(text).toMatch(/\(message_layout\)/)
  })

  it('says that a genuine request is', async () => {
    const { exitCode, text, stderr } = await call(['diagnose', path, ...FROM_ENV])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toMatch(/^Genuine: there is nothing to fix\.\n/)
    expect(JSON.parse((await call(['diagnose', path, ...FROM_ENV, '--json'])).text)).toMatchObject({
      genuine: true,
      findings: [],
    })
  })

  it('prints its findings, with the side that has to act', async () => {
    const stdin = capture({ secret: 'another' })
    const { exitCode, text, stderr } = await call(['diagnose', '-', ...FROM_ENV], { stdin })
    expect([exitCode, stderr]).toEqual([1, ''])
    expect(text).toMatch(
      /^Not genuine: one finding\n\n1\. .*\n.*\(signature_mismatch\)\n(.*\n)* {3}Fix.*:\n {5}\S[\s\S]*\n\nRead: POST/,
    )
    expect(text).not.toContain('--at')
  })

  it('numbers several, and names the option for a request that was captured earlier', async () => {
    const around = { stdin: capture({ secret: 'another' }), clock: new TestClock(NOW + 3_600_000) }
    const { exitCode, text } = await call(['diagnose', '-', ...FROM_ENV], around)
    expect(exitCode).toBe(1)
    expect(text).toMatch(/^Not genuine: 2 findings, the most likely cause first\n\n1\. [\s\S]*\n\n2\. /)
    expect(text).toContain('--at timestamp')
    const { findings } = JSON.parse((await call(['diagnose', '-', ...FROM_ENV, '--json'], around)).text)
    expect(findings).toHaveLength(2)
    expect(findings[0]).toMatchObject({
      code: expect.any(String),
      message: expect.any(String),
      fix: expect.any(String),
    })
  })

  it('says no more of --at where it is given', async () => {
    const around = { stdin: capture(), clock: new TestClock(NOW + 3_600_000) }
    const { text } = await call(['diagnose', '-', ...FROM_ENV, '--at', '1700003600'], around)
    expect(text).toMatch(/\(clock_time_zone\)/)
    expect(text).not.toMatch(/--at[^.]*arrived|now: \(\)/)
  })

  it('calls each of several secrets what the call calls it', async () => {
    const env = { NEW: 'new', OLD: 'old' }
    const both = ['--secret-env', 'NEW', '--secret-env', 'OLD']
    const { text } = await call(['diagnose', '-', ...both, '--json'], { env, stdin: capture({ secret: 'old\n' }) })
    expect(JSON.parse(text).findings[0].message).toBe(
      'X-Signature was made with the secret and a line feed (LF) after it (of --secret-env OLD), not with the secret as it is.',
    )
  })

  it('does not show the secret', async () => {
    for (const secret of [SECRET, `${SECRET}\n`, `"${SECRET}"`]) {
      const around = { stdin: capture({ secret: 'another' }), env: { WEBHOOK_SECRET: secret } }
      for (const json of [[], ['--json']]) {
        const { text, stderr } = await call(['diagnose', '-', ...FROM_ENV, ...json], around)
        expect(text + stderr).not.toContain(SECRET)
      }
    }
  })
})

describe('a capture that ends with a line break, and does not say how long the body is', () => {
  const captured = (body: string, more: Parameters<typeof signedRequest>[0] = {}) => {
    const lines = Object.entries(signedRequest({ body, ...more }).headers).map(([name, value]) => `${name}: ${value}\n`)
    return `${lines.join('')}\n{"a":1}\n`
  }
  const digest = Buffer.from(signedRequest({ body: '{"a":1}' }).headers['x-signature'], 'hex')
  const findingsIn = async (stdin: string) =>
    JSON.parse((await call(['diagnose', '-', ...FROM_ENV, '--json'], { stdin })).text).findings

  it('is looked at first, before anybody is blamed', async () => {
    const [finding, ...others] = await findingsIn(captured('{"a":1}'))
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      code: 'body_newline',
      message: expect.stringMatching(
        /^Without the line break at its end the body is the one that was signed: an editor/,
      ),
      fix: expect.stringContaining('take the line break out of the file'),
    })
  })

  it('is looked at first where something else is wrong as well', async () => {
    const base64 = { signature: digest.toString('base64') }
    expect(await findingsIn(captured('{"a":1}', base64))).toMatchObject([
      { code: 'body_newline', message: expect.stringContaining('the body is the one that was signed') },
      { code: 'signature_format' },
    ])
    const message = Buffer.from(`${TIMESTAMP}:${NONCE}:é`, 'latin1')
    const signature = createHmac('sha256', SECRET).update(message).digest('hex')
    expect(await findingsIn(captured('', { signature }).replace('{"a":1}', 'é'))).toMatchObject([
      { code: 'body_newline', message: expect.stringContaining('the body is nearer to the one that was signed') },
      { code: 'body_encoding' },
    ])
  })

  it.each([
    ['was signed so', '{"a":1}\n', {}],
    ['was signed so, with another mistake', '{"a":1}\n', { timestamp: `0${TIMESTAMP}x` }],
    ['is unexplained either way', 'another body', {}],
  ])('is not blamed where it %s', async (_, body, more) => {
    const findings = await findingsIn(captured(body, more))
    expect(findings.map(({ code }: { code: string }) => code)).not.toContain('body_newline')
  })

  it('is noted by verify', async () => {
    const args = ['verify', '-', ...FROM_ENV]
    const { text } = await call(args, { stdin: captured('{"a":1}') })
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Without the line break at its end the body is the one that was signed',
    )
    const other = await call(args, { stdin: captured('another body') })
    expect(other.text).not.toContain('Without the line break')
  })
})
