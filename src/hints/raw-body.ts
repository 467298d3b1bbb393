import { hasMethod, invalidType, isObject, kindOf } from '../arguments.js'

const BYTES_AS_RECEIVED = 'Pass the bytes as received, before anything parses them.'

interface Framework {
  matches(value: object): boolean
  readonly name: string
  /** The usual name of the request in a handler, by default `request`. */
  readonly request?: string
  /** What to do so that nothing else reads the body. */
  readonly fix?: string
}

/** How to recognise the framework from the value that the caller passed. The first row that matches is used. */
const FRAMEWORKS: readonly Framework[] = [
  {
    matches: (value) => 'routeOptions' in value,
    name: 'Fastify',
    fix: "put this route into a plugin that calls removeAllContentTypeParsers() and addContentTypeParser('*', (_request, _payload, done) => done(null)).",
  },
  {
    matches: (value) => 'payload' in value && 'raw' in value,
    name: 'hapi',
    fix: "set the option payload of this route to { output: 'stream', parse: false }.",
  },
  {
    matches: (value) => 'originalUrl' in value && 'baseUrl' in value,
    name: 'Express',
    request: 'req',
    fix: 'define this route before app.use(express.json()). NestJS: create the app with { bodyParser: false }.',
  },
  {
    matches: (value) =>
      hasMethod(value, 'pipe') && (hasMethod(value, 'getRoute') || ('originalUrl' in value && 'params' in value)),
    name: 'Restify and Polka',
    request: 'req',
    fix: 'add the body parser to the routes that need it, not with use(), because use() runs before every route.',
  },
  {
    matches: (value) => 'originalUrl' in value || hasMethod(value, 'pipe'),
    name: 'Koa, Next.js and node:http',
    request: 'req',
    fix: 'put this route before any body parser. Next.js: export const config = { api: { bodyParser: false } }.',
  },
  {
    matches: (value) => hasMethod(value, 'arrayBuffer'),
    name: 'Fetch API',
    fix: 'do not call json() or text() on the request first.',
  },
  {
    matches: (value) => 'isBase64Encoded' in value && isObject(Object(value).body),
    name: 'AWS Lambda',
    request: 'event',
    fix: "remove the body parser from this function, such as Middy's httpJsonBodyParser.",
  },
  { matches: (value) => 'isBase64Encoded' in value, name: 'AWS Lambda', request: 'event' },
]

const LINK = 'How to get the bytes in each framework: node_modules/inbound-webhook-auth/docs/receive/index.md'

interface Mistake {
  matches(body: unknown): boolean
  /** A description of the value: by default, the kind of the value, such as `an object`. */
  readonly what?: string
  /** Text that follows the description of the value in the message. */
  readonly more?: string
  /** What to do. By default, the advice to pass the bytes as received, and a second line about the framework. */
  readonly fix?: string
}

/** The mistakes that callers make with a body. The first row that matches is used, and the last row matches everything. */
const MISTAKES: readonly Mistake[] = [
  {
    matches: (body) => body === undefined || body === null,
    more: ": nothing read the body, a body parser ignored the content type, or there is no body (then pass '')",
  },
  { matches: (body) => typeof body === 'function', fix: 'Call the function, await the result and pass it.' },
  { matches: (body) => typeof body === 'string' },
  { matches: (body) => hasMethod(body, 'then'), fix: 'Await it.' },
  {
    matches: (body) => hasMethod(body, 'arrayBuffer') && !('headers' in Object(body) || 'raw' in Object(body)),
    what: 'a Blob',
    fix: 'Pass await blob.arrayBuffer().',
  },
  {
    matches: (body) => hasMethod(body, 'arrayBuffer') && Object(body).bodyUsed === true,
    what: 'a request that was already read',
    fix: 'Pass await readBody(request) and parse those bytes after verify.',
  },
  { matches: (body) => hasMethod(body, 'arrayBuffer'), what: 'a request', fix: 'Pass await readBody(request).' },
  { matches: (body) => 'routeOptions' in Object(body), what: 'a whole request' },
  {
    matches: (body) => isStream(body) && (Object(body).readableDidRead === true || Object(body).locked === true),
    what: 'a stream that was already read, probably by a body parser',
  },
  { matches: isStream, what: 'a stream' },
  { matches: (body) => 'isBase64Encoded' in Object(body), what: 'a whole event' },
  {
    matches: (body) => Array.isArray(body) && body.length > 0 && body.every((chunk) => ArrayBuffer.isView(chunk)),
    what: 'a list of chunks',
    fix: 'Pass Buffer.concat(chunks).',
  },
  { matches: (body) => typeof body !== 'object' || Array.isArray(body), more: ', as a JSON parser returns it' },
  { matches: (body) => hasMethod(body, 'entries'), what: 'a parsed form' },
  {
    matches: (body) => Object.keys(Object(body)).length === 0,
    what: 'an empty object',
    more: ": a body parser ignored the content type, or there is no body (then pass '')",
  },
  { matches: () => true, more: ', as a body parser returns it' },
]

/** Returns the error for a body that is not raw. If the body or the request shows the framework, a second line is about this framework. */
export function notRawBody(request: { readonly body?: unknown }, owner = 'request'): TypeError {
  const { body } = request
  const { what = kindOf(body), more = '', fix } = MISTAKES.find(({ matches }) => matches(body)) as Mistake
  const bytesAsReceived = () => {
    const framework = findFramework(body) ?? findFramework(request)
    if (framework === undefined) return `${BYTES_AS_RECEIVED}\n${LINK}`
    const { name, request: source = 'request', fix: unread } = framework
    return `${BYTES_AS_RECEIVED}\n${name}: pass await readBody(${source})${unread === undefined ? '.' : `, and ${unread}`}`
  }
  return invalidType(`${owner}.body is ${what}${more}. ${fix ?? bytesAsReceived()}`)
}

/** Returns the error for a source whose body was already read. */
export function alreadyRead(source: object, argument: string): TypeError {
  const { name, fix } = findFramework(source) ?? {}
  const line = fix === undefined ? LINK : `${name}: ${fix}`
  return invalidType(
    `${argument} was already read, probably by a body parser. Pass the request before anything reads the body.\n${line}`,
  )
}

function findFramework(value: unknown): Framework | undefined {
  // The fields of a parsed body are not checked, because the sender chooses these fields.
  if (!isObject(value) || (isPlain(value) && !('isBase64Encoded' in value))) return undefined
  return FRAMEWORKS.find(({ matches }) => matches(value))
}

/** Returns whether `value` is an object literal, or the result of a parser. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function isStream(value: unknown): boolean {
  return hasMethod(value, 'pipe') || hasMethod(value, 'getReader')
}
