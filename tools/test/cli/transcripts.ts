import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call } from './call.js'
import { PROGRAM } from './program.js'

/** The secret of the guides. It is public. */
export const GUIDE_SECRET = 'cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE'

/** A call without shell syntax. */
const PLAIN_CALL = /^npx -y inbound-webhook-tools ([^|<>;$'"]+)$/

/**
 * Returns a guide in which the `console` blocks have the current output. Runs the lines that begin with `$ ` in `folder`, and
 * replaces the lines below them with the output.
 *
 * @param origins - the address of a server in the guide, and its real address.
 */
export async function rerun(guide: string, folder: string, origins: Record<string, string> = {}): Promise<string> {
  const programs = join(folder, '.programs')
  mkdirSync(programs, { recursive: true })
  // npx would download the package, so this script of the same name runs the program.
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`)
  chmodSync(join(programs, 'npx'), 0o755)
  const { NO_COLOR: _, FORCE_COLOR: __, WEBHOOK_SECRET: ___, ...rest } = process.env
  const env = { ...rest, PATH: `${programs}:${process.env['PATH']}` }
  const realOrigins = Object.entries(origins).map(([from, to]) => [to, from] as const)

  let exitCode = 0
  const transcribe = async (command: string): Promise<string> => {
    const real = replaceAll(command, Object.entries(origins))
    const [, args] = PLAIN_CALL.exec(real) ?? []
    let printed: string
    if (args !== undefined) {
      // The process changes its folder, which a thread cannot do.
      const inFolder = args.split(' ').map((arg) => (existsSync(join(folder, arg)) ? join(folder, arg) : arg))
      // It runs in this process, because a process per call is slow.
      const called = await call(inFolder, { env, clock: Date as never })
      exitCode = called.exitCode
      printed = (called.text + called.stderr).replaceAll(`${folder}/`, '')
    } else {
      const script = `exec 2>&1; (exit ${exitCode}); ${real}`
      const { status, stdout } = spawnSync('sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' })
      exitCode = status ?? 0
      printed = stdout
    }
    // A new secret is different every time.
    if (command.endsWith('secret > webhook.secret')) writeFileSync(join(folder, 'webhook.secret'), GUIDE_SECRET)
    const shown = replaceAll(printed.replaceAll('\r', ''), realOrigins)
    return `$ ${command}\n${shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`}`
  }

  let result = guide
  for (const [old, block = ''] of guide.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    const transcripts: string[] = []
    for (const [, command = ''] of block.matchAll(/^\$ (.*)$/gm)) transcripts.push(await transcribe(command))
    result = result.replace(old, () => `\`\`\`console\n${transcripts.join('')}\`\`\``)
  }
  return result
}

function replaceAll(text: string, words: readonly (readonly [from: string, to: string])[]): string {
  return words.reduce((done, [from, to]) => done.replaceAll(from, to), text)
}
