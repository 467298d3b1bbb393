import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeBlocks } from '../support/code-blocks.js'
import { ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { startRegistry } from '../support/registry.js'
import { freePort } from '../support/servers.js'

// Pastes the commands of the README into a new terminal, on a machine on which nobody has used npx before.

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [handler = ''] = codeBlocks(readme, 'js').filter((code) => code.includes('.listen('))
// The packages of a clone are installed in `test/docs/readme/clone.test.ts`.
const [install = ''] = /npm\s+install inbound-webhook-auth express/.exec(readme) ?? []
const [quickstart = ''] = codeBlocks(readme, 'sh').filter((block) => block.includes('node server.mjs'))
const commands = `${install.replace('\n', ' ')}\n${quickstart}`

const SHELLS = ['sh -i', 'bash --norc -i', 'zsh -f -i'].filter((command) => existsSync(`/bin/${command.split(' ')[0]}`))

let registry: Awaited<ReturnType<typeof startRegistry>>
beforeAll(async () => {
  registry = await startRegistry()
})
afterAll(() => {
  registry.server.close()
})

describe.runIf(isInstalled('script'))('a new terminal', () => {
  it.each(SHELLS)('runs the commands of the README in %s', async (shell) => {
    const folder = mkdtempSync(join(tmpdir(), 'first-minute-'))
    const port = await freePort()
    const onPort = (text: string) => text.replaceAll('3000', String(port))
    writeFileSync(join(folder, 'server.mjs'), onPort(handler))
    // No CI, because npx asks no question there.
    const env = {
      PATH: process.env['PATH']
        ?.split(':')
        .filter((path) => !path.includes('node_modules'))
        .join(':'),
      HOME: folder,
      TERM: 'dumb',
      npm_config_registry: registry.url,
      npm_config_update_notifier: 'false',
    }
    const terminal = spawn('script', ['-qefc', shell, '/dev/null'], { cwd: folder, env })
    try {
      let output = ''
      terminal.stdout.on('data', (chunk) => {
        output += String(chunk)
      })
      terminal.stdin.write(onPort(commands))
      // zsh does not exit at once while it believes that a job is running.
      terminal.stdin.write('\nexit\nexit\n')
      await Promise.race([once(terminal, 'close'), once(AbortSignal.timeout(90_000), 'abort')])
      expect(output).toMatch(/Accepted: 204 No Content\r$/m)
      expect(output).toMatch(/(\d+) of \1: this endpoint conforms to the specification\.\r$/m)
      await expect(fetch(`http://127.0.0.1:${port}/`), 'the server is stopped').rejects.toThrow()
    } finally {
      terminal.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
    }
  })
})
