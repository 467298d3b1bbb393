import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { IS_POSIX } from '../../../test/support/programs.js'
import { NONCE, NOW, SECRET, signedRequest, TestClock, TIMESTAMP } from '../../../test/support/request.js'
import { parseCall } from '../../src/cli/command.js'
import { diagnose } from '../../src/cli/commands/diagnose.js'
import { call, capture, FROM_ENV } from './call.js'

const folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))
afterAll(() => rmSync(folder, { recursive: true }))

const BODY = Buffer.from('{"name":"Zo\xeb"}\0\xff\n', 'latin1')
const { headers } = signedRequest({ body: BODY })
const HEADER_OPTIONS = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
/** A secret that the sender shows by mistake. */
const SHOWN = 'q7Rk2vT9xLm4WcZ8bNd1YhGf5sJp3UeA'

const bodyFile = join(folder, 'body')
writeFileSync(bodyFile, BODY)

const path = join(folder, 'request.http')
writeFileSync(path, capture(BODY))

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
  it('prints that a captured request is genuine', async () => {
    const { exitCode, text, stderr } = await call(['verify', path, ...FROM_ENV])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toBe(`Genuine: signed with the secret of --secret-env WEBHOOK_SECRET
X-Timestamp  1700000000 (2023-11-14T22:13:20Z)
X-Nonce      ${NONCE}
Not checked: whether it is a replay. Only the nonce store of the service knows
that.

Read: POST /hooks/42, body of 17 bytes.
Time of arrival: unknown. If you know when the request arrived, pass --at.
X-Timestamp was compared with the time now.
`)
  })

  it('prints a document with --json', async () => {
    const { exitCode, text } = await call(['verify', path, ...FROM_ENV, '--json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(text)).toEqual({
      ok: true,
      timestamp: Number(TIMESTAMP),
      nonce: NONCE,
      secretIndex: 0,
      secret: '--secret-env WEBHOOK_SECRET',
      notes: [
        'Read: POST /hooks/42, body of 17 bytes.',
        expect.stringContaining('Time of arrival: unknown.'),
        'X-Timestamp was compared with the time now.',
        expect.stringContaining('replay'),
      ],
    })
  })

  it('names the secret that matched', async () => {
    const env = { NEW: 'new', OLD: SECRET }
    const { text } = await call(['verify', path, '--secret-env', 'NEW', '--secret-env', 'OLD', '--json'], { env })
    expect(JSON.parse(text)).toMatchObject({ secretIndex: 1, secret: '--secret-env OLD' })
  })

  it.runIf(IS_POSIX).each([
    ['a file', [path, '--at', '1']],
    ['options', [...HEADER_OPTIONS, '--body-file', bodyFile, '--at', '1']],
    [
      'words for a shell',
      [
        ...HEADER_OPTIONS,
        '--header',
        'X-A: it\'s $HOME `a` \\ "b"',
        '--body-file',
        bodyFile,
        '--header=-x: 1',
        '--at=1',
      ],
    ],
  ])('prints the command that finds the cause: the request is %s', async (_, args) => {
    for (const columns of [60, 100]) {
      const { text } = await call(['verify', ...args, ...FROM_ENV], { columns })
      const [, pasted = ''] = /\nTo find the cause:\n([\s\S]*)$/.exec(text) ?? []
      const show = `npx() { printf '%s\\0' "$@"; }\n${pasted}`
      const words = execFileSync('sh', ['-c', show], { encoding: 'utf8' }).split('\0').slice(0, -1)
      const [program, command, ...rest] = words
      expect([program, command]).toEqual(['inbound-webhook-tools', 'diagnose'])
      const parsed = (all: readonly string[]) => parseCall(all, diagnose)
      expect(parsed(rest)).toEqual(parsed([...args, ...FROM_ENV]))
    }
  })

  it('prints that a request is not genuine, and the next step', async () => {
    const stdin = capture(BODY, { secret: 'another' })
    const { exitCode, text, stderr } = await call(['verify', '-', ...FROM_ENV], { stdin })
    expect([exitCode, stderr]).toEqual([1, ''])
    expect(text).toMatch(
      /^Not genuine: signature_mismatch\nX-Signature is not (.*\n)+To find the cause, pipe the same request to this command:\n {2}npx inbound-webhook-tools diagnose - --secret-env WEBHOOK_SECRET\n$/,
    )
    expect(JSON.parse((await call(['verify', '-', ...FROM_ENV, '--json'], { stdin })).text)).toMatchObject({
      ok: false,
      reason: 'signature_mismatch',
      message: expect.stringContaining('X-Signature'),
      notes: expect.arrayContaining([expect.stringContaining('Read'), expect.stringContaining('Time of arrival')]),
    })
  })

  it.each([
    [
      'missing_header',
      capture(BODY)
        .toString('latin1')
        .replace(/x-nonce.*\r\n/, ''),
    ],
    ['invalid_timestamp', capture(BODY, { timestamp: '1700000000.5' })],
    ['timestamp_outside_window', capture(BODY, { timestamp: '1699999699' })],
    ['invalid_nonce', capture(BODY, { nonce: 'a nonce' })],
    ['signature_mismatch', capture(BODY, { signature: 'sha256=00' })],
  ])('prints the reason %s', async (reason, request) => {
    const stdin = typeof request === 'string' ? Buffer.from(request, 'latin1') : request
    const { exitCode, text } = await call(['verify', ...FROM_ENV], { stdin })
    expect([exitCode, text.split('\n')[0]]).toEqual([1, `Not genuine: ${reason}`])
  })

  it('prints text of the request safe for a terminal', async () => {
    const stdin = Buffer.from(':method: POST\n:path: /\x1b[2J\nX-Nonce: a\n\n')
    const { text } = await call(['verify', '-', ...FROM_ENV], { stdin })
    expect(text).toContain('Read: POST /\\u001b[2J, body of 0 bytes.')
  })

  it.each([
    ['the path', `POST /h/${SHOWN} HTTP/1.1`, NONCE],
    ['the query, in base64', `POST /h?token=${Buffer.from(`key:${SHOWN}`).toString('base64')} HTTP/1.1`, NONCE],
    ['the method', `curl -X ${SHOWN} http://a/b`, NONCE],
    ['the nonce', 'POST /h HTTP/1.1', SHOWN],
  ])('masks a secret that is in %s', async (_, first, nonce) => {
    const signed = Object.entries(signedRequest({ body: '', nonce, secret: SHOWN }).headers)
    const stdin = first.startsWith('curl')
      ? `${first} ${signed.map(([name, value]) => `-H '${name}: ${value}'`).join(' ')} -d ''`
      : `${[first, ...signed.map(([name, value]) => `${name}: ${value}`)].join('\n')}\n\n`
    for (const json of [[], ['--json']]) {
      const around = { stdin, env: { WEBHOOK_SECRET: SHOWN } }
      const { exitCode, text, stderr } = await call(['verify', '-', ...FROM_ENV, ...json], around)
      expect(exitCode).toBe(0)
      expect(text).toContain('[secret]')
      expect(text + stderr).not.toContain(SHOWN)
      expect(text).not.toContain(Buffer.from(SHOWN).toString('base64').slice(4, 16))
      expect(text).not.toContain(Buffer.from(`key:${SHOWN}`).toString('base64').slice(8, 20))
    }
  })

  it('masks a secret in the command that finds the cause', async () => {
    const args = [path, '--header', `Authorization: Bearer ${SHOWN}`]
    const { exitCode, text } = await call(['verify', ...args, ...FROM_ENV], { env: { WEBHOOK_SECRET: SHOWN } })
    expect(exitCode).toBe(1)
    expect(text).toContain("--header 'Authorization: Bearer [secret]'")
  })

  it('has colours on a terminal', async () => {
    const { text } = await call(['verify', path, ...FROM_ENV], { isTTY: true })
    expect(text).toContain('\x1b[32m\x1b[1mGenuine\x1b[22m\x1b[39m')
    const stdin = capture(BODY, { timestamp: '1' })
    const other = await call(['verify', '-', ...FROM_ENV], { isTTY: true, stdin })
    expect(other.text).toContain(
      '\x1b[31m\x1b[1mNot genuine\x1b[22m\x1b[39m: \x1b[1mtimestamp_outside_window\x1b[22m\n',
    )
  })
})

describe('a body that may not be what was sent', () => {
  const cut = capture(BODY).subarray(0, -6)

  it('is refused if it is shorter than Content-Length', async () => {
    for (const command of ['verify', 'diagnose']) {
      const { exitCode, said } = await call([command, '-', ...FROM_ENV], { stdin: cut })
      expect([exitCode, said]).toEqual([2, expect.stringContaining('Content-Length is 17, but its body has 11 bytes.')])
    }
  })

  it('has a warning in the first line if something else is wrong', async () => {
    const stdin = Buffer.from(cut.toString('latin1').replace(/x-nonce.*\r\n/i, ''), 'latin1')
    const warning = 'Content-Length is 17, but its body has 11 bytes.'
    for (const command of ['verify', 'diagnose']) {
      const { exitCode, text } = await call([command, '-', ...FROM_ENV], { stdin })
      expect([exitCode, text.replaceAll('\n', ' ')]).toEqual([
        1,
        expect.stringMatching(/^Warning: The capture does not/),
      ])
      expect(text.replaceAll('\n', ' ')).toContain(warning)
      const { notes } = JSON.parse((await call([command, '-', ...FROM_ENV, '--json'], { stdin })).text)
      expect(notes[0]).toContain(warning)
    }
  })

  it('is not printed for a line end after the body', async () => {
    const { text } = await call(['verify', '-', ...FROM_ENV], {
      stdin: Buffer.concat([capture(BODY), Buffer.from('\n')]),
    })
    expect(text).not.toContain('Warning')
  })
})

describe('the request', () => {
  it('may consist only of options', async () => {
    const args = ['verify', ...HEADER_OPTIONS, '--body-file', bodyFile, ...FROM_ENV]
    expect(await call(args)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('Read: a request, body of 17 bytes'),
    })
    expect(await call([...args.slice(0, -2), '--secret-file', '-'], { stdin: SECRET })).toMatchObject({ exitCode: 0 })
    expect(
      await call(
        args.map((arg) => (arg === bodyFile ? '-' : arg)),
        { stdin: BODY },
      ),
    ).toMatchObject({ exitCode: 0 })
  })

  it('may have a header of --header instead of the captured one', async () => {
    const stdin = capture(BODY, { signature: 'nonsense' })
    const { exitCode } = await call(['verify', '-', '--header', `X-SIGNATURE:${headers['x-signature']}`, ...FROM_ENV], {
      stdin,
    })
    expect(exitCode).toBe(0)
  })

  it('may be the output of curl -v with the file that was sent, and arrived at the Date of the response', async () => {
    const later = new TestClock(NOW + 3_600_000)
    const args = ['verify', '-', '--body-file', bodyFile, ...FROM_ENV]
    const { exitCode, text } = await call(args, { stdin: CURL, clock: later })
    expect(exitCode).toBe(0)
    expect(text).toContain('Time of arrival: 2023-11-14T22:13:21Z, from the Date of the response.')
    expect(await call([...args, '--at', '2023-11-14T23:13:20Z'], { stdin: CURL })).toMatchObject({ exitCode: 1 })
  })

  it('may have its time of arrival in its own Date', async () => {
    const stdin = capture(BODY).toString('latin1').replace('\r\n', '\r\nDate: Tue, 14 Nov 2023 22:13:22 GMT\r\n')
    const later = new TestClock(NOW + 3_600_000)
    const { exitCode, text } = await call(['verify', '-', ...FROM_ENV], {
      stdin: Buffer.from(stdin, 'latin1'),
      clock: later,
    })
    expect(exitCode).toBe(0)
    expect(text).toContain('Time of arrival: 2023-11-14T22:13:22Z, from the Date of the request.')
  })

  it('is described in a note', async () => {
    const stdin = Buffer.concat([capture(BODY), Buffer.from('\n')])
    const { exitCode, text } = await call(['verify', '-', ...FROM_ENV], { stdin })
    expect(exitCode).toBe(0)
    expect(text).toContain('\nContent-Length is 17, which excludes 1 byte after the body.\n')
  })

  it.each([
    ['no file', ['none.http'], '', 'Cannot read the captured request: no such file or directory.'],
    [
      'nothing',
      ['-'],
      '',
      'The captured request is empty. Pass its file, pipe it in, or use --header and --body-file.',
    ],
    ['the output of curl -v alone', ['-'], CURL, 'The capture has no body. Pass the file'],
    ['a header without a colon', ['--header', 'X-Nonce'], '', "--header is not a header. Pass --header 'Name: value'."],
    [
      'standard input for two',
      ['-', '--body-file', '-'],
      capture(BODY),
      'Cannot read the body from standard input: it was already read.',
    ],
    ['a time without its zone', [path, '--at', '2023-11-14T22:13:20'], '', '--at is not a time.'],
  ])('cannot be %s', async (_, args, stdin, message) => {
    const { exitCode, text, said } = await call(['verify', ...args, ...FROM_ENV], { stdin })
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })
})

describe('the time', () => {
  const LATER = { clock: new TestClock(NOW + 86_400_000) }
  it.each([
    [[], 1, 'unknown. If you know when the request arrived, pass --at'],
    [['--at', 'timestamp'], 0, '2023-11-14T22:13:20Z, from X-Timestamp'],
    [['--at', '1700000300'], 0, '2023-11-14T22:18:20Z, from --at'],
    [['--at', '1700000300001'], 1, '2023-11-14T22:18:20.001Z, from --at'],
    [['--at=2023-11-14T22:13:20Z'], 0, '2023-11-14T22:13:20Z, from --at'],
  ])('%j: exit code %d', async (args, code, words) => {
    const { exitCode, text } = await call(['verify', path, ...FROM_ENV, ...args], LATER)
    expect(exitCode).toBe(code)
    expect(text).toContain(`Time of arrival: ${words}.`)
  })

  it.each(['soon', '9'.repeat(20)])(
    'of --at timestamp is unknown if X-Timestamp is not a time of the past: %s',
    async (timestamp) => {
      const { text } = await call(['verify', '-', ...FROM_ENV, '--at', 'timestamp'], {
        ...LATER,
        stdin: capture(BODY, { timestamp }),
      })
      expect(text).toContain('Time of arrival: unknown.')
    },
  )

  it('of --at timestamp is unknown without X-Timestamp', async () => {
    const stdin = Buffer.from('X-Nonce: a\n\n')
    const { text } = await call(['verify', '-', ...FROM_ENV, '--at', 'timestamp'], { ...LATER, stdin })
    expect(text).toMatch(/^Not genuine: missing_header\n/)
  })
})
