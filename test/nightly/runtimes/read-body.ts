import assert from 'node:assert/strict'
import { BYTES } from '../../support/cases/bodies.js'
import type { Case, Core } from './case.js'

/** Checks that `readBody` and `receive` read the runtime's own requests and streams. */
export function readBodies({ MemoryNonceStore, readBody, receive, refusal, sign }: Core): Case[] {
  const post = (body: RequestInit['body'], headers = {}) =>
    new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)
  const streamOf = (...chunks: (Uint8Array | Error)[]) =>
    new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else if (chunk instanceof Error) controller.error(chunk)
        else controller.enqueue(chunk)
      },
    })
  const returns = (name: string, source: () => Parameters<typeof readBody>[0], expected: Uint8Array) => ({
    name: `readBody: ${name}`,
    run: async () => assert.deepEqual([...(await readBody(source()))], [...expected]),
  })
  const refuses = (name: string, source: () => Parameters<typeof readBody>[0], status: number) => ({
    name: `readBody: ${name}`,
    run: async () => {
      const error: unknown = await readBody(source(), { maxBytes: 10 }).catch((thrown: unknown) => thrown)
      assert.equal(Object(error).status, status, String(error))
    },
  })
  const ten = () => new Uint8Array(10)
  const signed = (body: string) => post(body, sign(body, 'secret'))
  const receiveFrom = (request: Request, nonceStore = new MemoryNonceStore()) =>
    receive({ webhookId: '42', request }, 'secret', nonceStore)
  return [
    {
      name: 'receive: accepts a Request once',
      async run() {
        const nonceStore = new MemoryNonceStore()
        const request = signed('{"a":1}')
        const { body } = await receiveFrom(request.clone(), nonceStore)
        assert.equal(body.toString(), '{"a":1}')
        await assert.rejects(receiveFrom(request, nonceStore), { reason: 'replayed_nonce' })
      },
    },
    {
      name: 'receive: leaves the body of a Request unread if its headers break a rule',
      async run() {
        const request = post('{"a":1}')
        const error: unknown = await receiveFrom(request).catch((thrown: unknown) => thrown)
        assert.equal(request.bodyUsed, false)
        assert.equal(refusal(error, { log() {} }).status, 401)
      },
    },
    returns('every byte of a Request', () => post(Uint8Array.from(BYTES)), BYTES),
    returns('a stream', () => post(streamOf(BYTES.slice(0, 1), BYTES.slice(1))), BYTES),
    returns('a Request without a body', () => new Request('http://localhost/'), new Uint8Array()),
    returns('an empty body', () => post(''), new Uint8Array()),
    returns('an object around the Request', () => ({ req: { raw: post(Uint8Array.from(BYTES)) } }), BYTES),
    returns('an event of AWS Lambda', () => ({ body: 'AAE=', isBase64Encoded: true }), Uint8Array.of(0, 1)),
    refuses('a large Content-Length', () => ({ headers: new Headers({ 'content-length': '11' }), body: ten() }), 413),
    refuses('a stream that is too large', () => post(streamOf(ten(), Uint8Array.of(1))), 413),
    refuses('a stream that fails', () => post(streamOf(ten(), new Error('reset'))), 400),
    {
      name: 'readBody: a stream that stops',
      async run() {
        const error: unknown = await readBody(post(new ReadableStream()), { bodyTimeout: 50 }).catch((thrown) => thrown)
        assert.equal(Object(error).status, 408, String(error))
      },
    },
    {
      name: 'readBody: a Request that was read',
      async run() {
        const request = post('{}')
        await request.json()
        await assert.rejects(readBody(request), { code: 'ERR_INVALID_ARGUMENT', message: /^source was already read, / })
      },
    },
  ]
}
