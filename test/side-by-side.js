// `npm test` runs scripts of package.json at the same time, because each keeps one processor busy for most of its time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from './support/packed.js'

/**
 * Runs one script, and prints its lines together. Resolves to whether it succeeded.
 *
 * @param {string} command
 */
async function run(command) {
  const child = spawn(`npm run --silent ${command} 2>&1`, {
    cwd: ROOT,
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk
  const [status] = await closed
  process.stdout.write(output)
  if (status !== 0) console.error(`FAILED: npm run ${command}`)
  return status === 0
}

/** The type check also reads the declarations of the build. */
const buildAndCheck = async () => (await run('build -- --silent')) && (await run('typecheck'))

const succeeded = await Promise.all([run('lint'), buildAndCheck()])
if (succeeded.includes(false)) process.exitCode = 1
