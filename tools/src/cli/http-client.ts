import { Buffer } from 'node:buffer'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Header } from '../capture/headers.js'
import { quote, UsageError } from './command.js'
import { describeError } from './describe-error.js'

/** Returns the `Content-Type` that a body most likely has. The signature does not cover this header. */
export function contentTypeOf(body: Uint8Array): string {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return 'application/json'
  } catch {
    return 'application/octet-stream'
  }
}

/**
 * Returns `text` as a URL to send to. Throws if the URL is not an `http:` or `https:` URL, or if the URL has a user name or a password.
 *
 * @param name - the name of the argument for messages: `--forward-to`.
 */
export function parseUrl(text: string | undefined, name = 'URL'): URL {
  const fix = 'Pass a URL such as https://example.com/hooks/42, without a user name.'
  if (text === undefined) throw new UsageError(`Missing ${name}. ${fix}`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new UsageError(`${name}${quote(text)} is not an http or https URL. ${fix}`)
  }
  return url
}

/** The response of an endpoint. */
export interface EndpointResponse {
  /** 0 if there is no response. */
  readonly status: number
  /** The text after the status, or why there is no response. */
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  /** The body of the response. Only the beginning of a long body is kept. */
  readonly body: string
  /** Whether no response came in time. */
  readonly timedOut?: boolean
}

/** A request to send: exactly these headers and bytes. */
export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  /** The path and the query to ask for, unchanged, instead of those of `url`. */
  readonly target?: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
}

export function isAccepted({ status }: EndpointResponse): boolean {
  return status >= 200 && status <= 299
}

/** Returns whether a status means a rejection. Other statuses usually come from a route, a parser or a fault, not from the check. */
export function isRejected({ status }: EndpointResponse): boolean {
  return status === 400 || status === 401 || status === 403
}

/** A response, unchanged. */
export interface RawResponse extends EndpointResponse {
  readonly rawHeaders: readonly string[]
  readonly bytes: Uint8Array
}

/** How many bytes of a response's body `send` reads. */
const MAX_RESPONSE_BYTES = 16 * 2 ** 10

/** How long the first request of a {@link Gate} waits. The wait has a limit, because a server may accept only one connection at a time. */
const MAX_HELD_MILLISECONDS = 300

/** Holds back the last byte of several requests until all requests are connected, so that all arrive at the same time. */
export class Gate {
  readonly #waiting: (() => void)[] = []

  /** @param count - how many requests there are. */
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

/** Sends one request without following redirects, and returns the beginning of the response. */
export async function sendRequest(
  request: OutgoingRequest,
  timeoutSeconds: number,
  gate?: Gate,
): Promise<EndpointResponse> {
  const {
    rawHeaders: _,
    bytes: __,
    ...response
  } = await exchange(request, timeoutSeconds, MAX_RESPONSE_BYTES, undefined, gate)
  return response
}

/** The event that shows that a socket can send, by the protocol of the URL. */
const CONNECTED: { readonly [protocol: string]: string } = { 'http:': 'connect', 'https:': 'secureConnect' }

/**
 * Sends one request without following redirects, and returns the response unchanged. The status is 200 to 599, or 0 without a response.
 *
 * @param maxBytes - how much of the response's body is read.
 * @param stopped - ends the exchange early.
 * @param gate - when to send the last byte of the body.
 */
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
      // Node sends a flat list of headers unchanged, repeated names included.
      const outgoing = request(url, {
        method,
        headers: headers.flat(),
        agent: false,
        signal,
        ...(target === undefined ? {} : { path: target }),
      })
      outgoing.on('response', resolve).on('error', reject)
      // Without this listener, Node closes the connection without an event.
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
    const timedOut = timeout.aborted
    const cause = timedOut ? `none within ${timeoutSeconds} s` : explainFailure(error)
    const statusText = `no response (${cause})`
    return { status: 0, statusText, headers: {}, rawHeaders: [], body: '', bytes: Buffer.alloc(0), timedOut }
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
