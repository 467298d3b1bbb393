import 'reflect-metadata'
import {
  BadRequestException,
  Controller,
  HttpCode,
  Module,
  NotFoundException,
  Param,
  Post,
  Req,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type Request, raw } from 'express'
import { MemoryNonceStore, verify } from 'inbound-webhook-auth'

const nonceStore = new MemoryNonceStore() // one for the process, not one a request

@Controller('hooks')
class WebhookController {
  @Post(':name')
  @HttpCode(204)
  async post(@Param('name') name: string, @Req() request: Request): Promise<void> {
    const webhook = await findWebhook(name)
    if (webhook === undefined) throw new NotFoundException()

    const { headers, body = '' } = request // a request without a body leaves it undefined
    const received = { webhookId: webhook.id, headers, body }
    const verdict = await verify(received, webhook.secret, nonceStore).catch((error) => {
      console.error(error)
      throw error.code === 'ERR_NONCE_STORE' ? new ServiceUnavailableException() : error
    })
    if (!verdict.ok) {
      console.warn(webhook.id, verdict.reason, verdict.message)
      throw new UnauthorizedException()
    }

    const event = parse(body)
    if (event === undefined) throw new BadRequestException('genuine, but not JSON')
    await receive(webhook, event)
  }
}

@Module({ controllers: [WebhookController] })
class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create(AppModule)
  // Nest's own parsers come after it, so other routes keep them. `rawBody: true` would do for JSON and forms alone.
  // Compressed bodies are refused: inflated, they are not what was signed.
  app.use('/hooks', raw({ type: () => true, limit: 100_000, inflate: false }))
  await app.listen(process.env['PORT'] ?? 3000)
}

bootstrap()

/** Replace it by a look-up in your database: the record's own id, never the URL's text; undefined if there is none. */
async function findWebhook(name: string) {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env['WEBHOOK_SECRET'] ?? '' } : undefined
}

/** Your part. A failed event is sent again, signed anew: do nothing if you have seen the identifier in its payload. */
async function receive(webhook: { id: string }, event: unknown) {
  console.log(webhook.id, event)
}

/** The event, if the body is JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}
