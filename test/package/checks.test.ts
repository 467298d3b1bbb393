import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { PACKAGES, ROOT, sharedInstall } from '../support/packed.js'

// Runs the checks of other tools on the tarball that is published.

/** Rejects with what the tool prints if it ends with an error. */
async function check(name: string, tool: string, ...options: string[]): Promise<string> {
  const tarball = join(sharedInstall(), `${name}.tgz`)
  const run = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules', tool), tarball, ...options])
  const { stdout } = await run.catch(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)))
  return stdout
}

it.concurrent.each(PACKAGES)('publint finds nothing wrong with %s', async (name) => {
  expect(await check(name, 'publint/src/cli.js', '--strict')).toContain('All good!')
})

it.concurrent.each(PACKAGES)('attw finds nothing wrong with the types of %s', async (name) => {
  const options = ['--profile', 'node16', '--format', 'ascii', '--no-emoji']
  const report = await check(name, '@arethetypeswrong/cli/dist/index.js', ...options)
  for (const line of ['node16 (from CJS): OK (CJS)', 'node16 (from ESM): OK (ESM)']) expect(report).toContain(line)
})
