import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sign } from '../../src/index.js'
import { eventually, freePort } from '../integration/servers.js'
import { call } from './call.js'
import { GUIDE_SECRET, rerun } from './transcripts.js'

// The guides show what the commands print. When that changes, write it anew:
// npx vitest run --config test/vitest.config.ts test/cli/guides.test.ts -u

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('docs/command-line.md', () => {
  const guide = read('docs/command-line.md')

  it('shows what the commands print', async () => {
    const body = '{"event":"invoice.paid","amount":100}'
    const headers = Object.entries(sign(body, GUIDE_SECRET, { timestamp: 1_700_000_000, nonce: '6f9619ff' }))
    const head = ['POST / HTTP/1.1', ...headers.map(([name, value]) => `${name}: ${value}`)]
    writeFileSync(join(folder, 'captured.http'), `${head.join('\n')}\n\n${body}`)

    await withReadmeHandler(async (origin) => {
      const now = rerun(guide, folder, { 'localhost:3000': origin })
      await expect(now).toMatchFileSnapshot(join(ROOT, 'docs/command-line.md'))
    })
  })

  it('names every command, and every option', async () => {
    const { text } = await call(['--help'])
    const commands = [...text.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name)
    expect(commands).toHaveLength(5)
    for (const name of commands) {
      expect(guide).toContain(`\`${name}\``)
      const help = await call([name, '--help'])
      for (const [option] of help.text.matchAll(/^ {2}(?=--)\S+/gm)) expect(guide).toContain(option.trim())
    }
  })
})

/** Runs the handler of the README, with the guide's secret, while `act` takes. */
async function withReadmeHandler(act: (origin: string) => Promise<void>): Promise<void> {
  const [, handler = ''] = /```js\n([\s\S]*?)```/.exec(read('README.md')) ?? []
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'))
  writeFileSync(join(folder, 'server.mjs'), handler)
  const port = String(await freePort())
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: GUIDE_SECRET, PORT: port },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  try {
    await eventually(() => fetch(`http://localhost:${port}/`))
    await act(`localhost:${port}`)
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}
