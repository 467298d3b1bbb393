import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NonceStore } from '../../src/index.js'
import { nonceStoreContract } from '../../src/testing/index.js'
import { isInstalled } from '../support/programs.js'
import { send } from '../support/raw-client.js'
import { Server } from '../support/server-process.js'
import { bundleWorker, createProject, PROGRAMS, removeProjects, sourceOf } from './recipes.js'

// The Durable Object of the recipe, held to the contract of every nonce store: asked through the recipe's own line.

const ASKED_FROM_OUTSIDE = `
export default {
  async fetch(request) {
    if (request.method !== 'POST') return new Response()
    return Response.json(await nonceStore.reserve(...(await request.json())))
  },
}`

describe.runIf(isInstalled('the frameworks of the recipes', PROGRAMS.frameworks))('the Durable Object', () => {
  let server: Server
  beforeAll(async () => {
    const project = createProject()
    const recipe = sourceOf({ file: 'worker.js' })
    const source = recipe.replace('export default', 'export const recipe =') + ASKED_FROM_OUTSIDE
    server = await Server.start(bundleWorker(project, source), project)
  })
  afterAll(async () => {
    await server?.stop()
    removeProjects()
  })

  const store: NonceStore = {
    async reserve(...asked) {
      const { status, text } = await send(server.port, {
        path: '/',
        headers: [],
        body: Buffer.from(JSON.stringify(asked)),
      })
      if (status !== 200) throw new Error(text)
      return text === 'true'
    },
  }

  for (const { name, run } of nonceStoreContract(() => store)) it.concurrent(name, run)

  it('forgets what has expired, and keeps the rest', async () => {
    expect(await store.reserve('42', 'short', 0.05)).toBe(true)
    expect(await store.reserve('42', 'long', 600)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await store.reserve('42', 'short', 600)).toBe(true)
    expect(await store.reserve('42', 'long', 600)).toBe(false)
  })
})
