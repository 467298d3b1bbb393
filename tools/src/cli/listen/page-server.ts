import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../../src/clock.js'
import { type Header, pairsOf } from '../../capture/headers.js'
import type { EndpointResponse, Hello, Summary } from '../../workbench/live-data.js'
import { guideAddress } from '../command.js'
import { describeError } from '../describe-error.js'
import { schemeNameOf, signAgain } from '../input/scheme.js'
import { PAGE_HEADERS } from '../workbench-page.js'
import { detailsOf, maskedJson, summaryOf } from './details.js'
import { forward } from './forward.js'
import { type Kept, KeptRequests } from './kept-requests.js'
import type { Received } from './receiver.js'
import type { Report } from './report.js'

export interface PageSettings {
  readonly html: string
  readonly endpoint: URL | undefined
  readonly secrets: readonly string[]
  /** The only language for which fixes are shown. */
  readonly language: string | undefined
  readonly clock: Clock
}

/** The maximum number of unread bytes per page. With more, the page is disconnected. It then reconnects and gets the whole list again. */
const MAX_UNREAD_BYTES = 2 ** 20
const MAX_PAGES = 20
const MAX_RESPONSE = 16 * 2 ** 10
/** The maximum time for the pages to receive their last event when the server ends, in milliseconds. */
const END_TIMEOUT = 200

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** A browser sends one of these values in `Sec-Fetch-Site` if the request comes from another origin, for example from another port. */
const OTHER_SITES = new Set(['cross-site', 'same-site'])

/**
 * Serves the page of `listen` on 127.0.0.1, and sends each report to the page as an event.
 *
 * The address contains a random token, so that only somebody who knows the address can read the requests. `Host` and `Origin` are checked
 * too, because a site in another tab can use DNS rebinding to send requests to this server. A request that fails a check gets an empty 404.
 */
export class PageServer {
  readonly #settings: PageSettings
  readonly #token = randomBytes(16).toString('base64url')
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #kept = new KeptRequests()
  readonly #pages = new Set<ServerResponse>()
  readonly #ended = new AbortController()
  #host = ''
  #listening = ''

  constructor(settings: PageSettings) {
    this.#settings = settings
    this.#server.on('clientError', (_, socket) => socket.destroy())
  }

  /** Starts the server and resolves to the address of the page. The page shows `listening`, the address that receives the webhooks. */
  async start(listening: string): Promise<string> {
    this.#listening = listening
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return `http://${this.#host}/${this.#token}/`
  }

  add(report: Report, received: Received | undefined): void {
    const event = this.#event('request', this.#summaryOf(this.#kept.add(report, received)))
    for (const page of this.#pages) {
      // Without this limit, unread events would fill the memory.
      if (page.writableLength > MAX_UNREAD_BYTES) page.destroy()
      else page.write(event)
    }
  }

  async end(): Promise<void> {
    this.#ended.abort()
    this.#server.close()
    const closed = [...this.#pages].map((page) => {
      page.end(this.#event('end', {}))
      return new Promise<void>((resolve) => page.on('close', resolve))
    })
    await Promise.race([Promise.all(closed), sleep(END_TIMEOUT)])
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const [, token = '', resource = ''] = /^\/([^/]*)\/(.*)$/.exec(url) ?? []
    const isAllowed = this.#isToken(token) && this.#isOwn(request)
    if (isAllowed && method === 'GET' && resource === '') return this.#servePage(response)
    if (isAllowed && method === 'GET' && resource === 'events') return this.#sendEvents(response)
    const [, id, action = ''] = /^requests\/(\d{1,9})(\/[a-z-]+)?$/.exec(resource) ?? []
    const kept = isAllowed ? this.#kept.get(Number(id)) : undefined
    let document: object | undefined
    if (method === 'GET' && action === '') document = kept && detailsOf(kept, this.#settings.secrets)
    if (method === 'POST' && action === '/sign-and-send') document = await this.#signAndSend(kept?.received)
    if (document === undefined) answer(response, 404)
    else answer(response, 200, 'application/json', maskedJson(document, this.#settings.secrets))
  }

  /** Returns whether a token is right, in constant time. */
  #isToken(token: string): boolean {
    const [given, right] = [Buffer.from(token), Buffer.from(this.#token)]
    return given.length === right.length && timingSafeEqual(given, right)
  }

  /** Returns whether a request comes from the page, or from a user who opens the page. */
  #isOwn({ method, headers }: IncomingMessage): boolean {
    const { host, origin } = headers
    if (host !== this.#host) return false
    const isOwnOrigin = origin === `http://${this.#host}`
    const isOtherSite = OTHER_SITES.has(String(headers['sec-fetch-site']))
    // A form on another site cannot send JSON, and browsers send `Origin` with each POST.
    if (method !== 'GET') return isOwnOrigin && !isOtherSite && headers['content-type'] === 'application/json'
    // The user can open the page with a link on another site.
    const isOpened = headers['sec-fetch-mode'] === 'navigate'
    return (origin === undefined || isOwnOrigin) && (isOpened || !isOtherSite)
  }

  #servePage(response: ServerResponse): void {
    const page = this.#settings.html
      .replace('<html ', `<html data-live data-findings="${guideAddress('docs/debug/findings.md')}" `)
      .replace("connect-src 'none'", "connect-src 'self'")
    const [, policy = ''] = /"Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    response.writeHead(200, {
      ...HEADERS,
      ...PAGE_HEADERS,
      // A policy can forbid frames only in a header, and not in the `meta` element of the page.
      'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    response.end(page)
  }

  #sendEvents(response: ServerResponse): void {
    if (this.#pages.size >= MAX_PAGES) {
      answer(response, 503)
      return
    }
    const { endpoint, language } = this.#settings
    const requests = this.#kept.list().map((kept) => this.#summaryOf(kept))
    const hello: Hello = { listening: this.#listening, endpoint: endpoint?.href, language, requests }
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream', Connection: 'close' })
    response.write(`retry: 1000\n${this.#event('hello', hello)}`)
    this.#pages.add(response)
    response.on('close', () => this.#pages.delete(response))
  }

  #summaryOf(kept: Kept): Summary {
    return summaryOf(kept, this.#settings.secrets)
  }

  #event(name: string, document: object): string {
    return `event: ${name}\ndata: ${maskedJson(document, this.#settings.secrets)}\n\n`
  }

  async #signAndSend(received: Received | undefined): Promise<EndpointResponse | undefined> {
    const { endpoint, clock } = this.#settings
    if (endpoint === undefined || received === undefined) return undefined
    let headers: readonly Header[]
    try {
      headers = signAgain(schemeNameOf(received.headers), received, received.secret, clock)
    } catch (error) {
      // For example, a public key cannot sign.
      const statusText = `no response, because nothing was sent. ${describeError(error)}`
      return { status: 0, statusText, headers: [], body: '' }
    }
    const request = { ...received, target: received.path, headers }
    const { status, statusText, rawHeaders, body } = await forward(request, endpoint, this.#ended.signal)
    return { status, statusText, headers: pairsOf(rawHeaders), body: body.slice(0, MAX_RESPONSE) }
  }
}

function answer(response: ServerResponse, status: number, type?: string, text = ''): void {
  response.writeHead(status, {
    ...HEADERS,
    ...(type === undefined ? {} : { 'Content-Type': type }),
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  })
  response.end(text)
}
