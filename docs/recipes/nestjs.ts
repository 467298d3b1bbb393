import 'reflect-metadata'
import { Controller, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { json, type Request, type Response } from 'express'
import { MemoryNonceStore, receive, refuse } from 'inbound-webhook-auth'

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is not set')
const nonceStore = new MemoryNonceStore()

@Controller('hooks')
class WebhookController {
  @Post('billing')
  async billing(@Req() request: Request, @Res() response: Response) {
    try {
      const { body } = await receive({ webhookId: 'billing', request }, secret, nonceStore)
      console.log(body.toString()) // your code
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
