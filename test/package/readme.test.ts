import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { describe, expect, it } from 'vitest'
import { type NonceStore, sign } from '../../src/index.js'
import { nonceStoreContract } from '../../src/testing/index.js'
import { codeBlocks, handlerIn } from '../support/code-blocks.js'
import { createProject, ROOT } from '../support/packed.js'
import { isInstalled } from '../support/programs.js'
import { pushEndlessly } from '../support/raw-client.js'
import { eventually, freePort } from '../support/servers.js'

// The code of the README, pasted into a project that has the packed package.

const folder = createProject()

/** Runs a file of the project and returns what it prints. */
function run(name: string, source: string): string {
  writeFileSync(join(folder, name), source)
  return execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' })
}

describe('the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const SECRET = 'the secret of the README'

  /** @param source - the handler, or a changed handler. */
  async function withHandler(
    act: (url: string, log: () => string) => Promise<void>,
    source = handlerIn(readme),
  ): Promise<void> {
    writeFileSync(join(folder, 'server.mjs'), source)
    const port = await freePort()
    const server = spawn(process.execPath, ['server.mjs'], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let log = ''
    server.stderr.setEncoding('utf8').on('data', (text) => {
      log += text
    })
    try {
      const url = `http://127.0.0.1:${port}/`
      await eventually(() => fetch(url))
      await act(url, () => log)
      expect(server.exitCode).toBe(null)
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  }

  /** Returns the handler with one text replaced. */
  function handlerWith(text: string, replacement: string): string {
    const changed = handlerIn(readme).replace(text, replacement)
    expect(changed).not.toBe(handlerIn(readme))
    return changed
  }

  it('has a handler that does not start without a secret', () => {
    writeFileSync(join(folder, 'server.mjs'), handlerIn(readme))
    const { WEBHOOK_SECRET: _, ...env } = process.env
    const { status, stderr } = spawnSync(process.execPath, ['server.mjs'], { cwd: folder, env, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('Error: WEBHOOK_SECRET is not set')
  })

  it('has a handler that answers 503 while the store is down, and 500 after its own fault', async () => {
    const post = async (url: string) => (await fetch(url, { method: 'POST', headers: sign('', SECRET) })).status
    const down = handlerWith('new MemoryNonceStore()', '{ reserve: () => Promise.reject() }')
    await withHandler(async (url) => expect(await post(url)).toBe(503), down)
    const faulty = handlerWith("webhookId: 'billing'", "webhookId: ''")
    await withHandler(async (url) => expect(await post(url)).toBe(500), faulty)
    const rejecting = handlerWith('await verify(', 'await Promise.reject(); (')
    await withHandler(async (url) => expect(await post(url)).toBe(500), rejecting)
  })

  it.each(['length', 'chunks'] as const)(
    'has a handler that ends the connection of a sender that never stops, with %s',
    async (framing) => {
      await withHandler(async (url) => {
        const { head, sentBytes, milliseconds } = await pushEndlessly(Number(new URL(url).port), framing)
        // The rest is in the buffers of the operating system. The answer may be lost with them.
        expect(sentBytes).toBeLessThan(2 ** 24)
        expect(milliseconds).toBeLessThan(5000)
        if (head !== '') expect(head).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/)
      })
    },
  )

  it('has a handler that works when pasted', async () => {
    await withHandler(async (url) => {
      const post = async (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
        (await fetch(url, { method: 'POST', headers, body })).status
      const binary = Uint8Array.of(0xff, 0x00, 0xfe)
      const genuine = sign(binary, SECRET)
      expect(await post(genuine, binary)).toBe(204)
      expect(await post(genuine, binary)).toBe(401)
      expect(await post(sign('', SECRET), '')).toBe(204)
      expect(await post(sign('a body', SECRET), 'a bodY')).toBe(401)
      expect(await post({}, 'a body')).toBe(401)
      expect(await post(sign('x'.repeat(100_000), SECRET), 'x'.repeat(100_000))).toBe(204)
      expect(await post({}, 'x'.repeat(100_001))).toBe(413)
      expect(await post({}, 'x'.repeat(1_000_000))).toBe(413)
      const copies = sign('a body', SECRET)
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(copies, 'a body')))
      expect(answers.filter((status) => status === 204)).toHaveLength(1)
    })
  })

  it('has a handler that keeps running when a sender hangs up halfway', async () => {
    await withHandler(async (url, log) => {
      const sender = connect(Number(new URL(url).port), '127.0.0.1')
      // The server sends 100 Continue when the handler has the request.
      sender.write('POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\nhalf')
      await once(sender, 'data')
      sender.destroy()
      expect((await fetch(url, { method: 'POST', headers: sign('', SECRET) })).status).toBe(204)
      expect(log()).not.toContain('aborted')
    })
  })

  it.runIf(isInstalled('curl') && isInstalled('openssl') && isInstalled('python3'))(
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

  it('has a sender in Node that works when pasted', async () => {
    const sender = codeBlocks(readme, 'ts').find((block) => block.includes('await fetch(')) ?? ''
    await withHandler(async (url) => {
      const asked = sender.replace('await fetch(', 'const response = await fetch(')
      const sent = asked
        .replace('http://localhost:3000/', url)
        .replace("process.env['WEBHOOK_SECRET'] ?? ''", JSON.stringify(SECRET))
      expect(run('sender.mjs', `${sent}\nconsole.log(response.status)`).trim()).toBe('204')
    })
  })

  it('has a quickstart that works when pasted: the request is accepted, and its replay is not', async () => {
    const [, script = ''] = codeBlocks(readme, 'sh')
    writeFileSync(join(folder, 'server.mjs'), handlerIn(readme))
    const port = String(await freePort())
    const source = `${script.replace('3000', port)}\nkill $!`
    const printed = execFileSync('sh', ['-c', source], {
      cwd: folder,
      env: { ...process.env, PORT: port },
      encoding: 'utf8',
    })
    expect(printed).toMatch(/204 No Content +as expected\n.*401 Unauthorized +as expected\n/)
  })

  it("shows a store of one's own that passes the contract", async () => {
    const guide = readFileSync(join(ROOT, 'docs/operate/your-own.md'), 'utf8')
    const own = codeBlocks(guide, 'js').find((block) => block.includes('INSERT INTO nonces')) ?? ''
    const database = await PGlite.create()
    await database.exec('CREATE TABLE nonces (hash text PRIMARY KEY, expires_at timestamptz NOT NULL)')
    const pool = {
      async query(text: string, values: unknown[]) {
        return { rowCount: (await database.query(text, values)).affectedRows }
      },
    }
    const body = own.replace("import { createHash } from 'node:crypto'", '')
    const nonceStore: NonceStore = new Function('pool', 'createHash', `${body}\nreturn nonceStore`)(pool, createHash)
    const outcomes = await Promise.all(
      nonceStoreContract(() => nonceStore, { load: 'light' }).map(({ run }) =>
        run().then(
          () => [],
          (error: Error) => [error.message],
        ),
      ),
    )
    expect(outcomes.flat()).toEqual([])
    await database.close()
  })
})
