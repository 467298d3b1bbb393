import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { codeBlocks } from '../support/code-blocks.js'
import { createProject, ROOT, sharedInstall } from '../support/packed.js'
import { freePort } from '../support/servers.js'

// The handler of the README and one request, with the packed packages. test/docs/readme runs all commands in a clone.

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

it('the handler of the README accepts the request that the README sends', async () => {
  const project = createProject()
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/express'), join(project, 'node_modules/express'), 'junction')
  const [handler = ''] = codeBlocks(readme, 'js').filter((code) => code.includes('.listen('))
  const [, event = ''] = /^echo '(.*)' \| npx -y inbound-webhook-tools send /m.exec(readme) ?? []

  const port = await freePort()
  const env = { ...process.env, WEBHOOK_SECRET: 'the secret of this test, which is long enough' }
  const ready = "\nawait import('node:worker_threads').then(({ parentPort }) => parentPort.postMessage('ready'))"
  writeFileSync(join(project, 'server.mjs'), handler.replace('3000', String(port)) + ready)
  const server = new Worker(pathToFileURL(join(project, 'server.mjs')), { env, stdout: true })
  try {
    await once(server, 'message')
    const cli = join(sharedInstall(), 'node_modules/inbound-webhook-tools/dist/cli.js')
    const args = [cli, 'send', `http://127.0.0.1:${port}/hooks/billing`, '--secret-env', 'WEBHOOK_SECRET']
    expect(execFileSync(process.execPath, args, { env, input: event, encoding: 'utf8' }).trim()).toBe(
      'Accepted: 204 No Content',
    )
  } finally {
    await server.terminate()
  }
})
