import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { IS_POSIX } from '../../test/support/programs.js'
import { curlWithFile, shellWord } from '../src/curl.js'

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

  it('sends the headers and the file as they are', () => {
    const headers = HOSTILE.map((value, index): [string, string] => [`X-${index}`, value])
    const curl = `curl() { printf '%s\\0' "$@"; }`
    const words = run([curl, curlWithFile('http://a/b?c=[1]&d', headers, `it's $(echo ran).json`)]).split('\0')
    const lines = headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const file = ['--data-binary', `@it's $(echo ran).json`]
    expect(words).toEqual(['-ig', 'http://a/b?c=[1]&d', ...lines, ...file, ''])
  })
})
