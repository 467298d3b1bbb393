import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../src/diagnose/index.js'
import { NONCE, NOW, SECRET, signedRequest, TestClock, TIMESTAMP } from '../support/request.js'
import { call, capture, FROM_ENV } from './call.js'

const BODY = '{"a":1}'
const DIAGNOSE = ['diagnose', '-', ...FROM_ENV]
const LATER = { clock: new TestClock(NOW + 3_600_000) }

/** Runs diagnose with --json. */
async function diagnosed(stdin: string | Buffer, args: readonly string[] = DIAGNOSE, around: object = {}) {
  return JSON.parse((await call([...args, '--json'], { stdin, ...around })).text)
}

describe('diagnose', () => {
  it('prints that a request is genuine', async () => {
    const { exitCode, text, stderr } = await call(DIAGNOSE, { stdin: capture(BODY) })
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toMatch(/^Genuine: there is nothing to fix\.\n/)
    expect(await diagnosed(capture(BODY))).toMatchObject({ genuine: true, findings: [] })
  })

  it('prints its findings', async () => {
    const { exitCode, text, stderr } = await call(DIAGNOSE, { stdin: capture(BODY, { secret: 'another' }) })
    expect([exitCode, stderr]).toEqual([1, ''])
    expect(text).toMatch(
      /^Not genuine: 1 finding\n\n1\. .*\n.*\(signature_mismatch\)\n(.*\n)* {3}Fix, on .* side:\n {5}\S[\s\S]*\n\nRead: POST/,
    )
    expect(text).not.toContain('--at')
  })

  it.each([
    ['a request line', 'PUT /in/7f3a HTTP/1.1'],
    ['a request line without version', 'PUT /in/7f3a'],
    ['pseudo-headers', ':method: PUT\n:path: /in/7f3a'],
  ])('knows method and path from %s', async (_, line) => {
    const signature = createHmac('sha256', SECRET).update(`PUT\n/in/7f3a\n${TIMESTAMP}\n${NONCE}\n{}`).digest('hex')
    const stdin = `${line}\nX-Timestamp: ${TIMESTAMP}\nX-Nonce: ${NONCE}\nX-Signature: ${signature}\n\n{}`
    expect((await diagnosed(stdin)).findings).toMatchObject([{ code: 'message_layout' }])
  })

  it('assumes now if X-Timestamp is in the future', async () => {
    const stdin = capture(BODY, { timestamp: `${TIMESTAMP}000` })
    const { exitCode, text } = await call([...DIAGNOSE, '--at', 'timestamp'], { stdin })
    expect(exitCode).toBe(1)
    expect(text).toContain('(timestamp_unit)')
    expect(text).toContain('now, because X-Timestamp is in the future.')
  })

  it('suggests --at for a clock if the call does not say when the request arrived', async () => {
    const hint = 'pass the time with --at.'
    const { findings, notes } = await diagnosed(capture(BODY), DIAGNOSE, LATER)
    expect(findings).toMatchObject([{ code: expect.stringMatching(/^clock_/) }])
    expect(notes).toContainEqual(expect.stringContaining(hint))
    const given = await call([...DIAGNOSE, '--at', String(NOW / 1000 + 3600)], { stdin: capture(BODY) })
    expect(given.text).toContain('(clock_')
    expect(given.text).not.toContain(hint)
  })

  it('explains the indexes of several secrets', async () => {
    const env = { NEW: 'new', OLD: 'old' }
    const args = ['diagnose', '-', '--secret-env', 'NEW', '--secret-env', 'OLD']
    const { findings, notes } = await diagnosed(capture(BODY, { secret: 'old\n' }), args, { env })
    expect(findings[0].message).toContain('secret[1]')
    expect(notes).toEqual(expect.arrayContaining(['secret[0]: --secret-env NEW', 'secret[1]: --secret-env OLD']))
    expect((await diagnosed(capture(BODY, { secret: 'old' }), args, { env })).notes.join()).not.toContain('secret[')
  })

  it.each([
    [SECRET, []],
    [`${SECRET}\n`, []],
    [`"${SECRET}"`, ['--json']],
  ])('does not print the secret %j', async (secret, json) => {
    const around = { stdin: capture(BODY, { secret: 'another' }), env: { WEBHOOK_SECRET: secret } }
    const { text, stderr } = await call([...DIAGNOSE, ...json], around)
    expect(text).toContain('signature_mismatch')
    expect(text + stderr).not.toContain(SECRET)
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

  it.each([
    ['phyton', 'Unknown --language. Did you mean python?'],
    ['cobol', `Unknown --language. Use one of: ${LANGUAGES.join(', ')}.`],
  ])('%s is an error', async (language, message) => {
    const { exitCode, said } = await call([...DIAGNOSE, '--language', language])
    expect([exitCode, said]).toEqual([2, `error: ${message}`])
  })
})

describe('a capture that ends with a line end, without Content-Length', () => {
  const ADDED = { code: 'body_newline', message: expect.stringContaining('The capture ends with a line end') }
  const digest = Buffer.from(signedRequest({ body: BODY }).headers['x-signature'], 'hex')
  const findingsOf = async (signed: string, more: Parameters<typeof signedRequest>[0] = {}) => {
    const { headers } = signedRequest({ body: signed, ...more })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
    return (await diagnosed(`${lines.join('')}\n${BODY}\n`)).findings
  }

  it('has one finding if the request is genuine without it', async () => {
    expect(await findingsOf(BODY)).toMatchObject([ADDED])
  })

  it('has a finding more if something else is wrong', async () => {
    const base64 = { signature: digest.toString('base64') }
    expect(await findingsOf(BODY, base64)).toMatchObject([ADDED, { code: 'signature_format' }])
  })

  it.each([
    ['was signed', `${BODY}\n`, {}],
    ['was signed, with another mistake', `${BODY}\n`, { timestamp: `0${TIMESTAMP}x` }],
    ['explains nothing', 'another body', {}],
  ])('has no finding if the line end %s', async (_, body, more) => {
    const codes = (await findingsOf(body, more)).map(({ code }: { code: string }) => code)
    expect(codes).not.toContain('body_newline')
  })
})
