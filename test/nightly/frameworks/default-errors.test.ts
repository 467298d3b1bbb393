import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createProject, removeProjects } from '../../docs/recipes/recipes.js'
import { send, signedHeaders } from '../../support/raw-client.js'
import { Server } from '../../support/server-process.js'
import { PACKAGES } from '../packages/packages.js'

// If `receive` throws and nothing handles the error, each framework answers 401 or 503 without the reason.

/** Apps that read the raw body and call `receive`, and do not handle errors. */
const START = `
import { MemoryNonceStore, receive } from 'inbound-webhook-auth'
const { PORT, WEBHOOK_SECRET: secret, STORE } = process.env
const down = { reserve: async () => { throw new Error('connect ECONNREFUSED 192.0.2.1') } }
const nonceStore = STORE === 'down' ? down : new MemoryNonceStore()
const check = (headers, body) => receive({ webhookId: '42', request: { headers, body } }, secret, nonceStore)
`

const APPS: [framework: string, source: string][] = [
  [
    'Express 5',
    `
import express from 'express'
const app = express()
app.post('/', express.raw({ type: () => true }), async (request, response) => {
  await check(request.headers, request.body)
  response.sendStatus(204)
})
app.listen(PORT)`,
  ],
  [
    'Express 4',
    `
import express from 'express'
const app = express()
app.post('/', express.raw({ type: () => true }), (request, response, next) => {
  check(request.headers, request.body).then(() => response.sendStatus(204)).catch(next)
})
app.listen(PORT)`,
  ],
  [
    'Fastify',
    `
import Fastify from 'fastify'
const app = Fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
app.post('/', async (request, reply) => {
  await check(request.headers, request.body)
  return reply.code(204).send()
})
await app.listen({ port: Number(PORT) })`,
  ],
  [
    'Koa',
    `
import Koa from 'koa'
const app = new Koa()
app.use(async (ctx) => {
  const chunks = []
  for await (const chunk of ctx.req) chunks.push(chunk)
  await check(ctx.headers, Buffer.concat(chunks))
  ctx.status = 204
})
app.listen(PORT)`,
  ],
  [
    'h3',
    `
import { H3, serve } from 'h3'
const app = new H3()
app.post('/', async (event) => {
  await check(event.req.headers, await event.req.arrayBuffer())
  event.res.status = 204
  return null
})
serve(app, { port: Number(PORT) })`,
  ],
  [
    'NestJS',
    `
import 'reflect-metadata'
import { Controller, HttpCode, Module, Post, Req } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
class Hooks {
  async receive(request) {
    await check(request.headers, request.rawBody)
  }
}
class App {}
const method = Object.getOwnPropertyDescriptor(Hooks.prototype, 'receive')
Req()(Hooks.prototype, 'receive', 0)
Post()(Hooks.prototype, 'receive', method)
HttpCode(204)(Hooks.prototype, 'receive', method)
Controller()(Hooks)
Module({ controllers: [Hooks] })(App)
const app = await NestFactory.create(App, { rawBody: true })
await app.listen(PORT)`,
  ],
]

/** Texts that only the log may contain. */
const REASON = /signature_mismatch|missing_header|bytes|X-Signature|secret/i
const CAUSE = /ECONNREFUSED|192\.0\.2\.1/

let server: Server | undefined
afterEach(async () => {
  await server?.stop()
})
afterAll(removeProjects)

async function start(framework: string, source: string, env: Record<string, string>): Promise<Server> {
  const project = createProject()
  if (framework === 'Express 4') symlinkSync(join(PACKAGES, 'express4'), join(project, 'node_modules/express'))
  writeFileSync(join(project, 'server.mjs'), START + source)
  server = await Server.start([process.execPath, 'server.mjs'], project, env)
  return server
}

const BODY = Buffer.from('{"event":"invoice.paid"}')
const JSON_TYPE = ['Content-Type', 'application/json'] as const

function post({ port }: Server, headers: [name: string, value: string][]) {
  return send(port, { path: '/', headers: [JSON_TYPE, ...headers], body: BODY })
}

describe.each(['production', 'development'])('in %s mode', (mode) => {
  it.each(APPS)('%s answers 401 to a forged request, without the reason', async (framework, source) => {
    const app = await start(framework, source, { NODE_ENV: mode })
    expect(await post(app, signedHeaders({ body: BODY }))).toMatchObject({ status: 204 })
    for (const headers of [signedHeaders({ body: 'another body' }), []]) {
      const { status, text } = await post(app, headers)
      expect(status).toBe(401)
      expect(text).not.toMatch(REASON)
      if (mode === 'production') expect(text).not.toMatch(/node_modules/)
    }
  })

  it.each(APPS)('%s answers 503 while the store is down, without the cause', async (framework, source) => {
    const app = await start(framework, source, { NODE_ENV: mode, STORE: 'down' })
    const { status, text } = await post(app, signedHeaders({ body: BODY }))
    expect(status).toBe(503)
    expect(text).not.toMatch(CAUSE)
    if (mode === 'production') expect(text).not.toMatch(/node_modules/)
  })
})
