import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { run } from '../../src/cli/run.js'
import { call } from './call.js'

const COMMANDS = ['secret', 'sign', 'send', 'verify', 'diagnose']

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']]])('of all is printed by %j', async (args) => {
    const { exitCode, text, stderr } = await call(args)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([])
    expect((await call([])).stderr).toBe(`error: which command?\n\n${text}\n`)
    for (const name of COMMANDS) expect(text).toMatch(new RegExp(`^ {2}${name} +[A-Z].*\\.$`, 'm'))
  })

  it.each(COMMANDS)('of %s names its options, in lines of at most 100 characters', async (name) => {
    const { exitCode, text } = await call([name, '--help'])
    expect(exitCode).toBe(0)
    expect(text).toMatch(new RegExp(`^Usage: inbound-webhook-auth ${name} `))
    expect(text).toContain('  --json ')
    expect(text.split('\n').filter((line) => line.length > 100)).toEqual([])
    expect(await call(['help', name])).toMatchObject({ text })
    expect(await call([name, '-h', 'whatever', 'else'])).toMatchObject({ text })
  })

  it('is a document with --json', async () => {
    const { text } = await call(['--help', '--json'])
    expect(JSON.parse(text)).toEqual({ help: expect.stringContaining('Usage') })
    expect(JSON.parse((await call(['sign', '--help', '--json'])).text)).toEqual({
      help: expect.stringContaining('sign'),
    })
  })
})

it('the version is that of the package', async () => {
  expect(await call(['--version'])).toMatchObject({ exitCode: 0, text: `${manifest.version}\n` })
  expect(JSON.parse((await call(['--version', '--json'])).text)).toEqual({ version: manifest.version })
})

describe('a mistake in the call', () => {
  it.each([
    [[], 'which command?'],
    [['verfy'], 'no such command: "verfy". Did you mean verify?'],
    [['sgin'], 'Did you mean sign?'],
    [['nonsense'], 'There are secret, sign, send, verify, diagnose'],
    [['--json', 'sign'], 'the command comes first'],
    [['sign', '--fromat', 'curl'], 'unknown option --fromat. Did you mean --format?'],
    [['sign', '--form=curl'], 'unknown option --form. Did you mean --format?'],
    [['sign', '--nonsense'], 'unknown option --nonsense. See inbound-webhook-auth sign --help'],
    [['sign', '-x'], 'unknown option -x'],
    [['sign', '--format'], 'error: --format needs a value: --format FORMAT'],
    [
      ['sign', '--format', '--json'],
      'what follows --format begins with a dash: pass --format FORMAT, or --format=FORMAT',
    ],
    [['send', 'http://localhost/', '--age', '-5'], '--age=SECONDS for a value that begins with a dash'],
    [['sign', '--secret-env', '-hunter2'], 'what follows --secret-env begins with a dash: pass --secret-env NAME'],
    [['sign', '--json=yes'], '--json takes no value: pass it alone'],
    [['sign', '--nonce', 'a', '--nonce', 'b'], '--nonce is given twice'],
    [['sign', '__proto__', '--__proto__'], 'unknown option --__proto__'],
    [['sign', 'a', 'b'], 'sign takes one argument at most, and got 2'],
    [['send', 'a', 'b', 'c'], 'send takes 2 arguments at most, and got 3'],
    [['secret', 'a'], 'secret takes no argument, and got 1. See inbound-webhook-auth secret --help'],
  ])('%j is told what to do', async (args, message) => {
    const { exitCode, text, stderr, said } = await call(args)
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
    expect(stderr).not.toMatch(/^ +at |hunter2/m)
  })

  it('is a document on stderr with --json', async () => {
    const { exitCode, text, stderr } = await call(['sign', '--nonsense', '--json'])
    expect([exitCode, text]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toEqual({ error: { message: expect.stringContaining('unknown option --nonsense') } })
  })

  it.each([
    [['sign', '--secret', 'hunter2-hunter2']],
    [['sign', '--secret=hunter2-hunter2']],
    [['sign', '-s', 'hunter2-hunter2']],
    [['sign', '-shunter2-hunter2']],
    [['sign', '-k', 'hunter2-hunter2']],
    [['verify', '--key', 'hunter2-hunter2']],
    [['verify', '--password', 'hunter2-hunter2']],
    [['verify', '--token', 'hunter2-hunter2']],
    [['diagnose', '--signing-secret=hunter2-hunter2']],
    [['diagnose', '--webhook-secret', 'hunter2-hunter2']],
    [['send', 'http://localhost', '--hmac-key', 'hunter2-hunter2']],
  ])('%j is refused, for it shows the secret, and does not repeat it', async (args) => {
    for (const json of [[], ['--json']]) {
      const { exitCode, text, stderr, said } = await call([...args, ...json])
      expect([exitCode, text]).toEqual([2, ''])
      expect(said).toContain('process list')
      expect(said).toContain('--secret-env NAME')
      expect(stderr).not.toContain('hunter2')
    }
  })

  it('tells who gives a secret to a command that takes none', async () => {
    const { exitCode, stderr, said } = await call(['secret', '--secret', 'hunter2'])
    expect(exitCode).toBe(2)
    expect(said).toContain('secret takes no secret')
    expect(stderr).not.toContain('hunter2')
  })

  it.each([
    [['sign', 'body.json', 'hunter2-hunter2']],
    [['verify', 'whsec_hunter2']],
    [['verify', 'hunter2hunter2hunter2hunter2']],
    [['verify', 'request.http', '--secret-env', 'hunter2-hunter2']],
    [['whsec_hunter2']],
    [['send', 'hunter2-hunter2']],
    [['send', 'http://hunter2@localhost/']],
    [['send', 'http://user:hunter2@localhost/']],
  ])('%j does not repeat what may be a secret', async (args) => {
    const { exitCode, stderr } = await call(args)
    expect(exitCode).toBe(2)
    expect(stderr).not.toContain('hunter2')
  })

  it('does not print what would move the cursor', async () => {
    const { stderr } = await call(['sign\x1b[2J\u202e'])
    expect(stderr).toContain('"sign\\x1b[2J\\u{202e}"')
  })
})

describe('what cannot be written', () => {
  function output(code: string): Writable {
    return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) })
  }
  const around = { stdin: process.stdin, env: {}, clock: Date, openTerminal: () => undefined }

  it('because the reader has gone is enough', async () => {
    const stderr = output('EPIPE')
    expect(await run(['--version'], { ...around, stdout: output('EPIPE'), stderr })).toBe(0)
    expect(await run(['nonsense'], { ...around, stdout: output('EPIPE'), stderr })).toBe(2)
  })

  it('because the disk is full is an error', async () => {
    const chunks: string[] = []
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk))
        done()
      },
    })
    expect(await run(['--version'], { ...around, stdout: output('ENOSPC'), stderr })).toBe(2)
    expect(chunks.join('')).toBe('error: cannot write: ENOSPC\n')
  })
})

it('an error that nobody foresaw has a message or a code, and no stack', async () => {
  const env = {
    get WEBHOOK_SECRET(): string {
      throw Object.assign(new Error(''), { code: 'EUNFORESEEN' })
    },
  }
  const { exitCode, stderr } = await call(['sign', '-', '--secret-env', 'WEBHOOK_SECRET'], { stdin: '', env })
  expect([exitCode, stderr]).toEqual([2, 'error: EUNFORESEEN\n'])
})
