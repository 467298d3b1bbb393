import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeBlocks } from '../support/code-blocks.js'
import { createProject, ROOT } from '../support/packed.js'
import { IS_POSIX, isInstalled } from '../support/programs.js'
import { eventually, freePort } from '../support/servers.js'

// The lines for a shell of docs/send/shell.md, pasted, with a handler that has the packed package.

const folder = createProject()

describe('the guide to the shell', () => {
  const SECRET = 'the secret of the guide'

  /** Runs the handler for node:http, which is valid JavaScript, while `act` sends to it. */
  async function withHandler(act: (url: string) => Promise<void>): Promise<void> {
    writeFileSync(join(folder, 'server.mjs'), readFileSync(join(ROOT, 'docs/recipes/node-http.ts')))
    const port = await freePort()
    const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) }
    const server = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: 'ignore' })
    try {
      const url = `http://127.0.0.1:${port}/hooks/billing`
      await eventually(() => fetch(url))
      await act(url)
      expect(server.exitCode).toBe(null)
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  }

  it.runIf(IS_POSIX && isInstalled('curl') && isInstalled('openssl') && isInstalled('python3'))(
    'has a sender in a shell that works when pasted',
    async () => {
      const script =
        codeBlocks(readFileSync(join(ROOT, 'docs/send/shell.md'), 'utf8'), 'sh').find((block) =>
          block.includes('SIGNATURE'),
        ) ?? ''
      await withHandler(async (url) => {
        writeFileSync(join(folder, 'body.json'), '{"event":"invoice.paid"}\n')
        const env = { ...process.env, WEBHOOK_SECRET: SECRET, URL: url }
        const answer = execFileSync('sh', ['-c', `${script.trim()} -sS`], {
          cwd: folder,
          env,
          encoding: 'utf8',
        })
        expect(answer).toMatch(/^HTTP\/1\.1 204 /)

        rmSync(join(folder, 'body.json'))
        const { stdout, status } = spawnSync('sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' })
        expect(status).toBeGreaterThan(0)
        expect(stdout).toBe('')
      })
    },
  )
})
