const BYTES_AS_RECEIVED = 'Pass the bytes as received, read before anything parses them.'

/** How a handler gets the raw body, if the value shows the framework. */
const FRAMEWORKS: readonly (readonly [isOne: (value: object) => boolean, line: string])[] = [
  [
    (value) => 'routeOptions' in value,
    "Fastify: in a plugin of its own, call removeAllContentTypeParsers() and addContentTypeParser('*', (_request, _payload, done) => done(null)), and pass await readBody(request.raw).",
  ],
  [
    (value) => 'originalUrl' in value && 'baseUrl' in value,
    'Express: define this route before app.use(express.json()), and pass await readBody(req). NestJS: create the app with { bodyParser: false }.',
  ],
  [
    (value) => 'originalUrl' in value || hasMethod(value, 'pipe'),
    'Koa and node:http: before any body parser, pass await readBody(request) (Koa: ctx.req).',
  ],
  [
    (value) => hasMethod(value, 'arrayBuffer'),
    'Fetch API: pass await readBody(request), before json() or text() reads it.',
  ],
  [(value) => 'isBase64Encoded' in value, 'AWS Lambda: pass await readBody(event).'],
]

const LINK = 'How to get them in each framework: node_modules/inbound-webhook-auth/docs/receive/index.md'

/**
 * Describes a body that is not raw, and says how to pass the raw body: `a promise. Await it.`
 *
 * The second line is for the framework, if the body or the request shows which one it is.
 *
 * @param kind - what kind of value the body is.
 */
export function describeBody(request: { body?: unknown }, kind: string): string {
  const { body } = request
  const bytesAsReceived = `${BYTES_AS_RECEIVED}\n${findFrameworkLine(body) ?? findFrameworkLine(request) ?? LINK}`
  if (body === undefined || body === null) {
    return `${kind}: nothing read it, a body parser ignored its content type, or there is none (then pass ''). ${bytesAsReceived}`
  }
  if (typeof body === 'function') return 'a function. Call it, await the result, and pass that.'
  if (typeof body !== 'object') return `${kind}, as a JSON parser returns it. ${bytesAsReceived}`

  if (hasMethod(body, 'then')) return `${kind}. Await it.`
  if (hasMethod(body, 'arrayBuffer')) {
    if (!('headers' in body || 'raw' in body)) return 'a Blob. Pass await blob.arrayBuffer().'
    return isTrue(body, 'bodyUsed')
      ? 'a request that was already read. Pass await readBody(request), and parse those bytes after verify.'
      : 'a request. Pass await readBody(request).'
  }
  if ('routeOptions' in body) return `a whole request. ${bytesAsReceived}`
  if (hasMethod(body, 'pipe') || hasMethod(body, 'getReader')) {
    return isTrue(body, 'readableDidRead') || isTrue(body, 'locked')
      ? `a stream that was already read, probably by a body parser. ${bytesAsReceived}`
      : `a stream. ${bytesAsReceived}`
  }
  if ('isBase64Encoded' in body) return `a whole event. ${bytesAsReceived}`
  if (Array.isArray(body)) {
    const areChunks = body.length > 0 && body.every((chunk) => ArrayBuffer.isView(chunk))
    return areChunks
      ? 'a list of chunks. Pass Buffer.concat(chunks).'
      : `an array, as a JSON parser returns it. ${bytesAsReceived}`
  }
  if (hasMethod(body, 'entries')) return `a parsed form. ${bytesAsReceived}`
  return Object.keys(body).length === 0
    ? `an empty object: a body parser ignored the content type, or there is no body (then pass ''). ${bytesAsReceived}`
    : `an object, as a body parser returns it. ${bytesAsReceived}`
}

/** Says how to read a body before something else reads it, on the line of the framework if `source` shows which one it is. */
export function describeRead(source: object): string {
  return `Call readBody first.\n${findFrameworkLine(source) ?? LINK}`
}

function findFrameworkLine(value: unknown): string | undefined {
  // The fields of a parsed body are not checked, because the sender chooses them.
  if (typeof value !== 'object' || value === null || (isPlain(value) && !('isBase64Encoded' in value))) return undefined
  return FRAMEWORKS.find(([isOne]) => isOne(value))?.[1]
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}

function isTrue(value: object, property: string): boolean {
  return Reflect.get(value, property) === true
}
