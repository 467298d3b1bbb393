import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http'
import { type ClientHttp2Stream, connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'

// Servers that run until the end of the test, and what is sent to them.

/** Starts a server, and returns its port. */
export async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Sends a request with its whole body, and returns the response and its text. */
export async function post(port: number, body?: Uint8Array | string, headers = {}, method = 'POST') {
  const sent = httpRequest({ port, host: '127.0.0.1', method, headers, agent: false }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

/** Posts to a server, and returns what `read` returned or threw for the request as Node receives it. */
export async function readOnServer<T>(
  read: (message: IncomingMessage) => T | Promise<T>,
  body?: string,
  headers: object = {},
): Promise<T> {
  let outcome: Promise<T> | undefined
  const port = await serve((message, response) => {
    outcome = (async () => read(message))()
    void outcome.catch(() => {}).finally(() => response.end())
  })
  await post(port, body, headers)
  return outcome as Promise<T>
}

/** Writes text to a new connection, and returns the first part of the response. */
export async function write(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.setEncoding('latin1').write(text)
    const [answer] = await once(socket, 'data')
    return answer
  } finally {
    socket.destroy()
  }
}

/** Starts a server of HTTP/2, and returns a request to it whose body has begun. */
export async function serveHttp2(
  listener: Parameters<typeof createHttp2Server>[1] & object,
  headers = {},
): Promise<ClientHttp2Stream> {
  const server = createHttp2Server(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const stream = client.request({ ':method': 'POST', ':path': '/', ...headers })
  stream.write('12345')
  return stream
}
