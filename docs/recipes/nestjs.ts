// # Receive with NestJS
//
// For NestJS 12 with Express:
//
// - Install `@nestjs/platform-express` too and run the app with `npx tsx server.mts`. `tsconfig.json` needs `"experimentalDecorators": true` and `"emitDecoratorMetadata": true`.
// - The line with `json()` parses the bodies of all other routes. With `setGlobalPrefix('api')`, write `/api/hooks` there.
// - `rawBody: true` is not enough, because its parser inflates bodies and refuses more than 100 kB.
//
// ## With Fastify
//
// Install `@nestjs/platform-fastify` and `fastify`. Write `FastifyRequest` and `FastifyReply` instead of `Request` and `Response`. Respond with
// `response.code(204).send()` and `refuse(response.hijack().raw, error)`. Then replace the last statement:
//
// ```ts
// import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
// import type { FastifyReply, FastifyRequest } from 'fastify'
//
// NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), { bodyParser: false }).then((app) => {
//   const fastify = app.getHttpAdapter().getInstance()
//   fastify.removeAllContentTypeParsers()
//   fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
//   return app.listen(PORT)
// })
// ```
//
// Fastify then parses no body, so give the webhooks an app of their own.

import 'reflect-metadata'
import { Controller, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { json, type Request, type Response } from 'express'
import { handle, MemoryNonceStore, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

@Controller('hooks')
class WebhookController {
  @Post('billing')
  async billing(@Req() request: Request, @Res() response: Response) {
    try {
      const source = { webhookId: 'billing', request }
      await handle(source, secret, nonceStore, ({ body }) => {
        console.log(body.toString()) // your code
      })
      response.sendStatus(204)
    } catch (error) {
      refuse(response, error)
    }
  }
}
@Module({ controllers: [WebhookController] })
class AppModule {}
NestFactory.create(AppModule, { bodyParser: false }).then((app) => {
  app.use(/^(?!\/hooks\/).*/, json()) // for all other routes
  return app.listen(PORT)
})
