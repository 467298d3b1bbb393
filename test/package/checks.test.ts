import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT, sharedInstall, TARBALL } from '../support/packed.js'

// Runs the checks of other tools on the tarball that is published.

/** Rejects with what the tool prints if it ends with an error. */
async function check(tool: string, ...options: string[]): Promise<string> {
  const tarball = join(sharedInstall(), TARBALL)
  const run = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules', tool), tarball, ...options])
  const { stdout } = await run.catch(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)))
  return stdout
}

it.concurrent('publint finds nothing wrong', async () => {
  expect(await check('publint/src/cli.js', '--strict')).toContain('All good!')
})

it.concurrent('attw finds nothing wrong with the types', async () => {
  const report = await check(
    '@arethetypeswrong/cli/dist/index.js',
    '--profile',
    'node16',
    '--format',
    'ascii',
    '--no-emoji',
  )
  expect(report).toContain('node16 (from CJS): OK (CJS)')
  expect(report).toContain('node16 (from ESM): OK (ESM)')
})
