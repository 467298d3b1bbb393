import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Parts, SECRET, signatureOf } from './request.js'

// A sender that writes its own bytes to the socket, so that no client library changes or adds anything.

export interface RawRequest {
  method?: string
  path?: string
  /** They are sent unchanged, in this order. */
  headers: (readonly [name: string, value: string])[]
  /** It is sent with `Content-Length`, or in chunks of `chunkBytes`. If it is undefined, neither is sent. */
  body?: Uint8Array | undefined
  chunkBytes?: number
  /**
   * How long to wait for an answer after each piece of the body, in milliseconds. A server may refuse a body before its end, and its
   * answer is lost if too much is on its way. By default, 10.
   */
  pause?: number
}

export interface Answer {
  status: number
  text: string
  /** By lowercase name. */
  headers: { [name: string]: string }
}

/** The three headers of a request that is signed now. */
export function signedHeaders(parts: Partial<Parts> = {}): [name: string, value: string][] {
  const { timestamp = String(Math.floor(Date.now() / 1000)), nonce = crypto.randomUUID() } = parts
  const { body = '', secret = SECRET } = parts
  return [
    ['X-Timestamp', timestamp],
    ['X-Nonce', nonce],
    ['X-Signature', signatureOf(timestamp, nonce, body, secret)],
  ]
}

const PIECE_BYTES = 20_000

/** Sends one request on its own connection, and returns the answer. */
export async function send(port: number, request: RawRequest): Promise<Answer> {
  const socket = connect(port, '127.0.0.1')
  try {
    let received = ''
    const answered = new Promise<Answer>((resolve, reject) => {
      socket.setEncoding('latin1').on('data', (text) => {
        received += text
        const answer = answerIn(received)
        if (answer !== undefined) resolve(answer)
      })
      // A server that has answered may close before it has read everything.
      socket.on('error', () => {})
      socket.on('close', () => reject(new Error(`no answer, but ${JSON.stringify(received)}`)))
    })
    answered.catch(() => {})

    // It sends in pieces, and stops when there is an answer. If a connection is closed while bytes are unread, its answer is lost.
    const bytes = Buffer.concat([...bytesOf(request)])
    for (let start = 0; start < bytes.length && received === ''; start += PIECE_BYTES) {
      if (start > 0) await sleep(request.pause ?? 10)
      socket.write(bytes.subarray(start, start + PIECE_BYTES))
    }
    return await answered
  } finally {
    socket.destroy()
  }
}

/** Returns the answer, or `undefined` until it is complete. */
function answerIn(received: string): Answer | undefined {
  const [, status, head = '', text = ''] = /^HTTP\/1\.1 (\d{3})(.*?)\r\n\r\n(.*)$/s.exec(received) ?? []
  if (status === undefined) return undefined
  const [, length] = /^content-length: (\d+)\r?$/im.exec(head) ?? []
  if (length !== undefined && text.length < Number(length)) return undefined
  if (/^transfer-encoding: chunked\r?$/im.test(head) && !text.endsWith('0\r\n\r\n')) return undefined
  const lines = head.split('\r\n').map((line) => line.split(/: */, 2))
  const headers = Object.fromEntries(lines.map(([name = '', value = '']) => [name.toLowerCase(), value]))
  return { status: Number(status), text, headers }
}

/** Sends a request without the end of its body, and hangs up. */
export async function hangUpHalfway(port: number, request: RawRequest): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const bytes = Buffer.concat([...bytesOf(request)])
  socket.write(bytes.subarray(0, -20))
  // The server needs time to begin.
  await sleep(100)
  socket.destroy()
}

/**
 * Sends a request whose body never ends, as fast as the server takes it, until the connection closes.
 *
 * Its headers are valid, so that the receiver reads the body.
 *
 * @param framing - whether the body has a `Content-Length` of 1 TB, or is chunked.
 * @returns the head of the response, and how much was sent. It gives up after 64 MB.
 */
export async function pushEndlessly(port: number, framing: 'length' | 'chunks', path = '/hooks/billing') {
  const socket = connect(port, '127.0.0.1')
  let head = ''
  let sentBytes = 0
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.setEncoding('latin1').on('data', (text) => {
    head += text
  })
  // The server closes the connection while bytes are on their way.
  socket.on('error', () => {})
  const length = framing === 'length' ? 'Content-Length: 1000000000000' : 'Transfer-Encoding: chunked'
  socket.write(headOf(path, length, signedHeaders()))
  const piece = Buffer.alloc(2 ** 16, 'x')
  const bytes = framing === 'length' ? piece : Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
  const push = () => {
    if (socket.destroyed || !socket.writable) return
    sentBytes += bytes.length
    if (sentBytes > 2 ** 26) socket.destroy()
    else socket.write(bytes, push)
  }
  push()
  await closed
  return { head, sentBytes }
}

/**
 * Announces a body and sends none of it.
 *
 * @param headers - by default, headers that are valid.
 * @returns the head of the response, and whether the server then closed the connection.
 */
export async function announce(
  port: number,
  contentLength: number,
  path = '/hooks/billing',
  headers: RawRequest['headers'] = signedHeaders(),
) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let head = ''
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true
      resolve()
    })
  })
  socket.setEncoding('latin1').on('data', (text) => {
    head += text
  })
  socket.write(headOf(path, `Content-Length: ${contentLength}`, headers))
  await Promise.race([closed, sleep(15_000)])
  socket.destroy()
  return { head, isClosed }
}

/** @param framing - the header lines that say how long the body is. */
function headOf(path: string, framing: string, headers: RawRequest['headers']): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n${lines.join('')}\r\n`
}

function* bytesOf({ method = 'POST', path = '/hooks/billing', headers, body, chunkBytes }: RawRequest) {
  const framing = []
  if (chunkBytes !== undefined) framing.push(['Transfer-Encoding', 'chunked'])
  else if (body !== undefined) framing.push(['Content-Length', String(body.length)])
  const lines = [['Host', 'localhost'], ['Connection', 'close'], ...framing, ...headers]
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  yield Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`, 'latin1')

  if (chunkBytes === undefined) {
    yield body ?? Buffer.alloc(0)
    return
  }
  for (let start = 0; start < (body?.length ?? 0); start += chunkBytes) {
    const chunk = body?.subarray(start, start + chunkBytes) ?? Buffer.alloc(0)
    yield Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
  }
  yield Buffer.from('0\r\n\r\n')
}
