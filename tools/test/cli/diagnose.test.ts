import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NONCE, SECRET, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { type Finding, LANGUAGES } from '../../src/diagnose/index.js'
import { temporaryFolder } from '../resources.js'
import { call, capture, FROM_ENV } from './call.js'

const folder = temporaryFolder()
const BODY = '{"a":1}'
const DIAGNOSE = ['diagnose', '-', ...FROM_ENV, '--at', TIMESTAMP]

/** Runs diagnose with --json. */
async function diagnosed(stdin: string | Buffer, args: readonly string[] = DIAGNOSE, around: object = {}) {
  return JSON.parse((await call([...args, '--json'], { stdin, ...around })).text)
}

describe('diagnose', () => {
  it('prints that a request is valid', async () => {
    const { exitCode, text, stderr } = await call(DIAGNOSE, { stdin: capture(BODY) })
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toMatch(/^Valid: there is nothing to fix\.\n/)
    expect(await diagnosed(capture(BODY))).toMatchObject({ valid: true, findings: [] })
  })

  it('says that a request is valid without the newline of the secret file', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, `${SECRET}\n`)
    const { text } = await call(['diagnose', '-', '--secret-file', file, '--at', TIMESTAMP], { stdin: capture(BODY) })
    expect(text).toMatch(/^Valid: with the secret without the newline of its file\.\n/)
  })

  it('says which of several secrets signed the request, or names each secret', async () => {
    const env = { FIRST: 'another secret, with 32 characters', SECOND: SECRET }
    const args = ['diagnose', '-', '--secret-env', 'FIRST', '--secret-env', 'SECOND', '--at', TIMESTAMP]
    const { notes } = await diagnosed(capture(BODY), args, { env })
    expect(notes).toContain('Signed with the secret of --secret-env SECOND.')
    const wrong = await diagnosed(capture(BODY, { secret: 'a third secret' }), args, { env })
    expect(wrong.notes).toEqual(
      expect.arrayContaining(['secret[0]: --secret-env FIRST', 'secret[1]: --secret-env SECOND']),
    )
  })

  it('prints its findings', async () => {
    const { exitCode, text, stderr } = await call(DIAGNOSE, { stdin: capture(BODY, { secret: 'another' }) })
    expect([exitCode, stderr]).toEqual([1, ''])
    expect(text).toMatch(
      /^Invalid: 1 finding\n\n1\. .*\n(.*\n)? *.*\(signature_mismatch\)\n(.*\n)* {3}Fix, on .* side:\n {5}\S[\s\S]*\n\nRead: POST/,
    )
  })

  it('says that a valid request contains the secret, and masks it in the notes', async () => {
    const stdin = String(capture(BODY)).replace(/x-nonce/i, `X-Key: ${SECRET}\nX-Nonce`)
    const { exitCode, text } = await call(DIAGNOSE, { stdin })
    expect(exitCode).toBe(0)
    expect(text).toMatch(/^Valid, but there is a problem to fix\.\n\n1\. .*\(secret_leaked\)/s)
    expect(text).not.toContain(SECRET)
  })
})

describe('diagnose with the output of curl -v and --body-file', () => {
  /** Diagnoses a request for which the sender signed `message`, but curl sent `sent`. */
  async function diagnosedFile(file: string, sent: string, message: string) {
    const signature = createHmac('sha256', SECRET).update(message).digest('hex')
    const { headers } = signedRequest({ signature })
    const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(sent) })
    const stdin = `> POST /x HTTP/1.1\n${lines.map(([name, value]) => `> ${name}: ${value}\n`).join('')}> \n< HTTP/1.1 401\n`
    writeFileSync(join(folder, 'body.json'), file)
    const { findings, notes } = await diagnosed(stdin, [...DIAGNOSE, '--body-file', join(folder, 'body.json')])
    const onBody = notes.filter((note: string) => /Content-Length|curl -d/.test(note))
    return { notes: onBody, found: findings.map(({ code, side }: Finding) => `${code}: ${side}`) }
  }
  const withHead = (body: string) => `${TIMESTAMP}:${NONCE}:${body}`
  const FILE = '{"event":"paid",\n"amount":100,\r\n\n"name":"Zoë"}\n'
  const JOINED = '{"event":"paid","amount":100,"name":"Zoë"}'
  const NOTE = ['curl -d sent 43 bytes: the file without its newlines. The file has 48 bytes.']

  it.each([
    ['the file', withHead(FILE), ['body_newline: sender']],
    ['what curl sent', withHead(JOINED), []],
    ['the file with another layout', `${TIMESTAMP}.${FILE}`, ['message_layout: sender', 'body_newline: sender']],
    ['something else', 'nonsense', ['signature_mismatch: unknown']],
  ])('finds what was signed if curl removed the line breaks of the file: %s', async (_, message, found) => {
    expect(await diagnosedFile(FILE, JOINED, message)).toEqual({ notes: NOTE, found })
  })
})

describe('--language', () => {
  it('takes every language, and the help lists them', async () => {
    const help = (await call(['diagnose', '--help'])).text
    for (const language of LANGUAGES) {
      expect(help).toMatch(new RegExp(`\\b${language}\\b`))
      const args = [...DIAGNOSE, '--language', language.toUpperCase()]
      expect(await call(args, { stdin: capture(BODY) })).toMatchObject({ exitCode: 0 })
    }
  })
})

describe('the request', () => {
  const { headers } = signedRequest({ body: BODY })

  const file = join(folder, 'sent.json')
  writeFileSync(file, BODY)
  const lines = Object.entries(headers).map(([name, value]) => `> ${name}: ${value}\n`)
  /** The output of `curl -v`. */
  const CURL = `> POST /x HTTP/1.1\n${lines.join('')}> \n< HTTP/1.1 401 No\n< Date: Tue, 14 Nov 2023 22:13:21 GMT\n< \n`

  it('may be the output of curl -v with the file that was sent', async () => {
    const args = ['diagnose', '-', '--body-file', file, ...FROM_ENV]
    const { exitCode, text } = await call(args, { stdin: CURL })
    expect(exitCode).toBe(0)
    expect(text).toContain('Time of arrival: 2023-11-14T22:13:21Z, from the Date of the response.')
    expect(await call([...args, '--at', '2023-11-14T23:13:20Z'], { stdin: CURL })).toMatchObject({ exitCode: 1 })
  })

  it.each([
    ['nothing', ['-'], '', 'The captured request is empty. Pass a file, pipe the request in, or use --header and'],
    ['the output of curl -v alone', ['-'], CURL, 'The capture has no body. Use --body-file PATH'],
    ['standard input for two', ['-', '--body-file', '-'], capture(BODY), 'because standard input was already read.'],
    ['a time without its zone', ['-', '--at', '2023-11-14T22:13:20'], capture(BODY), '--at is not a time.'],
    ['a body that was cut', ['-'], capture(BODY).subarray(0, -2), 'Content-Length is 7, but its body has 5 bytes.'],
  ])('cannot be %s', async (_, args, stdin, message) => {
    const { exitCode, text, said } = await call(['diagnose', ...args, ...FROM_ENV], { stdin })
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })

  it('is printed safe for a terminal, and without a secret', async () => {
    const shown = 'q7Rk2vT9xLm4WcZ8bNd1YhGf5sJp3UeA'
    const encoded = Buffer.from(`key:${shown}`).toString('base64')
    const signed = Object.entries(signedRequest({ body: '', nonce: shown, secret: shown }).headers)
    const head = [`:path: /\x1b[2J/${shown}?token=${encoded}`, ...signed.map((pair) => pair.join(': '))]
    for (const json of [[], ['--json']]) {
      const around = { stdin: `${head.join('\n')}\n\n`, env: { WEBHOOK_SECRET: shown } }
      const { exitCode, text, stderr } = await call([...DIAGNOSE, ...json], around)
      expect(exitCode).toBe(0)
      expect(text).toContain('u001b[2J/[secret]')
      for (const form of [shown, encoded.slice(8, 20), '\x1b[2J']) expect(text + stderr).not.toContain(form)
    }
  })
})
