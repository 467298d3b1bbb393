import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sign } from '../../../src/index.js'
import { codeBlocks } from '../../../test/support/code-blocks.js'
import { IS_POSIX, isInstalled } from '../../../test/support/programs.js'
import { TestClock } from '../../../test/support/request.js'
import { eventually, freePort } from '../../../test/support/servers.js'
import { call } from '../cli/call.js'
import { captures } from '../cli/captures.js'
import { startProcess } from '../cli/listener.js'
import { BUNDLES } from '../cli/program.js'
import { GUIDE_SECRET, rerun } from '../cli/transcripts.js'
import { temporaryFolder } from '../resources.js'

// The guides show what the commands print. To update them:
// npx vitest run --project nightly tools/test/nightly/guides.test.ts -u

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const folder = temporaryFolder()

describe('docs/debug/command-line.md', () => {
  const guide = read('docs/debug/command-line.md')

  it.runIf(IS_POSIX)('shows what the commands print', async () => {
    const body = '{"event":"invoice.paid","amount":100}'
    const headers = Object.entries(sign(body, GUIDE_SECRET, { timestamp: 1_700_000_000, nonce: '6f9619ff' }))
    const head = ['POST / HTTP/1.1', ...headers.map(([name, value]) => `${name}: ${value}`)]
    const text = `${head.join('\n')}\nContent-Length: ${body.length}\n\n${body}`
    writeFileSync(join(folder, 'captured.http'), text)

    await withHandler(async (origin) => {
      const now = await rerun(guide, folder, { 'localhost:3000': origin })
      await expect(now).toMatchFileSnapshot(join(ROOT, 'docs/debug/command-line.md'))
    })
    // check waits for 3 s before its last replay.
  })
})

describe('docs/debug/index.md', () => {
  const page = 'docs/debug/index.md'
  const guide = read(page)

  it.runIf(IS_POSIX)('shows what diagnose prints', async () => {
    for (const [file, capture] of Object.entries(captures())) writeFileSync(join(folder, file), capture)
    const [transcript = ''] = /^```console\n\$ printf[\s\S]*?^```$/m.exec(guide) ?? []
    const now = guide.replace(transcript, await rerun(transcript, folder))
    await expect(now).toMatchFileSnapshot(join(ROOT, page))
  })

  it('has a handler whose captures diagnose reads', async () => {
    const [, capture = ''] = /```js\n(import \{ writeFile \}[\s\S]*?)```/.exec(guide) ?? []
    const body = Buffer.from('{"a":"\\u00eb"}\r\n\xff', 'latin1')
    writeFileSync(join(folder, 'webhook.secret'), GUIDE_SECRET)
    linkPackages()
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
    const { exitCode, text } = await call(['diagnose', join(folder, 'request.http'), '--secret-file', secretFile], {
      clock: new TestClock(Date.now() + 86_400_000),
    })
    expect(text).toContain('Read: POST /hooks/42, ')
    expect(exitCode).toBe(0)
  })

  it.runIf(IS_POSIX && isInstalled('php'))(
    'shows what listen prints of a sender in PHP, broken and repaired',
    async () => {
      const sender = read('tools/test/cli/broken-sender.php')
      const [repair = ''] = codeBlocks(guide, 'php')
      const [body, signature] = repair.split('\n')
      const repaired = sender
        .replace(/^\$signature = .*$/m, () => `${body}\n${signature}`)
        .replace(/'content' => .*$/m, "'content' => $body,")
      writeFileSync(join(folder, 'webhook.secret'), GUIDE_SECRET)
      const listener = await startProcess(
        ['--secret-file', join(folder, 'webhook.secret'), '--language', 'php'],
        {},
        [],
      )
      const answers = [sender, repaired].map((source) => {
        writeFileSync(join(folder, 'send.php'), source)
        const args = ['-d', 'display_errors=stderr', 'send.php', `${listener.origin}/hooks/42`]
        const { stdout, stderr, signal } = spawnSync('php', args, { cwd: folder, encoding: 'utf8' })
        return { stdout, stderr, signal }
      })
      const answerOf = (status: string) => ({ stdout: `HTTP/1.1 ${status}\n`, stderr: '', signal: null })
      expect(answers).toEqual([answerOf('401 Unauthorized'), answerOf('204 No Content')])
      expect(await listener.interrupt()).toBe(0)
      expect(listener.stderr()).toBe('')
      const printed = listener
        .stdout()
        .replaceAll(String(listener.port), '4000')
        .replaceAll(/^\d\d:\d\d:\d\dZ/gm, '21:26:24Z')
      const updated = guide.replace(
        /^(```console\n\$ .*listen.*\n)[\s\S]*?^```$/m,
        (_, command) => `${command}${printed}\`\`\``,
      )
      await expect(updated).toMatchFileSnapshot(join(ROOT, page))
    },
  )
})

describe('docs/debug/without-node.md', () => {
  /** The worked example of docs/send/index.md. */
  const SIGNATURE = '89d2bafb2f4f7df548d8d3a266bf57deccecd53c40bb48f32ce52e240290a8ec'
  const BODY = '{"event":"invoice.paid"}'
  const BODY_HASH = 'f6d49dd1315f4c018214f1fc32779d67e9b405067485964028f8dc49ddab7ca2'
  const MESSAGE =
    '313730303030303030303a36663936313966662d386238362d346430312d623432642d3030636634666339363466663a7b226576656e74223a22696e766f6963652e70616964227d'

  const [commands = ''] = codeBlocks(read('docs/debug/without-node.md'), 'sh')

  it.runIf(IS_POSIX).each([
    ['python3', 'check.py'],
    ['php', 'check.php'],
  ])('has a check in %s that prints the right signature of a request', async (program, check) => {
    if (!isInstalled(program)) return
    const port = String(await freePort())
    const lines = commands.split('\n').filter((line) => line.startsWith('export ') || line.startsWith(`${program} `))
    const source = lines.join('\n').replaceAll('8000', port).replace(`${program} `, `exec ${program} `)
    writeFileSync(join(folder, check), read(`docs/debug/${check}`).replaceAll('8000', port))
    writeFileSync(join(folder, 'webhook.secret'), `${GUIDE_SECRET}\n`)
    const server = spawn('sh', ['-c', source], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text
      })
    }
    try {
      const nonce = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
      const headers = { 'X-Timestamp': '1700000000', 'X-Nonce': nonce, 'X-Signature': 'wrong' }
      await eventually(async () => {
        const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: BODY })
        expect(status).toBe(204)
      })
      // What curl sends for an array of PHP. PHP reads it from the input itself, unless it is told not to.
      const form = '--b\r\nContent-Disposition: form-data; name="event"\r\n\r\npaid\r\n--b--\r\n'
      const type = { 'Content-Type': 'multipart/form-data; boundary=b' }
      await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { ...headers, ...type }, body: form })
      await eventually(async () => {
        expect(printed).toContain(`body: ${form.length} bytes, `)
        expect(printed).toContain(
          [
            'key: 43 bytes',
            'timestamp: 1700000000 (10 characters)',
            `body: 24 bytes, SHA-256 ${BODY_HASH}`,
            `message: ${MESSAGE}`,
            'your signature:  wrong',
            `right signature: ${SIGNATURE}\n`,
          ].join('\n'),
        )
      })
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  })
})

/** Makes the sources importable in the folder by the names of the packages. */
function linkPackages(): void {
  for (const name of ['library', 'tools']) {
    const linked = join(folder, 'node_modules', name === 'tools' ? 'inbound-webhook-tools' : 'inbound-webhook-auth')
    if (existsSync(linked)) continue
    mkdirSync(linked, { recursive: true })
    symlinkSync(BUNDLES, join(linked, 'bundles'), 'junction')
    writeFileSync(join(linked, 'package.json'), JSON.stringify({ type: 'module', exports: `./bundles/${name}.js` }))
  }
}

/** Runs the handler for node:http, which is valid JavaScript, during `act`. */
async function withHandler(act: (origin: string) => Promise<void>): Promise<void> {
  linkPackages()
  writeFileSync(join(folder, 'server.mjs'), read('docs/recipes/node-http.ts'))
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
