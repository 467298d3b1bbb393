import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../test/support/built.js'
import { pathsBelow } from '../../../test/support/files.js'
import { IS_POSIX, isInstalled } from '../../../test/support/programs.js'
import { FIXES, type Fix } from '../../src/diagnose/fixes.js'

it('every fix is used', () => {
  const folder = join(ROOT, 'tools/src/diagnose')
  const files = pathsBelow(folder).filter((name) => name.endsWith('.ts'))
  const sources = files.filter((name) => name !== 'fixes.ts').map((name) => readFileSync(join(folder, name), 'utf8'))
  const unused = Object.keys(FIXES).filter((id) => !sources.some((source) => source.includes(`'${id}'`)))
  expect(unused).toEqual([])
})

it('no fix passes a secret as an argument, which every process can read', () => {
  const shellLines = Object.values(FIXES).flatMap((fix: Fix) => fix.lines?.shell ?? [])
  expect(shellLines.length).toBeGreaterThan(5)
  for (const line of shellLines) expect(line).not.toMatch(/-hmac|-macopt|key:/)
})

it.runIf(IS_POSIX && isInstalled('openssl'))('the fix for the digest in a shell prints 64 hex digits alone', () => {
  const [command] = FIXES.send_hex.lines.shell.split(' as the last step')
  const printed = execFileSync('sh', ['-c', String(command)], { input: 'abc', encoding: 'utf8' })
  expect(printed).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n')
})
