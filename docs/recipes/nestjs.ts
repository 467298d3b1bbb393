import 'reflect-metadata'
import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import {
  BadRequestException,
  Controller,
  HttpCode,
  Module,
  NotFoundException,
  Param,
  Post,
  Req,
  UnauthorizedException,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NextFunction, Request, Response } from 'express'
import { hasErrorCode, MemoryNonceStore, verifyOrThrow } from 'inbound-webhook-auth'

const MAX_BODY_BYTES = 100_000
const nonceStore = new MemoryNonceStore() // one per process, not per request

@Controller('hooks')
class WebhookController {
  @Post(':name')
  @HttpCode(204)
  async post(@Param('name') name: string, @Req() request: Request): Promise<void> {
    const webhook = await findWebhook(name)
    if (webhook === undefined) throw new NotFoundException()

    const received = { webhookId: webhook.id, headers: request.headers, body: request.body }
    await verifyOrThrow(received, webhook.secret, nonceStore).catch(logRejection)

    const event = parse(request.body)
    if (event === undefined) throw new BadRequestException('genuine, but not JSON')
    await receive(webhook.id, event)
  }
}

@Module({ controllers: [WebhookController] })
class AppModule {}

async function bootstrap() {
  const app = await NestFactory.create(AppModule)
  // This runs before Nest's parsers, and only for this route. The parsers skip a body that was already read.
  app.use('/hooks', async (request: Request, response: Response, next: NextFunction) => {
    request.body = await readBody(request).catch(logAbort)
    if (request.body !== undefined) return next()
    response.set('Connection', 'close').sendStatus(413)
  })
  await app.listen(process.env.PORT ?? 3000)
}

bootstrap()

/** Nest answers 401 or 503 by the error's status. But it logs a stack, except for its own exceptions. */
function logRejection(error: unknown): never {
  if (!hasErrorCode(error, 'ERR_WEBHOOK_REJECTED')) throw error
  console.warn(error.reason, error.detail)
  throw new UnauthorizedException()
}

/** Replace this with a look-up in your database. Return the record's own id, never the text of the URL. */
async function findWebhook(name: string): Promise<{ id: string; secret: string } | undefined> {
  return name.toLowerCase() === 'billing' ? { id: '42', secret: process.env.WEBHOOK_SECRET ?? '' } : undefined
}

/** Your code. A sender sends an event again if the answer was lost, so do nothing if its identifier is known. */
async function receive(webhookId: string, event: unknown): Promise<void> {
  console.log(webhookId, event)
}

/** If a sender hangs up, this logs one line, because it is not a fault. */
function logAbort(error: unknown): undefined {
  console.warn(String(error))
}

/** Reads the raw body. Returns undefined once it is known to be too large, and leaves the rest unread. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return undefined
  let buffer = Buffer.alloc(0) // It grows with the body, so a connection that sends nothing takes no memory.
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const end = size + chunk.length
    if (end > MAX_BODY_BYTES) return undefined
    if (end > buffer.length) buffer = Buffer.concat([buffer], 2 * end)
    buffer.set(chunk, size)
    size = end
  }
  return buffer.subarray(0, size)
}

/** Returns the event, or undefined if the body is not JSON. It recognises gzip by the first byte, because Content-Encoding is not signed. */
function parse(body: Buffer): unknown {
  try {
    const json = body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: MAX_BODY_BYTES }) : body
    return JSON.parse(json.toString())
  } catch {
    return undefined
  }
}
