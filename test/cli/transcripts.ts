import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** The secret of the guides. It is no secret: everyone may repeat what stands there. */
export const GUIDE_SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

/**
 * A guide with each `console` block as it is now: its lines that begin with `$ ` are run one after the other in `folder`,
 * and what they print takes the place of what stood below them.
 *
 * @param origins - by what address the guide calls a server, and by what it is reached.
 */
export function rerun(guide: string, folder: string, origins: Record<string, string> = {}): string {
  const programs = join(folder, '.programs')
  mkdirSync(programs, { recursive: true })
  // In the guides npx finds the package; here, what was built.
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${BIN}" "$@"\n`)
  chmodSync(join(programs, 'npx'), 0o755)
  const { NO_COLOR: _, FORCE_COLOR: __, WEBHOOK_SECRET: ___, ...rest } = process.env
  const env = { ...rest, PATH: `${programs}:${process.env['PATH']}` }

  let exitCode = 0
  const run = (command: string): string => {
    const script = `exec 2>&1; (exit ${exitCode}); ${translated(command, origins)}`
    const { status, stdout } = spawnSync('sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' })
    exitCode = status ?? 0
    // The secret that was made just now is another every time.
    if (command.endsWith('secret > webhook.secret')) writeFileSync(join(folder, 'webhook.secret'), `${GUIDE_SECRET}\n`)
    const printed = translated(
      stdout.replaceAll('\r', ''),
      Object.fromEntries(Object.entries(origins).map(([a, b]) => [b, a])),
    )
    return `$ ${command}\n${printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`}`
  }
  return guide.replace(/^```console\n([\s\S]*?)^```$/gm, (_, block: string) => {
    const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command)
    return `\`\`\`console\n${commands.map(run).join('')}\`\`\``
  })
}

function translated(text: string, words: Record<string, string>): string {
  return Object.entries(words).reduce((done, [from, to]) => done.replaceAll(from, to), text)
}
