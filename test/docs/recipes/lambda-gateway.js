// Does the work of API Gateway: it converts each request to an event, calls the function, and converts its result to a
// response. Arguments: the function's file, and the version of the payload format.
import { createServer } from 'node:http'

const [file = '', version = ''] = process.argv.slice(2)
const { handler } = await import(file)

createServer(async (request, response) => {
  /** @type {Buffer[]} */
  const chunks = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    // The sender hung up, so there is no request.
    return
  }
  const event = version === '1.0' ? eventOf1(request, Buffer.concat(chunks)) : eventOf2(request, Buffer.concat(chunks))
  // The function gets the event as JSON.
  const { statusCode, headers = {}, body } = await handler(JSON.parse(JSON.stringify(event)))
  // API Gateway keeps connections open, and renames this header.
  const { connection: _, ...others } = headers
  response.writeHead(statusCode, others).end(body)
}).listen(process.env['PORT'])

/**
 * A REST API whose binary media types are set, so that the body is always in base64.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {Buffer} body
 */
function eventOf1(request, body) {
  /** @type {Record<string, string>} */
  const headers = Object.create(null)
  /** @type {Record<string, string[]>} */
  // A sender may name a header `__proto__`.
  const multiValueHeaders = Object.create(null)
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2)
    headers[name] = value
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value]
  }
  return {
    version: '1.0',
    resource: '/hooks/{name}',
    path: pathOf(request),
    httpMethod: request.method,
    headers,
    multiValueHeaders,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    requestContext: { httpMethod: request.method, path: pathOf(request), stage: '$default' },
    pathParameters: { name: pathOf(request).split('/').at(-1) },
    stageVariables: null,
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  }
}

/**
 * An HTTP API or a function URL: text stays text, and an empty body is absent.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {Buffer} body
 */
function eventOf2(request, body) {
  const isText =
    /^(text\/|application\/(json|xml|javascript))/.test(request.headers['content-type'] ?? '') &&
    request.headers['content-encoding'] === undefined
  const headers = Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values.join(',')])
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathOf(request),
    rawQueryString: '',
    headers: Object.fromEntries(headers),
    requestContext: {
      http: { method: request.method, path: pathOf(request), protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' },
      routeKey: '$default',
      stage: '$default',
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

/** @param {import('node:http').IncomingMessage} request */
function pathOf(request) {
  return (request.url ?? '').replace(/\?.*/, '')
}
