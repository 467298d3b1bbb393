import { Buffer } from 'node:buffer'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { errorCode, UsageError } from '../command.js'

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
export function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new UsageError('Invalid URL. Pass one like https://example.com/hooks/42.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError('The URL must begin with http:// or https://.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'The URL contains a user name or password. Remove it: every process on the machine can read arguments.',
    )
  }
  return url
}

/** The response of an endpoint. */
export interface EndpointResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  /** Only the first bytes of a long body. */
  readonly body: Buffer
  readonly isBodyCut: boolean
}

/** The endpoint sent no response. The message says why, and what to do. */
export class NoResponse extends Error {}

/** How much of a response's body is read, in bytes. */
export const MAX_RESPONSE_BYTES = 16 * 2 ** 10

/** Sends one POST request with exactly these headers and bytes. Follows no redirect. */
export async function post(
  url: URL,
  headers: readonly HeaderLine[],
  body: Uint8Array,
  timeoutSeconds: number,
): Promise<EndpointResponse> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000)
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
    return { status, statusText, headers: response.headers, ...(await readBeginning(response)) }
  } catch (error) {
    throw new NoResponse(
      signal.aborted ? `none within ${timeoutSeconds} s. Use --timeout to wait longer.` : explainFailure(error),
    )
  }
}

async function readBeginning(response: IncomingMessage): Promise<Pick<EndpointResponse, 'body' | 'isBodyCut'>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > MAX_RESPONSE_BYTES) break
  }
  return { body: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES), isBodyCut: size > MAX_RESPONSE_BYTES }
}

const NO_TLS = 'the server does not use TLS on this port. Try http instead of https.'

const FAILURES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection refused. Check that the server runs, and its port.',
  ENOTFOUND: 'host not found. Check the name of the host.',
  EAI_AGAIN: 'the DNS lookup failed. Check the network connection.',
  ECONNRESET: 'the server closed the connection. It may have crashed, or it may need https.',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
}

function explainFailure(error: unknown): string {
  const code = errorCode(error)
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) {
    return `the server's certificate is not trusted (${code}). For a private authority, set NODE_EXTRA_CA_CERTS.`
  }
  return FAILURES[code] ?? `the connection failed (${code}).`
}
