import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { ROOT } from '../../support/packed.js'
import { headOf, pushEndlessly, send, signedHeaders } from '../../support/raw-client.js'
import { Server } from '../../support/server-process.js'
import { eventually } from '../../support/servers.js'
import { ALL_RECIPES } from './recipes.js'

// Measures the memory of connections that announce a body and do not send it, and how much is read of a body that is
// too large.

afterAll(removeProjects)

const DEMO_SERVER = `
import { MemoryNonceStore } from 'inbound-webhook-auth'
import { createWebhookServer } from './server.js'
const billing = { id: '42', secret: process.env.WEBHOOK_SECRET, nonceStore: new MemoryNonceStore() }
createWebhookServer(new Map([['billing', billing]]), () => {}).listen(process.env.PORT)`

const HANDLERS: [name: string, install: (project: string) => readonly string[]][] = [
  ...ALL_RECIPES.filter(({ name }) => ['node:http', 'Express 5', 'Koa', 'Hono'].includes(name)).map(
    (recipe): [string, (project: string) => readonly string[]] => [
      `the recipe for ${recipe.name}`,
      (project) => recipe.install(project, sourceOf(recipe)),
    ],
  ),
  [
    'the demo',
    (project) => {
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
      writeFileSync(join(project, 'server.js'), readFileSync(join(ROOT, 'docs/demo/server.js')))
      writeFileSync(join(project, 'main.js'), DEMO_SERVER)
      return [process.execPath, 'main.js']
    },
  ],
]

const CONNECTIONS = 2000

/** Opens connections that announce a body, and do not send it. */
async function openIdle(port: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let opened = 0; opened < CONNECTIONS; opened += 100) {
    const some = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    sockets.push(...some)
    await Promise.all(
      some.map(
        (socket) =>
          new Promise((resolve) => {
            // The server sends 100 Continue when its handler has the request.
            socket.write(headOf('/hooks/billing', 'Content-Length: 90000\r\nExpect: 100-continue', signedHeaders()))
            socket.once('data', resolve)
          }),
      ),
    )
  }
  return sockets
}

/** The memory of a process, in bytes. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

describe.each(HANDLERS)('the handler of %s', (_, install) => {
  it('takes little memory for 2 000 connections that send nothing, and for bodies that are too large', async () => {
    const project = createProject()
    const server = await Server.start(install(project), project)
    try {
      // Code that the first requests load does not count.
      for (let index = 0; index < 20; index++) await pushEndlessly(server.port, 'chunks')
      const before = memoryOf(server.pid)
      const sockets = await openIdle(server.port)
      const perConnection = (memoryOf(server.pid) - before) / CONNECTIONS
      for (const socket of sockets) socket.destroy()
      expect(perConnection).toBeLessThan(50_000)

      for (const framing of ['length', 'chunks'] as const) {
        const { sentBytes } = await pushEndlessly(server.port, framing)
        expect(sentBytes).toBeLessThan(2 ** 24)
      }
      const body = Buffer.from('{"event":"invoice.paid"}')
      await eventually(async () => {
        expect(await send(server.port, { headers: signedHeaders({ body }), body })).toMatchObject({ status: 204 })
      })
    } finally {
      await server.stop()
    }
  })
})
