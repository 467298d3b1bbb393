import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { type Command, GUIDE, guideAddress, parseCall, pathInPackage, quote } from '../../src/cli/command.js'
import { COMMANDS as ALL, run } from '../../src/cli/run.js'
import { call, FROM_ENV } from './call.js'

const COMMANDS = ['secret', 'sign', 'send', 'check', 'diagnose', 'listen', 'workbench']

describe('help', () => {
  it.each([[['--help']], [['-h']]])('%j lists the commands', async (args) => {
    const { exitCode, text, stderr } = await call(args)
    expect([exitCode, stderr]).toEqual([0, ''])
    expect((await call([])).stderr).toBe(`error: Missing command.\n\n${text}\n`)
    for (const name of COMMANDS) expect(text).toMatch(new RegExp(`^ {2}${name} +[A-Z].*\\.$`, 'm'))
  })

  it.each(COMMANDS)('of %s lists its options', async (name) => {
    const { exitCode, text } = await call([name, '--help'])
    expect(exitCode).toBe(0)
    expect(text).toContain(guideAddress(`${GUIDE}#${name}`))
    expect(text).toContain('  --json ')
    const { operands } = ALL.find((one) => one.name === name) as Command
    expect(text.split('\n\n')[0]).toBe(['Usage: inbound-webhook-tools', name, ...operands, '[options]'].join(' '))
    expect(await call([name, '-h', 'whatever', 'else'])).toMatchObject({ text })
  })

  it.each(COMMANDS)('of %s has an example, which is a right call', async (name) => {
    const { text } = await call([name, '--help'])
    const [, example = ''] = /\n\nExample:\n {2}npx -y inbound-webhook-tools (.*)\n\n/.exec(text) ?? []
    const [command, ...args] = example.replace(/ > .*/, '').split(' ')
    expect(command).toBe(name)
    const found = ALL.find((one) => one.name === name) as Command
    expect(() => parseCall(args, found)).not.toThrow()
  })
})

describe('the address of a guide', () => {
  it.each([
    ['docs/debug/findings.md', 'debug/findings.html'],
    ['docs/debug/command-line.md#check', 'debug/command-line.html#check'],
    ['docs/recipes/index.md', 'recipes/'],
  ])('%s is on the homepage', (page, address) => {
    for (const homepage of ['https://example.com/guides', 'https://example.com/guides/']) {
      expect(guideAddress(page, { homepage, version: '1.2.3' })).toBe(`https://example.com/guides/${address}`)
    }
  })

  it('is in the package if there is no homepage', () => {
    const address = guideAddress('docs/debug/command-line.md#check', { version: '1.2.3' })
    expect(address).toBe('https://unpkg.com/inbound-webhook-tools@1.2.3/docs/debug/command-line.md')
  })
})

it('--version prints the version of the package', async () => {
  expect(await call(['--version'])).toMatchObject({ exitCode: 0, text: `${manifest.version}\n` })
  expect(JSON.parse((await call(['--version', '--json'])).text)).toEqual({ version: manifest.version })
})

describe('a wrong call', () => {
  it.each<readonly [readonly string[], string]>([
    [['signn'], 'error: Unknown command "signn". Did you mean sign?'],
    [['sign', '--fromat', 'curl'], 'Unknown option "--fromat". Did you mean --format?'],
    [
      ['sign', '-x'],
      'Unknown option "-x". Use one of: --secret-env, --secret-file, --scheme, --format, --url, --timestamp,',
    ],
    ...[
      ['foo', 'nonce-form'],
      ['copies', 'replay-copies'],
      ['replay-agian', 'replay-again'],
      ['bodi', 'body'],
    ].map(([word, near]) => {
      const message = `Unknown case of --only or --skip "${word}". Did you mean ${near}?`
      return [['check', 'http://a', '--only', String(word), ...FROM_ENV], message] as const
    }),
    [['sign', '--env', 'A'], 'Unknown option "--env". Did you mean --secret-env?'],
    [['sign', '--format'], 'error: --format needs a value. Pass --format FORMAT, or --format=FORMAT if'],
    [['sign', '--json=yes'], '--json takes no value. Remove = "yes".'],
    [['sign', '--timestamp', '1e9'], '--timestamp is not a number.'],
    [['diagnose', '-', '--language', 'xx'], 'Unknown --language "xx". Use one of: node, python, go,'],
    [['sign', '__proto__', '--__proto__'], 'Unknown option.'],
    [['sign', 'a', 'b'], 'Too many arguments. A secret is never an argument. See inbound-webhook-tools sign --help'],
  ])('%j prints what to do', async (args, message) => {
    const { exitCode, text, stderr, said } = await call(args)
    expect([exitCode, text]).toEqual([2, ''])
    expect(said).toContain(message)
    expect(stderr).not.toMatch(/^ +at |hunter2/m)
  })

  it('is a document on stderr with --json', async () => {
    const { exitCode, text, stderr } = await call(['sign', '--nonsense', '--json'])
    expect([exitCode, text]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toEqual({ error: { message: expect.stringContaining('Unknown option') } })
  })

  it.each([
    [['sign', '--secret', 'hunter2-hunter2']],
    [['sign', '--secret=hunter2-hunter2']],
    [['sign', '-shunter2-hunter2']],
    [['diagnose', '--signing-secret=hunter2-hunter2']],
    [['send', 'http://localhost', '--hmac-key', 'hunter2-hunter2']],
  ])('%j explains where to put the secret, and does not repeat it', async (args) => {
    for (const json of [[], ['--json']]) {
      const { exitCode, text, stderr, said } = await call([...args, ...json])
      expect([exitCode, text]).toEqual([2, ''])
      expect(said).toContain('A secret must not be an argument')
      expect(said).toContain('--secret-env NAME')
      expect(stderr).not.toContain('hunter2')
    }
  })

  const CALLS =
    'hunter2|--hunter2|sign body.json hunter2|sign --hunter2|sign --format hunter2|sign --nonsense=hunter2|' +
    'sign --json=hunter2|sign --url hunter2|sign --timestamp hunter2|sign --nonce hunter2\u00fc|diagnose hunter2|' +
    'diagnose request.http --secret-env hunter2|diagnose request.http --secret-file hunter2|' +
    'diagnose --header hunter2|diagnose --header a:b --at hunter2|send http://user:hunter2@localhost/|' +
    'check http://localhost/ --only hunter2|listen --language hunter2'
  it.each(CALLS.split('|'))('%s: the message does not repeat an argument', async (line) => {
    for (const json of [[], ['--json']]) {
      const { exitCode, text, stderr } = await call([...line.split(' '), ...json])
      expect([exitCode, text]).toEqual([2, ''])
      expect(stderr).not.toContain('hunter2')
    }
  })
})

describe('an argument in a message', () => {
  it.each(['foo', '--format', '65536', 'ftp://localhost/', 'none.json', '../a b/request.http', 'C:\\a\\b.txt'])(
    'is shown: %s',
    (argument) => {
      expect(quote(argument)).toBe(` "${argument}"`)
    },
  )

  it.each([
    ...['cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ...['d2b1687e5f4678ecb5ef2634a5161c8384f8b0bfdb8606f675e865093dbae370', 'hunter2', 'correct horse battery staple'],
    ...['http://user:password@localhost/', 'https://example.com/hooks?token=abc'],
    ...['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r', 'a\u001b[2J.txt'],
  ])('is not shown, because it may be a secret: %s', (argument) => {
    expect(quote(argument)).toBe('')
  })
})

describe('output that cannot be written', () => {
  function output(code: string): Writable {
    return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) })
  }
  const context = {
    stdin: process.stdin,
    env: {},
    clock: Date,
    openTerminal: () => undefined,
    pathInPackage,
    untilInterrupted: () => Promise.resolve(),
  }

  it('is an error if the disk is full', async () => {
    const stderr = new PassThrough()
    expect(await run(['nonsense'], { ...context, stdout: output('ENOSPC'), stderr: output('ENOSPC') })).toBe(2)
    expect(await run(['--version'], { ...context, stdout: output('ENOSPC'), stderr })).toBe(2)
    expect(String(stderr.read())).toBe('error: Cannot write the output: no space left on device.\n')
  })
})

it('an unexpected error prints its message without a stack trace', async () => {
  const env = {
    get WEBHOOK_SECRET(): string {
      throw new Error('unforeseen')
    },
  }
  const { exitCode, stderr } = await call(['sign', '-', '--secret-env', 'WEBHOOK_SECRET'], { stdin: '', env })
  expect([exitCode, stderr]).toEqual([2, 'error: unforeseen\n'])
})
