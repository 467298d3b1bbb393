import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requirePackage } from '../packages/packages.js'

// The smallest app of each framework. Its only route answers with what the test returns.

/** A value of any type, because the types of the frameworks are not installed. */
export type Untyped = ReturnType<typeof JSON.parse>

/** Handles a request with the framework's own object: the request, or the context `c` or `ctx`. In NestJS also with `@Body()`. */
export type Act = (request: Untyped, parsed?: unknown) => unknown

interface Started {
  port: number
  close(): unknown
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function listen(server: Server): Promise<Started> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: portOf(server), close: () => server.close() }
}

const startExpress =
  (version: string) =>
  (act: Act, parsers: (express: Untyped) => unknown[] = () => []): Promise<Started> => {
    const express = requirePackage(version)
    const app = express()
    for (const parser of parsers(express)) app.use(parser)
    app.post('/', (request: Untyped, response: Untyped, next: (error: unknown) => void) => {
      Promise.resolve(request)
        .then(act)
        .then((text) => response.send(text), next)
    })
    return listen(createServer(app))
  }

/** The frameworks by name. The setting is different in each. */
export const FRAMEWORKS = {
  'Express 5': startExpress('express'),
  'Express 4': startExpress('express4'),
  async Fastify(act: Act, { isRaw = false } = {}): Promise<Started> {
    const app = requirePackage('fastify').fastify()
    if (isRaw) {
      app.removeAllContentTypeParsers()
      const parse = (_: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => done(null, body)
      app.addContentTypeParser('*', { parseAs: 'buffer' }, parse)
    }
    app.post('/', async (request: Untyped) => act(request))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: portOf(app.server), close: () => app.close() }
  },
  Koa(act: Act, { isParsed = false } = {}): Promise<Started> {
    const app = new (requirePackage('koa'))()
    app.silent = true
    if (isParsed) app.use(requirePackage('@koa/bodyparser').bodyParser())
    app.use(async (ctx: Untyped) => {
      ctx.body = await act(ctx)
    })
    return listen(createServer(app.callback()))
  },
  async Hono(act: Act): Promise<Started> {
    const app = new (requirePackage('hono').Hono)()
    app.post('/', async (c: Untyped) => c.text(await act(c)))
    const server: Server = requirePackage('@hono/node-server').serve({
      fetch: app.fetch,
      port: 0,
      hostname: '127.0.0.1',
    })
    if (!server.listening) await once(server, 'listening')
    return { port: portOf(server), close: () => server.close() }
  },
  async h3(act: Act): Promise<Started> {
    const { H3, serve } = requirePackage('h3')
    const server = serve(new H3().post('/', act), { port: 0, hostname: '127.0.0.1', silent: true })
    await server.ready()
    return { port: Number(new URL(server.url).port), close: () => server.close() }
  },
  async NestJS(act: Act, options: object = {}): Promise<Started> {
    const { Body, Controller, Module, Post, Req } = requirePackage('@nestjs/common')
    class Hooks {
      receive(request: Untyped, parsed: unknown) {
        return act(request, parsed)
      }
    }
    class App {}
    Req()(Hooks.prototype, 'receive', 0)
    Body()(Hooks.prototype, 'receive', 1)
    Post()(Hooks.prototype, 'receive', Object.getOwnPropertyDescriptor(Hooks.prototype, 'receive'))
    Controller()(Hooks)
    Module({ controllers: [Hooks] })(App)
    const app = await requirePackage('@nestjs/core').NestFactory.create(App, { logger: false, ...options })
    await app.listen(0, '127.0.0.1')
    return { port: portOf(app.getHttpServer()), close: () => app.close() }
  },
}

/** Starts an app, asks it once, and stops it. */
export async function ask<T>(starting: Promise<Started>, send: (port: number) => Promise<T>): Promise<T> {
  const { port, close } = await starting
  try {
    return await send(port)
  } finally {
    await close()
  }
}
