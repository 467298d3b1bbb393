import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { IS_POSIX, isInstalled } from '../../test/support/programs.js'
import { curlWithBody, shellWord } from '../src/curl.js'
import { serve } from './resources.js'

/** What would run a command, or change, if a shell expanded it. */
const HOSTILE = [
  `it's`,
  `'; echo ran; '`,
  `\\'; echo ran #`,
  '$(echo ran)`echo ran`$HOME',
  '!! !-1 ^a^b ~ * ? [a] {a,b} \\ \\n "" ; & | < > # = =ls @file',
  ...'-d|$HOME|`ls`|=ls|~root|*|?|[a]|{a,b}|a;b|a&b|>a|(a)|#a|!!|\\a'.split('|'),
  'a|b',
  '',
]

const SHELLS = ['sh', 'dash', 'bash', 'zsh', 'ksh'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

describe.runIf(IS_POSIX).each(SHELLS)('in %s, a copied command', (shell) => {
  /** Runs all commands in one shell. */
  const run = (commands: readonly string[]) => execFileSync(shell, { input: commands.join('\n'), encoding: 'utf8' })

  it('passes each text on unchanged', () => {
    const texts = HOSTILE.flatMap((text) => [text, `a${text}`])
    const printed = run(texts.map((text) => `printf '%s\\0' ${shellWord(text)}`))
    expect(printed.split('\0').slice(0, -1)).toEqual(texts)
  })

  it('sends the headers and the body as they are', () => {
    const headers = HOSTILE.map((value, index): [string, string] => [`X-${index}`, value])
    const text = `@{"a":"it's $(echo ran) \`echo ran\` \\\\ !!"}`
    const bodies = [Buffer.from(text), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]
    for (const [body, end] of [
      [bodies[0], ['--data-raw', text]],
      [bodies[1], ['--data-binary', '@-']],
    ] as const) {
      const curl = `curl() { printf '%s\\0' "$@"; }`
      const words = run([curl, curlWithBody('http://a/b?c=[1]&d', headers, body as Buffer)])
        .split('\0')
        .slice(0, -1)
      expect(words.slice(0, 2)).toEqual(['-ig', 'http://a/b?c=[1]&d'])
      expect(words).toEqual(expect.arrayContaining(headers.map(([name, value]) => `${name}: ${value}`)))
      expect(words.slice(-2)).toEqual(end)
    }
  })
})

describe.runIf(IS_POSIX && isInstalled('curl'))('curl sends', () => {
  it.each([
    ['text', Buffer.from('@{"name":"it\'s"}')],
    ['an empty body', Buffer.alloc(0)],
    ['bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['a long text', Buffer.alloc(40_000, 'a')],
  ])('%s unchanged', async (_, body) => {
    const { origin, received } = await serve()
    const shell = spawn('sh', { stdio: ['pipe', 'ignore', 'ignore'] })
    shell.stdin.end(curlWithBody(origin, [['X-Nonce', HOSTILE[3] ?? '']], body))
    expect(await once(shell, 'exit')).toEqual([0, null])
    expect(received).toMatchObject([{ body, headers: { 'x-nonce': HOSTILE[3] } }])
  })
})
