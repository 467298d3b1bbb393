import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IS_POSIX, isInstalled } from '../../../test/support/programs.js'
import { SECRET, signatureOf } from '../../../test/support/request.js'
import { temporaryFolder } from '../resources.js'
import { PROGRAM } from './program.js'

// These tests run the command line as a program. The other tests call the commands in their own process, which is faster.

const folder = temporaryFolder()
const body = join(folder, 'body.json')
writeFileSync(body, '{"a":1}')

// Removes the colour settings, because they would change the output. In CI, Node shows no colours even at a terminal.
const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...rest } = process.env
const env = { ...rest, WEBHOOK_SECRET: SECRET, TERM: 'xterm' }

function shell(script: string) {
  const args = ['-c', script, process.execPath, PROGRAM, body]
  const { status, stdout, stderr } = spawnSync('sh', args, { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe.runIf(IS_POSIX)('the command in a pipe', () => {
  it('signs and verifies a request', () => {
    const script =
      '"$0" "$1" sign "$2" --secret-env WEBHOOK_SECRET --format http | "$0" "$1" diagnose - --secret-env WEBHOOK_SECRET --at timestamp'
    expect(shell(script)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Valid: /), stderr: '' })
  })

  it('ends without an error if the reader closes the pipe', () => {
    const { stdout, stderr } = shell(
      'head -c 3000000 /dev/zero | "$0" "$1" sign - --secret-env WEBHOOK_SECRET --format http | head -n 1',
    )
    expect([stdout, stderr]).toEqual(['POST / HTTP/1.1\r\n', ''])
    expect(shell('{ "$0" "$1" --help; echo "$?" >&2; } | true').stderr).toBe('0\n')
  })
})

it('the command exits with 2 for an error, and prints no stack trace', () => {
  const args = [PROGRAM, 'sign', join(folder, 'none'), '--secret-env', 'WEBHOOK_SECRET']
  expect(spawnSync(process.execPath, args, { env, encoding: 'utf8' })).toMatchObject({
    status: 2,
    stdout: '',
    stderr: 'error: Cannot read the body: no such file or directory.\n',
  })
})

/** Runs the program at a pseudo-terminal and types. Returns the output of the terminal and the exit code. */
function atTerminal(args: readonly string[], keys: string) {
  const all = ['-c', PTY, keys, process.execPath, PROGRAM, ...args]
  return JSON.parse(execFileSync('python3', all, { env, encoding: 'utf8' })) as { shown: string; status: number }
}

const PTY = `
import json, os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
shown, keys = b'', sys.argv[1].encode()
while True:
    try: part = os.read(terminal, 10000)
    except OSError: break
    if not part: break
    shown += part
    if keys and b'shown): ' in shown:
        os.write(terminal, keys)
        keys = b''
print(json.dumps({'shown': shown.decode(), 'status': os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}))
`

describe.runIf(IS_POSIX && isInstalled('python3'))('the command at a terminal', () => {
  it('exits with 130 after Ctrl+C at the prompt', () => {
    const { shown, status } = atTerminal(['sign', body], 'half of it\x03')
    expect([shown, status]).toEqual(['Signing secret of the webhook (it is not shown): \r\n', 130])
  })

  it('asks for the secret even if input and output are files', () => {
    const script = `printf '{"a":1}' | "${process.execPath}" "${PROGRAM}" sign - --timestamp 1700000000 --nonce abc > "${folder}/headers" 2> "${folder}/notes"; cat "${folder}/headers"`
    const python = PTY.replace('sys.argv[2], sys.argv[2:]', "'/bin/sh', ['sh', '-c', sys.argv[2]]")
    const { shown } = JSON.parse(
      execFileSync('python3', ['-c', python, `${SECRET}\r`, script], { env, encoding: 'utf8' }),
    )
    expect(shown).toContain(`X-Signature: ${signatureOf('1700000000', 'abc', '{"a":1}', SECRET)}`)
  })
})
