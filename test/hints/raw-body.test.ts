import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { notRawBody } from '../../src/hints/raw-body.js'
import { type Body, verify } from '../../src/index.js'
import { GUIDE, NO_RAW_BODIES, NO_RAW_BODIES_ONCE_READ } from '../support/cases/raw-body.js'
import { readOnServer } from '../support/http-server.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from '../support/request.js'

const NODE = /\nKoa, Next.js and node:http: pass await readBody\(req\), and .*\.$/

/** Returns the error of `verify` for a body. */
async function errorFor(body: unknown): Promise<TypeError> {
  const request = { ...signedRequest(), body: body as Body }
  const error: unknown = await verify(request, SECRET, new RecordingStore(), new TestClock()).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
  return error as TypeError
}

async function messageFor(body: unknown): Promise<string> {
  return (await errorFor(body)).message
}

function stream(): Readable {
  return Readable.from([Buffer.from('{"a":1}')])
}

/** Returns what `read` returns for a request to a real server. */
const received = <T>(read: (message: IncomingMessage) => Promise<T>) => readOnServer(read, '{"a":1}')
const collected = (message: IncomingMessage): Promise<Buffer[]> => message.toArray()

describe('the error names what it got instead of the raw body, and the fix:', () => {
  it.each([
    ...NO_RAW_BODIES,
    [
      'an object from another realm',
      () => runInNewContext('({ a: 1 })'),
      /^request\.body is an object, as a body /,
    ] as const,
    ["Node's stream", stream, NODE] as const,
  ])('%s', async (_, body, fix) => {
    expect(await errorFor(body())).toMatchObject({ message: expect.stringMatching(fix) })
  })

  it.each([
    ...NO_RAW_BODIES_ONCE_READ,
    [
      "a server's message that a body parser read",
      () => received(async (message) => collected(message).then(() => message)),
      /^request\.body is a stream that was already read, .*\nKoa, Next.js and node:http: /,
    ] as const,
    ["a server's chunks", () => received(collected), / Buffer\.concat\(chunks\)\.$/] as const,
  ])('%s', async (_, body, fix) => {
    expect(await errorFor(await body())).toMatchObject({ message: expect.stringMatching(fix) })
  })

  it("a server's message that nothing has read", async () => {
    const message = await received(messageFor)
    expect(message).toMatch(/^request\.body is a stream\. /)
    expect(message).toMatch(NODE)
  })

  it('no field of a parsed JSON body changes how it is described', async () => {
    // biome-ignore lint/suspicious/noThenProperty: a sender can use this name for a field.
    const body = { then: 1, arrayBuffer: 'a', bodyUsed: true, pipe: {}, getReader: null, entries: [] }
    expect(await messageFor(body)).toMatch(/^request\.body is an object, as a body parser returns it\. /)
  })

  /** Objects with the properties by which the hint recognises a framework. */
  it.each<[string, () => unknown, RegExp]>([
    [
      "Express's request",
      () => Object.assign(stream(), { originalUrl: '/', baseUrl: '' }),
      /\nExpress: pass await readBody\(req\), and /,
    ],
    [
      "hapi's request",
      () => Object.assign(stream(), { payload: {}, raw: {} }),
      /\nhapi: pass await readBody\(request\), /,
    ],
    ["Lambda's event with a parsed body", () => ({ isBase64Encoded: false, body: {} }), / and remove the body parser /],
    [
      "Fastify's request",
      () =>
        new (class {
          routeOptions = {}
        })(),
      /^request\.body is a whole request\b.*\nFastify: /,
    ],
  ])('the line of the framework for %s', async (_, body, line) => {
    expect(await messageFor(body())).toMatch(line)
  })

  it('the line of the framework if only the request shows it', async () => {
    class ExpressRequest {
      originalUrl = '/'
      baseUrl = ''
      webhookId = '42'
      headers = signedRequest().headers
      body = { parsed: true }
    }
    await expect(verify(new ExpressRequest() as never, SECRET, new RecordingStore())).rejects.toThrow(
      /^request\.body is an object\b.*\nExpress: /,
    )
  })

  it('a first line of at most 200 characters, and at most one line more', async () => {
    for (const [, body] of NO_RAW_BODIES) {
      const lines = (await messageFor(body())).split('\n')
      expect(lines.length).toBeLessThanOrEqual(2)
      expect(lines[0]?.length).toBeLessThanOrEqual(200)
    }
  })

  it('does not confuse fields of a parsed body with those of a framework', async () => {
    const fields = { originalUrl: '/', baseUrl: '', routeOptions: {} }
    expect(await messageFor(fields)).toMatch(GUIDE)
    const form = Object.assign(Object.create(null), { originalUrl: '/', baseUrl: '' })
    expect(await messageFor(form)).toMatch(GUIDE)
  })

  it('that a stream is locked, because another reader has it', () => {
    const { body } = new Request('http://localhost/', { method: 'POST', body: '{"a":1}' })
    expect(notRawBody({ body }).message).toMatch(/^request\.body is a stream\. /)
    body?.getReader()
    expect(notRawBody({ body }).message).toMatch(/^request\.body is a stream that was already read, /)
  })
})
