import { Buffer } from 'node:buffer'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { describeError, UsageError } from '../command.js'

/** One header, as written. */
export type HeaderLine = readonly [name: string, value: string]

/** Returns the `Content-Type` that a body most likely has. The signature does not cover it. */
export function contentTypeOf(body: Uint8Array): string {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return 'application/json'
  } catch {
    return 'application/octet-stream'
  }
}

/** Returns a request as HTTP/1.1: head and body (RFC 9112, section 2.1). */
export function httpText(target: string, headers: readonly HeaderLine[], body: Uint8Array): readonly Uint8Array[] {
  const lines = [`POST ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', '']
  return [Buffer.from(lines.join('\r\n'), 'latin1'), body]
}

/** Parses a URL to send to. */
export function parseUrl(text = ''): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new UsageError('Invalid or missing URL. Pass one like https://example.com/hooks/42, without a user name.')
  }
  return url
}

/** The response of an endpoint. */
export interface EndpointResponse {
  /** 0 if there is no response. */
  readonly status: number
  /** Why there is no response, or the text after the status. */
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  /** Only the beginning of a long body. */
  readonly body: string
}

/** How much of a response's body is read, in bytes. */
const MAX_RESPONSE_BYTES = 16 * 2 ** 10

/** Sends one POST request with exactly these headers and bytes. Follows no redirect. */
export async function post(
  url: URL,
  headers: readonly HeaderLine[],
  body: Uint8Array,
  timeoutSeconds: number,
): Promise<EndpointResponse> {
  const signal = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000))
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // Node sends a flat list of headers unchanged, repeated names included.
      request(url, { method: 'POST', headers: headers.flat(), agent: false, signal })
        .on('response', resolve)
        .on('error', reject)
        .end(body)
    })
    const { statusCode: status = 0, statusMessage: statusText = '' } = response
    let beginning = Buffer.alloc(0)
    for await (const chunk of response) {
      beginning = Buffer.concat([beginning, chunk])
      // Leaving the loop closes the connection.
      if (beginning.length > MAX_RESPONSE_BYTES) break
    }
    const text = beginning.toString('utf8', 0, MAX_RESPONSE_BYTES)
    return { status, statusText, headers: response.headers, body: text }
  } catch (error) {
    const cause = signal.aborted ? `none within ${timeoutSeconds} s` : explainFailure(error)
    return { status: 0, statusText: `no response (${cause})`, headers: {}, body: '' }
  }
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
