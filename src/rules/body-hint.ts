const BEFORE_PARSING =
  'pass the bytes as received, read before anything parses them. ' +
  "Express: mount express.raw({ type: () => true, inflate: false }) on this route, before express.json(), and pass req.body ?? ''. " +
  'Fastify: in a plugin of its own, call removeAllContentTypeParsers(), then ' +
  "addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body)), and pass request.body ?? ''. " +
  "NestJS: before app.listen(), app.use(the path, the same express.raw()), and pass req.body of @Req() ?? ''. " +
  'Koa, node:http: before any body parser, pass Buffer.concat of the chunks of the request (ctx.req). ' +
  'Hono, Next.js, Fetch API: pass await request.arrayBuffer(), not json(). ' +
  "AWS Lambda: pass Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'). " +
  'Elsewhere: turn body parsing off for this route'

/**
 * What was handed over instead of the raw body, and the way from there to the bytes: `a promise: await it`.
 *
 * @param kind - what `body` is, in general words.
 * @internal
 */
export function fixFor(body: unknown, kind: string): string {
  if (body === undefined || body === null) {
    return `${kind}: nothing read it, a body parser skipped its content type, or the request has none; ${BEFORE_PARSING}`
  }
  if (typeof body === 'function') return 'a function: call it, await what it returns, and pass that'
  if (typeof body !== 'object') return `${kind}, as a JSON parser leaves it: ${BEFORE_PARSING}`

  if (hasMethod(body, 'then')) return `${kind}: await it`
  if (hasMethod(body, 'arrayBuffer')) {
    return is(body, 'bodyUsed')
      ? 'a request that was read already: read it once, by await request.arrayBuffer(), and parse those bytes once verified'
      : 'a request or a Blob: pass await request.arrayBuffer()'
  }
  if (hasMethod(body, 'pipe') || hasMethod(body, 'getReader')) {
    return is(body, 'readableDidRead') || is(body, 'locked')
      ? `a stream that was read already, most likely by a body parser: ${BEFORE_PARSING}`
      : 'a stream: read it to its end, up to a limit and before anything else does, and pass Buffer.concat of its chunks'
  }
  if ('isBase64Encoded' in body) return `a whole event: ${BEFORE_PARSING}`
  if (Array.isArray(body)) {
    const areChunks = body.length > 0 && body.every((chunk) => ArrayBuffer.isView(chunk))
    return areChunks
      ? 'a list of chunks: pass Buffer.concat of them'
      : `an array, as a JSON parser leaves it: ${BEFORE_PARSING}`
  }
  if (hasMethod(body, 'entries')) return `a parsed form: ${BEFORE_PARSING}`
  return Object.keys(body).length === 0
    ? `an empty object, as a body parser leaves it when it skips the content type (or has no body to read: then pass ''): ${BEFORE_PARSING}`
    : `an object, as a body parser leaves it: ${BEFORE_PARSING}`
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}

function is(value: object, state: string): boolean {
  return Reflect.get(value, state) === true
}
