import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { generateSecret, sign } from 'inbound-webhook-auth'
import { diagnose } from 'inbound-webhook-tools'
import { generatePages } from './pages.js'

// `npm run docs:generate` writes the generated pages and parts of pages, after a build. A test compares them with the committed files.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} command */
const helpOf = (command) =>
  execFileSync(process.execPath, [join(ROOT, 'tools/dist/cli.js'), command, '--help'], { cwd: ROOT, encoding: 'utf8' })

/** Sends a request twice to `listen`, and returns its finding about the second one. */
async function replayFinding() {
  const env = { ...process.env, WEBHOOK_SECRET: generateSecret() }
  const args = [join(ROOT, 'tools/dist/cli.js'), 'listen', '--port', '0', '--secret-env', 'WEBHOOK_SECRET', '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const read = async () => JSON.parse((await lines.next()).value)
    const { listening } = await read()
    const headers = sign('', env.WEBHOOK_SECRET)
    for (const _ of [1, 2]) await fetch(listening, { method: 'POST', headers })
    await read()
    const { findings } = await read()
    return findings[0]
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

for (const [path, text] of await generatePages({ diagnose, helpOf, replayFinding }))
  writeFileSync(join(ROOT, path), text)
