import { Buffer } from 'node:buffer'
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { HeaderLine } from '../output/http-text.js'
import { codeOf } from '../usage-error.js'

/** What came back from an endpoint. */
export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: IncomingHttpHeaders
  /** Its beginning, if it is long. */
  readonly body: Buffer
  readonly isBodyCut: boolean
}

/** Nothing came back; the message says why, and what to do. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/** The most bytes of an answer's body that are read. */
export const MOST_ANSWER_BYTES = 16 * 2 ** 10

/** Sends one POST request, exactly these headers and bytes, and gives the answer, whatever it is: no redirect is followed. */
export async function exchange(
  url: URL,
  headers: readonly HeaderLine[],
  body: Uint8Array,
  timeoutSeconds: number,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // As one flat list the headers go out as they are written, repeated ones too. A connection serves one request.
      send(url, { method: 'POST', headers: headers.flat(), agent: false, signal })
        .on('response', resolve)
        .on('error', reject)
        .end(body)
    })
    const { statusCode: status = 0, statusMessage: statusText = '', headers: answered } = response
    return { status, statusText, headers: answered, ...(await beginningOf(response)) }
  } catch (error) {
    throw new NoAnswer(signal.aborted ? `no answer within ${timeoutSeconds} s: --timeout waits longer` : causeOf(error))
  }
}

async function beginningOf(response: IncomingMessage): Promise<Pick<Answer, 'body' | 'isBodyCut'>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    // To leave the loop closes the connection.
    if (size > MOST_ANSWER_BYTES) break
  }
  return { body: Buffer.concat(chunks).subarray(0, MOST_ANSWER_BYTES), isBodyCut: size > MOST_ANSWER_BYTES }
}

const CAUSES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there: is the server up, and is this its port?',
  ENOTFOUND: 'no such host: is its name spelt right?',
  EAI_AGAIN: 'the name of the host could not be looked up: is this machine online?',
  ECONNRESET: 'the connection was closed without an answer: is it http that should be https, or did the server crash?',
  EPROTO: 'no TLS is spoken there: is it http instead of https?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there: is it http instead of https?',
}

function causeOf(error: unknown): string {
  const code = codeOf(error)
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) {
    return `the certificate of the server is not trusted (${code}): for a private authority, set NODE_EXTRA_CA_CERTS to its certificate`
  }
  return CAUSES[code] ?? `the connection failed (${code})`
}
