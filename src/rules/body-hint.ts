/** How to pass the raw body in each framework, one per line. */
const BEFORE_PARSING = `Pass the bytes as received, read before anything parses them.
Express: mount express.raw({ type: () => true, inflate: false }) on this route, before express.json(), and pass req.body ?? ''.
Fastify: in a plugin of its own, call removeAllContentTypeParsers(), then addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body)), and pass request.body ?? ''.
NestJS: before app.listen(), call app.use(path, express.raw({ type: () => true, inflate: false })), and pass req.body of @Req() ?? ''.
Koa, node:http: before any body parser, read all chunks of the request (Koa: ctx.req), and pass Buffer.concat(chunks).
Hono, Next.js, Fetch API: pass await request.arrayBuffer(), not json().
AWS Lambda: pass Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8').
Other frameworks: turn body parsing off for this route.`

/**
 * Describes a body that is not raw, and says how to pass the raw body: `a promise. Await it.`
 *
 * This file imports nothing, so that a bundler puts only these texts into the file that is loaded on demand.
 *
 * @param kind - what kind of value `body` is.
 * @internal
 */
export function describeBody(body: unknown, kind: string): string {
  if (body === undefined || body === null) {
    return `${kind}: nothing read it, a body parser ignored its content type, or there is none. ${BEFORE_PARSING}`
  }
  if (typeof body === 'function') return 'a function. Call it, await the result, and pass that.'
  if (typeof body !== 'object') return `${kind}, as a JSON parser returns it. ${BEFORE_PARSING}`

  if (hasMethod(body, 'then')) return `${kind}. Await it.`
  if (hasMethod(body, 'arrayBuffer')) {
    return isTrue(body, 'bodyUsed')
      ? 'a request that was already read. Read it once with await request.arrayBuffer(). Parse those bytes after verify.'
      : 'a request or a Blob. Pass await request.arrayBuffer().'
  }
  if (hasMethod(body, 'pipe') || hasMethod(body, 'getReader')) {
    return isTrue(body, 'readableDidRead') || isTrue(body, 'locked')
      ? `a stream that was already read, probably by a body parser. ${BEFORE_PARSING}`
      : 'a stream. Read all its chunks, up to a limit and before anything else does, and pass Buffer.concat(chunks).'
  }
  if ('isBase64Encoded' in body) return `a whole event. ${BEFORE_PARSING}`
  if (Array.isArray(body)) {
    const areChunks = body.length > 0 && body.every((chunk) => ArrayBuffer.isView(chunk))
    return areChunks
      ? 'a list of chunks. Pass Buffer.concat(chunks).'
      : `an array, as a JSON parser returns it. ${BEFORE_PARSING}`
  }
  if (hasMethod(body, 'entries')) return `a parsed form. ${BEFORE_PARSING}`
  return Object.keys(body).length === 0
    ? `an empty object, as a body parser leaves it if it ignores the content type or if there is no body (then pass ''). ${BEFORE_PARSING}`
    : `an object, as a body parser returns it. ${BEFORE_PARSING}`
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}

function isTrue(value: object, property: string): boolean {
  return Reflect.get(value, property) === true
}
