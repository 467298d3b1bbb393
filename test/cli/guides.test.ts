import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sign } from '../../src/index.js'
import { handlerIn } from '../support/code-blocks.js'
import { TestClock } from '../support/request.js'
import { eventually, freePort } from '../support/servers.js'
import { call } from './call.js'
import { captures } from './captures.js'
import { GUIDE_SECRET, rerun } from './transcripts.js'

// The guides show what the commands print. To update them:
// npx vitest run test/cli/guides.test.ts -u

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
      const now = await rerun(guide, folder, { 'localhost:3000': origin })
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

describe('docs/troubleshooting.md', () => {
  const guide = read('docs/troubleshooting.md')

  it.each(Object.entries(captures()))(
    'uses docs/troubleshooting/%s, which captures.ts creates',
    async (file, capture) => {
      await expect(capture).toMatchFileSnapshot(join(ROOT, 'docs/troubleshooting', file))
      expect(guide).toContain(`diagnose ${file} `)
    },
  )

  it('shows the diagnoses of its captured requests', async () => {
    for (const [file, capture] of Object.entries(captures())) writeFileSync(join(folder, file), capture)
    await expect(await rerun(guide, folder)).toMatchFileSnapshot(join(ROOT, 'docs/troubleshooting.md'))
  })

  it('has no other captured request', () => {
    expect(readdirSync(join(ROOT, 'docs/troubleshooting')).sort()).toEqual(Object.keys(captures()).sort())
  })

  it('has the line to change in every language', () => {
    const languages = ['Node', 'Python', 'Go', 'Ruby', 'PHP', 'Java', 'C#', 'shell']
    const tables = [...guide.matchAll(/^\| Node \|.*\n(?:\|.*\n)*/gm)].map(([table]) =>
      [...table.matchAll(/^\| ([\w#]+) \| ./gm)].map(([, language]) => language),
    )
    expect(tables.length).toBeGreaterThanOrEqual(12)
    expect(tables).toEqual(tables.map(() => languages))
  })

  it('has a section for every reason', () => {
    const reasons = [...read('src/result.ts').matchAll(/^ {2}\| '(\w+)'$/gm)].map(([, reason]) => reason)
    expect(reasons).toHaveLength(6)
    for (const reason of reasons) expect(guide).toMatch(new RegExp(`^#+ .*\`${reason}\``, 'm'))
  })

  it('has a handler whose captures diagnose reads', async () => {
    const [, capture = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
    const body = Buffer.from('{"a":"\\u00eb"}\r\n\xff', 'latin1')
    writeFileSync(join(folder, 'webhook.secret'), GUIDE_SECRET)
    writeFileSync(
      join(folder, 'server.mjs'),
      `import { createServer } from 'node:http'
      ${capture}
      createServer(async (request, response) => {
        const chunks = []
        for await (const chunk of request) chunks.push(chunk)
        await capture(request, Buffer.concat(chunks))
        response.end()
      }).listen(process.env.PORT)`,
    )
    await withServer('server.mjs', async (origin) => {
      await fetch(`http://${origin}/hooks/42`, { method: 'POST', body, headers: sign(body, GUIDE_SECRET) })
    })
    const secretFile = join(folder, 'webhook.secret')
    const { exitCode, text } = await call(
      ['diagnose', join(folder, 'request.http'), '--secret-file', secretFile, '--at', 'timestamp'],
      { clock: new TestClock(Date.now()) },
    )
    expect(text).toContain('Read: POST /hooks/42, ')
    expect(exitCode).toBe(0)
  })
})

/** Runs the handler of the README during `act`. */
async function withReadmeHandler(act: (origin: string) => Promise<void>): Promise<void> {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'))
  writeFileSync(join(folder, 'server.mjs'), handlerIn(read('README.md')))
  await withServer('server.mjs', act)
}

/** Runs a server of the folder with the secret of the guide during `act`. */
async function withServer(file: string, act: (origin: string) => Promise<void>): Promise<void> {
  const port = String(await freePort())
  const server = spawn(process.execPath, [file], {
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
