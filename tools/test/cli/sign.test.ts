import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nonces } from '../../../test/support/arbitraries.js'
import { fc } from '../../../test/support/fast-check.js'
import { IS_POSIX, isInstalled } from '../../../test/support/programs.js'
import { NONCE, SECRET, signatureOf, signedRequest, TIMESTAMP } from '../../../test/support/request.js'
import { serve, temporaryFolder } from '../resources.js'
import { call, FROM_ENV } from './call.js'

const folder = temporaryFolder()
const SAME = ['--timestamp', TIMESTAMP, '--nonce', NONCE]
const JSON_BODY = '{"event":"invoice.paid"}'
const file = join(folder, 'body.json')
writeFileSync(file, JSON_BODY)

it('a secret is different every time', async () => {
  const { exitCode, text } = await call(['secret'])
  expect(exitCode).toBe(0)
  // Only at a terminal, the output has a newline, because a receiver might read it as a part of the key.
  expect(text).toMatch(/^[\w-]{43}$/)
  expect((await call(['secret'], { isTTY: true })).text).toMatch(/^[\w-]{43}\n$/)
  expect((await call(['secret'])).text).not.toBe(text)
  expect(JSON.parse((await call(['secret', '--json'])).text)).toEqual({
    secret: expect.stringMatching(/^[\w-]{43}$/),
  })
})

describe('signing', () => {
  const { 'x-signature': signature } = signedRequest({ body: JSON_BODY }).headers

  it('prints the three headers', async () => {
    const { exitCode, text, stderr } = await call(['sign', file, ...FROM_ENV, ...SAME])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text).toBe(`X-Timestamp: ${TIMESTAMP}\nX-Nonce: ${NONCE}\nX-Signature: ${signature}\n`)
    expect((await call(['sign', file, ...FROM_ENV, ...SAME, '--format', 'headers'])).text).toBe(text)
  })

  it('prints JSON with --json', async () => {
    const { text } = await call(['sign', file, ...FROM_ENV, ...SAME, '--json'])
    const headers = { 'X-Timestamp': TIMESTAMP, 'X-Nonce': NONCE, 'X-Signature': signature }
    expect(JSON.parse(text)).toEqual({ headers, notes: [] })
  })

  it('signs the current time and a new nonce by default', async () => {
    const now = async () => JSON.parse((await call(['sign', file, ...FROM_ENV, '--json'])).text).headers
    const { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': made } = await now()
    expect(timestamp).toBe(TIMESTAMP)
    expect(made).toBe(signatureOf(timestamp, nonce, JSON_BODY, SECRET))
    expect((await now())['X-Nonce']).not.toBe(nonce)
  })

  it('prints a note about an empty body', async () => {
    const { exitCode, text, stderr } = await call(['sign', '-', ...FROM_ENV, ...SAME], { stdin: '' })
    expect([exitCode, stderr]).toEqual([0, 'The body is empty.\n'])
    expect(text).toContain(signatureOf(TIMESTAMP, NONCE, '', SECRET))
  })

  it.each([
    ['no such file', [join(folder, 'none.json')], 'none.json": no such file or directory.'],
    ['another format', [file, '--format', 'xml'], 'Unknown --format "xml". Use one of: headers, curl, http.'],
    [
      'milliseconds',
      [file, '--timestamp', '1700000000000'],
      '--timestamp 1700000000000 is not Unix time in seconds, such as $(date +%s).',
    ],
    ['a nonce with a space', [file, '--nonce', 'a b'], '--nonce is not 1 to 128 visible ASCII characters.'],
    [
      'an ID with a full stop',
      [file, '--scheme', 'standard-webhooks', '--nonce', 'a.b'],
      '--nonce is not 1 to 256 visible ASCII characters without a full stop.',
    ],
    ['a URL that has no effect', [file, '--url', 'http://localhost/'], '--url is for --format curl and http.'],
  ])('refuses %s', async (_, args, message) => {
    const { exitCode, text, said } = await call(['sign', ...args, ...FROM_ENV])
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
  })

  it('needs a body if standard input is a terminal', async () => {
    const { exitCode, said } = await call(['sign', ...FROM_ENV], { isTTY: true })
    const message = 'Missing the body. Pass a file, pipe the input in, or pass - to type the input.'
    expect([exitCode, said]).toEqual([2, expect.stringContaining(message)])
  })
})

it('signing as HTTP text prints a request that diagnose accepts, for any bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), nonces, async (body, nonce) => {
      const args = ['sign', '-', ...FROM_ENV, `--nonce=${nonce}`, '--format', 'http']
      const { stdout } = await call(args, { stdin: body })
      const { exitCode, stderr } = await call(['diagnose', '-', ...FROM_ENV, '--at', TIMESTAMP], { stdin: stdout })
      expect([exitCode, stderr]).toEqual([0, ''])
    }),
    { numRuns: 50 },
  )
})

describe.runIf(IS_POSIX && isInstalled('curl'))('signing for curl', () => {
  const names = ['sent.json', "it's a $(body).json", 'ünï cödé', '@at', '*?[a]']
  it.each(names)('sends exactly the bytes of the file %j', async (name) => {
    const bytes = Buffer.from('\r\n\0\xff@ {"a":1}\n\n', 'latin1')
    const path = join(folder, name)
    writeFileSync(path, bytes)
    const { text } = await call(['sign', path, ...FROM_ENV, ...SAME, '--format', 'curl'])
    const { origin, received } = await serve()
    const script = text.replace('http://localhost/', `${origin}/`)
    await once(spawn('sh', ['-c', script], { cwd: folder, stdio: 'ignore' }), 'exit')
    const signature = signatureOf(TIMESTAMP, NONCE, bytes, SECRET)
    const headers = { 'x-signature': signature, 'content-type': 'application/octet-stream' }
    expect(received).toMatchObject([{ body: bytes, headers }])
  })
})
