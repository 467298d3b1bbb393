import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeBlocks } from '../../support/code-blocks.js'
import { ROOT } from '../../support/packed.js'
import { freePort } from '../../support/servers.js'

// Runs the commands of the README in a fresh clone, as somebody does who has just found the project.

let folder: string
let clone: string
let readme: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'readme-'))
  clone = join(folder, 'clone')
  run(folder, `git clone --quiet ${ROOT} clone`)
  readme = readFileSync(join(clone, 'README.md'), 'utf8')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
})

/** Returns the only block of commands that contains a text. */
function commandsWith(text: string): string {
  const [commands = '', ...others] = codeBlocks(readme, 'sh').filter((block) => block.includes(text))
  expect([commands === '', others]).toEqual([false, []])
  return commands
}

/** Runs commands, and returns what they print. The packages of this repository are not in the PATH. */
function run(cwd: string, commands: string): string {
  const path = process.env['PATH']?.split(':').filter((entry) => !entry.includes('node_modules'))
  const env = { ...process.env, PATH: path?.join(':') }
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], { cwd, env, encoding: 'utf8' })
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  return stdout + stderr
}

it('the demo needs no newer Node, and prints 13 responses', { timeout: 300_000 }, () => {
  const output = run(clone, commandsWith('npm run demo'))
  expect(output).not.toContain('EBADENGINE')
  expect(output).toContain('All 13 answers are the expected ones.')
})

it('the Quickstart runs word for word, and leaves the clone unchanged', { timeout: 300_000 }, async () => {
  run(clone, commandsWith('npm run build'))
  const port = String(await freePort())
  const [server = ''] = codeBlocks(readme, 'js').filter((code) => code.includes('.listen('))
  const project = join(folder, 'quickstart')
  writeFileSync(join(project, 'server.mjs'), server.replace('3000', port))
  const output = run(project, commandsWith('node server.mjs').replaceAll('3000', port))
  expect(output).toMatch(/^Accepted: 204 No Content$/m)
  expect(output).toMatch(/^(\d+) of \1: this endpoint conforms to the specification\.$/m)
  expect(run(clone, 'git status --short')).toBe('')
})
