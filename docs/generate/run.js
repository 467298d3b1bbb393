import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diagnose } from 'inbound-webhook-auth/diagnose'
import { generatePages } from './pages.js'

// `npm run docs:generate` writes the generated pages and parts of pages, after a build. A test compares them with the committed files.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} command */
const helpOf = (command) =>
  execFileSync(process.execPath, [join(ROOT, 'dist/cli.js'), command, '--help'], { cwd: ROOT, encoding: 'utf8' })

for (const [path, text] of await generatePages({ diagnose, helpOf })) writeFileSync(join(ROOT, path), text)
