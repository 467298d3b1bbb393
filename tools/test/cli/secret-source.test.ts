import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { SECRET, signedRequest } from '../../../test/support/request.js'
import type { Terminal } from '../../src/cli/command.js'
import { openTerminal } from '../../src/cli/input/secret-source.js'
import { temporaryFolder } from '../resources.js'
import { call, FROM_ENV } from './call.js'

const folder = temporaryFolder()

function file(content: string | Uint8Array, name = 'secret'): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Returns the signature that the command makes with the secret that it found. */
async function signature(args: readonly string[], around: Parameters<typeof call>[1] = {}) {
  const options = ['--timestamp', '1700000000', '--nonce', signedRequest().headers['x-nonce']]
  const { text } = await call(['sign', ...options, ...args], around)
  return /^X-Signature: (.*)$/m.exec(text)?.[1]
}

const BODY = file('a body', 'body')
const expected = signedRequest().headers['x-signature']

describe('a secret', () => {
  it.each([
    ['', 'one line without an end'],
    ['\n', 'an LF at its end'],
    ['\r\n', 'a CRLF at its end'],
  ])('comes from a file (%j: %s)', async (end) => {
    expect(await signature([BODY, '--secret-file', file(`${SECRET}${end}`)])).toBe(expected)
  })

  it.each([
    [`${SECRET}\n\n`, `${SECRET}\n`, 'U+000A (line feed)'],
    ['a\u200bsecret', 'a\u200bsecret', 'U+200B (zero-width space)'],
    ['"a secret"', '"a secret"', 'quotes around it'],
    ['a\ufffdsecret', 'a\ufffdsecret', 'U+FFFD in place of bytes that are not UTF-8'],
    [`\ufeff${SECRET}`, SECRET, undefined],
  ])(
    'loses only one newline and a byte order mark, and a note says what is unusual: %j',
    async (text, secret, oddity) => {
      const args = [BODY, '--secret-file', file(text)]
      expect(await signature(args)).toBe(signedRequest({ secret }).headers['x-signature'])
      const { text: document, stderr } = await call(['sign', ...args, '--json'])
      const { notes } = JSON.parse(document)
      const note = `The secret of --secret-file ${file(text)} has ${oddity}, which is part of the key.`
      const newline = expect.stringContaining('ends with a newline, which is not part of the key here')
      expect(notes).toEqual([...(/\n$/.test(text) ? [newline] : []), ...(oddity === undefined ? [] : [note])])
      expect(stderr).toBe('')
    },
  )

  it.each([
    ['is not set', [BODY, '--secret-env', 'OTHERS'], 'OTHERS of --secret-env is not set. Export the variable, and'],
    ...[SECRET, 'A'.repeat(41), 'hunter2', 'HUNTER2'].map((value): [string, string[], string] => [
      'may be a secret in place of a name',
      [BODY, '--secret-env', value],
      'The environment variable of --secret-env is not set.',
    ]),
    ['is empty', [BODY, '--secret-env', 'EMPTY'], 'The secret of --secret-env EMPTY is empty.'],
    ['is an empty file', [BODY, '--secret-file', file('\n', 'empty')], '/empty is empty. Set the secret, and try'],
    ['is no UTF-8', [BODY, '--secret-file', file(Uint8Array.of(0xff, 0xfe, 0x61, 0), 'utf16')], 'is not UTF-8'],
    ['is a folder', [BODY, '--secret-file', folder], 'illegal operation on a directory.'],
    [
      'shares standard input with the body',
      ['-', '--secret-file', '-'],
      'Cannot read the secret of --secret-file from standard input, because standard input was already read.',
    ],
    ['is repeated, to sign', [BODY, ...FROM_ENV, '--secret-env', 'OTHER'], 'Pass one secret.'],
    ['is not passed, and there is no terminal', [BODY], 'Pass --secret-env NAME or --secret-file PATH.'],
  ])('that %s is an error', async (_, args, message) => {
    const env = { WEBHOOK_SECRET: SECRET, OTHER: 'another', EMPTY: '' }
    const { exitCode, text, stderr, said } = await call(['sign', ...args], { env })
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
    expect(stderr).not.toContain(SECRET)
  })
})

describe('a secret at the prompt', () => {
  function terminal() {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const modes: boolean[] = []
    let isClosed = false
    const setRawMode = (mode: boolean) => modes.push(mode)
    const close = () => {
      isClosed = true
    }
    return {
      terminal: { input: Object.assign(input, { isTTY: true, setRawMode }), output, close } satisfies Terminal,
      shown: () => String(output.read()),
      state: () => ({ modes, isClosed }),
    }
  }

  it.each([
    ['typed', `${SECRET}\r`],
    ['pasted with a newline', `${SECRET}\n`],
    ['corrected', `${SECRET}x\x7f\r`],
  ])('that is %s is used, and not shown', async (_, keys) => {
    const { terminal: at, shown, state } = terminal()
    at.input.write(keys)
    expect(await signature([BODY], { terminal: at })).toBe(expected)
    expect(shown()).toBe('Signing secret of the webhook (it is not shown): \n')
    expect(state()).toEqual({ modes: [true, false], isClosed: true })
  })

  it('exits with 130 after Ctrl+C, and prints nothing', async () => {
    const { terminal: at, state } = terminal()
    at.input.write('half of it\x03')
    expect(await call(['sign', BODY], { terminal: at })).toMatchObject({ exitCode: 130, text: '', stderr: '' })
    expect(state()).toEqual({ modes: [true, false], isClosed: true })
  })

  it.each([
    ['Ctrl+D', '\x04'],
    ['Enter alone', '\r'],
  ])('throws after %s', async (_, key) => {
    const { terminal: at } = terminal()
    at.input.write(key)
    const stderr = 'error: No secret was typed.\n'
    expect(await call(['sign', BODY], { terminal: at })).toMatchObject({ exitCode: 2, stderr })
  })

  it('needs a terminal', () => {
    const standard = { stdin: new PassThrough(), stderr: new PassThrough() }
    expect(openTerminal(standard, join(folder, 'none'))).toBeUndefined()
    expect(openTerminal(standard, '/dev/null')).toBeUndefined()
  })

  it('is read from standard input if that is the terminal, as on Windows', async () => {
    const [stdin, stderr] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()]
    const terminal = openTerminal({ stdin, stderr }, join(folder, 'none'))
    stdin.write(`${SECRET}\r`)
    expect(await signature([BODY], terminal === undefined ? {} : { terminal })).toBe(expected)
    expect(String(stderr.read())).toBe('Signing secret of the webhook (it is not shown): \n')
    expect(stdin.isPaused()).toBe(true)
  })
})
