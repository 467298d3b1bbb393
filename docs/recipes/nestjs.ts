import 'reflect-metadata'
import { Controller, HttpCode, HttpException, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { json, type Request, type Response } from 'express'
import { hasErrorCode, MemoryNonceStore, readBody, statusOf, verifyOrThrow } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore() // one per process, not per request

@Controller('hooks')
class WebhookController {
  @Post('billing')
  @HttpCode(204)
  async receive(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    try {
      const body = await readBody(request)
      await verifyOrThrow({ webhookId: 'billing', headers: request.headers, body }, secret, nonceStore)
      console.log(body.toString()) // Replace this with your code.
    } catch (error) {
      if (hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) console.warn(error.reason, error.detail)
      else if (statusOf(error) >= 500) console.error(error)
      if (!request.complete) response.set('Connection', 'close') // The rest of the body is not read.
      throw new HttpException('', statusOf(error))
    }
  }
}

@Module({ controllers: [WebhookController] })
class AppModule {}
NestFactory.create(AppModule, { bodyParser: false }).then((app) => {
  app.use(/^(?!\/hooks\/).*/, json()) // for all other routes
  return app.listen(PORT)
})
