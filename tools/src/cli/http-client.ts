import { Buffer } from 'node:buffer'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { fromUtf8, isUtf8 } from '../bytes.js'
import type { Header } from '../capture/headers.js'
import { jsonValue } from '../diagnose/json/parse.js'
import { quote, UsageError } from './command.js'
import { describeError } from './describe-error.js'

export function contentTypeOf(body: Uint8Array): string {
  return isUtf8(body) && jsonValue(fromUtf8(body)) !== undefined ? 'application/json' : 'application/octet-stream'
}

/** Parses a URL to which requests can be sent. `name` is the name of the argument for the error message, such as `--forward-to`. */
export function parseUrl(text: string | undefined, name = 'URL'): URL {
  const fix = 'Pass a URL such as https://example.com/hooks/42, without a user name.'
  if (text === undefined) throw new UsageError(`Missing ${name}. ${fix}`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new UsageError(`${name}${quote(text)} is not an http or https URL. ${fix}`)
  }
  return url
}

/** One day. A timer of Node can wait for at most 24 days. */
const MAX_TIMEOUT_SECONDS = 86_400

export function parseTimeout(seconds: number): number {
  if (seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds
  throw new UsageError(`--timeout is ${seconds}. Pass a number of seconds above 0, and up to ${MAX_TIMEOUT_SECONDS}.`)
}

export interface EndpointResponse {
  /** 0 if there is no response. */
  readonly status: number
  /** The text after the status, such as `OK`, or the reason why there is no response. */
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  /** The body, or the beginning of a long body. */
  readonly body: string
}

/** A request that is sent with exactly these headers and bytes. */
interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  /** The path and the query to send, instead of those in `url`. */
  readonly target?: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
}

export function isAccepted({ status }: EndpointResponse): boolean {
  return status >= 200 && status <= 299
}

/** Returns whether the endpoint rejected the request. Other statuses of 4xx usually come from a route or a body parser. */
export function isRejected({ status }: EndpointResponse): boolean {
  return status === 400 || status === 401 || status === 403
}

export interface RawResponse extends EndpointResponse {
  readonly rawHeaders: readonly string[]
  readonly bytes: Uint8Array
}

const MAX_RESPONSE_BYTES = 16 * 2 ** 10

/** The longest wait in a {@link Gate}. A server that accepts one connection at a time would otherwise block the gate for ever. */
const MAX_HELD_MILLISECONDS = 300

/** Makes `count` requests arrive at the same time: each request holds back its last byte until all requests are connected. */
export class Gate {
  readonly #waiting: (() => void)[] = []

  constructor(readonly count: number) {}

  /** Resolves when all requests have called this method, or after {@link MAX_HELD_MILLISECONDS}. */
  pass(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === this.count) this.#open()
      else if (this.#waiting.length === 1) setTimeout(() => this.#open(), MAX_HELD_MILLISECONDS).unref()
    })
  }

  #open(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

export async function sendRequest(request: OutgoingRequest, seconds: number, gate?: Gate): Promise<EndpointResponse> {
  const raw = await exchange(request, seconds, MAX_RESPONSE_BYTES, undefined, gate)
  const { rawHeaders: _, bytes: __, ...response } = raw
  return response
}

/** The event after which a socket can send, by the protocol of the URL. */
const CONNECTED: { readonly [protocol: string]: string } = { 'http:': 'connect', 'https:': 'secureConnect' }

/** Sends one request without following redirects. The status is from 200 to 599, or 0 without a response. */
export async function exchange(
  { method, url, target, headers, body }: OutgoingRequest,
  timeoutSeconds: number,
  maxBytes: number,
  stopped?: AbortSignal,
  gate?: Gate,
): Promise<RawResponse> {
  const timeout = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
  const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped])
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // Node sends a flat list of names and values unchanged, also if a name is repeated.
      const outgoing = request(url, {
        method,
        headers: headers.flat(),
        agent: false,
        signal,
        ...(target === undefined ? {} : { path: target }),
      })
      outgoing.on('response', resolve).on('error', reject)
      // Without this listener, Node would close the connection, and neither 'response' nor 'error' would follow.
      outgoing.on('upgrade', ({ statusCode }, socket) => {
        socket.destroy()
        reject(notFinal(statusCode))
      })
      if (gate === undefined) {
        outgoing.end(body)
        return
      }
      outgoing.on('socket', (socket) =>
        socket.on(String(CONNECTED[url.protocol]), () => gate.pass().then(() => outgoing.end(body.subarray(-1)))),
      )
      outgoing.write(body.subarray(0, -1))
    })
    const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = response
    if (status < 200 || status > 599) {
      response.destroy()
      throw notFinal(status)
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      // Leaving the loop closes the connection.
      if (size > maxBytes) break
    }
    const bytes = Buffer.concat(chunks).subarray(0, maxBytes)
    return { status, statusText, headers: response.headers, rawHeaders, body: bytes.toString('utf8'), bytes }
  } catch (error) {
    const cause = timeout.aborted ? `none within ${timeoutSeconds} s` : explainFailure(error)
    const statusText = `no response (${cause})`
    return { status: 0, statusText, headers: {}, rawHeaders: [], body: '', bytes: Buffer.alloc(0) }
  }
}

function notFinal(status: number | undefined): Error {
  return new Error(`the status is ${status}, which is not from 200 to 599`)
}

const NO_TLS = 'the server does not use TLS on this port: try http instead of https'

const FAILURES: { readonly [code: string]: string } = {
  ENOTFOUND: 'host not found',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
}

function explainFailure(error: unknown): string {
  const code = String(Object(error).code)
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) {
    return `the server's certificate is not trusted (${code}). For a private authority, set NODE_EXTRA_CA_CERTS`
  }
  return FAILURES[code] ?? describeError(error)
}
