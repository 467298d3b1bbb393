import { Buffer } from 'node:buffer'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../../src/clock.js'
import { readBody, type Verification, verify } from '../../../../src/index.js'
import { verify as verifyStandard } from '../../../../src/standard-webhooks/verify.js'
import { type Header, pairsOf } from '../../capture/headers.js'
import { maskBytes, maskSecrets } from '../../diagnose/mask-secrets.js'
import { isPublicKey, schemeOf } from '../../schemes.js'
import { countBytes } from '../../text.js'
import { describeError } from '../describe-error.js'
import { findDifferences, forward, responseHeaders } from './forward.js'
import { explainParserError } from './parser-error.js'
import { replayFinding } from './replay-finding.js'
import type { Report } from './report.js'
import { SeenNonces } from './seen-nonces.js'
import { type Refusal, refuseWebPage } from './web-page.js'

interface ReceiverSettings {
  readonly secrets: readonly string[]
  readonly names: readonly string[]
  readonly clock: Clock
  readonly endpoint: URL | undefined
  readonly folder: string | undefined
  /** The names that are allowed in `Host`, besides the names of this machine. `undefined` allows every name. */
  readonly allowedHosts: readonly string[] | undefined
  /** Prints a report. `received` is absent if the request did not arrive completely. The next report waits until the promise settles. */
  print(report: Report, received?: Received): Promise<void>
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: readonly Header[]
  readonly body: Uint8Array
  /** When the request arrived, in milliseconds since the Unix epoch. */
  readonly time: number
  /** The secret that matched, or the first secret if none matched. */
  readonly secret: string
  /** The bytes that the sender signed, if `diagnose` found them. */
  readonly signedMessage?: Uint8Array | undefined
}

interface Arrived extends Omit<Received, 'secret' | 'signedMessage'> {
  readonly request: IncomingMessage
}

type Explained = readonly [report: Report, received?: Received]

interface Answered {
  readonly result: Verification | Awaited<ReturnType<typeof verifyStandard>>
  /** For a replay, says when the first copy was accepted: `the same nonce 12 s ago`. */
  readonly replay?: string
  readonly status: number
  readonly forwarded?: { readonly status: number }
  readonly differences?: readonly string[]
}

/** The maximum number of requests that are being read or wait for their report. More would fill the memory, so they are not read yet. */
const MAX_OPEN = 100

/** The maximum number of bytes in all bodies that are being received, or wait for their report. */
const MAX_HELD_BYTES = 64 * 2 ** 20

/** The minimum length of a masked piece in a saved file. Shorter pieces could match other text of a large body by chance. */
const MIN_PIECE_IN_FILE = 16

const FULL: Refusal = {
  status: 503,
  reason: 'memory_full',
  detail: `the bodies that are being received have more than ${MAX_HELD_BYTES} bytes. Send fewer requests at once.`,
}

/** Returns a refusal for a request of HTTP/1.1 without `Host`. Node would refuse this request without a report. */
function refuseWithoutHost({ httpVersion, headers }: IncomingMessage): Refusal | undefined {
  if (httpVersion !== '1.1' || headers.host !== undefined) return undefined
  const detail = 'The request has no Host header, which HTTP/1.1 needs. Send "Host: example.com".'
  return { status: 400, reason: 'malformed_request', detail }
}

/** Node sets both for each request that a server receives. */
function targetOf({ method, url }: IncomingMessage): Pick<Received, 'method' | 'path'> {
  return { method: String(method), path: String(url) }
}

/** The errors of a connection that the sender closed. They are not reported, because an incomplete request has its own report. */
const HUNG_UP = new Set(['ECONNRESET', 'HPE_INVALID_EOF_STATE'])

function answerWith(
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
  body: Uint8Array = Buffer.alloc(0),
): void {
  const mayHaveBody = status !== 204 && status !== 304
  response.writeHead(status, mayHaveBody ? [...headers, 'Content-Length', String(body.length)] : [...headers])
  response.end(body)
}

/** Responds to requests as an endpoint does and prints their reports in the order in which the requests arrived. */
export class Receiver {
  readonly #settings: ReceiverSettings
  readonly #nonces = new SeenNonces()
  readonly #stopped = new AbortController()
  /** Connections on which the HTTP parser failed. */
  readonly #broken = new WeakSet<Duplex>()
  /** Settles when all reports so far are printed. */
  #turn = Promise.resolve()
  /** The number that `MAX_OPEN` limits. */
  #open = 0
  /** Lets the requests in that wait, the oldest first. */
  readonly #entries: (() => void)[] = []
  /** The number of bytes that `MAX_HELD_BYTES` limits. */
  #held = 0
  #saved = 0
  readonly #failed = new AbortController()

  constructor(settings: ReceiverSettings) {
    this.#settings = settings
  }

  /** A signal that is aborted if a report cannot be saved or printed. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refuseWithoutHost(request) ?? refuseWebPage(request.headers, this.#settings.allowedHosts)
    if (refusal !== undefined) {
      this.#refuse(request, response, refusal, `${refusal.detail}\n`)
      return
    }
    if (this.#open === MAX_OPEN) await new Promise<void>((resolve) => this.#entries.push(resolve))
    else this.#open++
    const headers = pairsOf(request.rawHeaders)
    let held = 0
    const release = () => {
      this.#held -= held
      held = 0
    }
    request.on('data', ({ length }: Uint8Array) => {
      if (response.headersSent) return
      held += length
      this.#held += length
      if (this.#held <= MAX_HELD_BYTES) return
      this.#refuse(request, response, FULL)
      request.pause()
      // Node keeps a paused request after the response. Its bytes would stay in memory until the time-out of the body.
      response.once('close', () => request.destroy())
      // The bytes no longer count, so that other requests are not refused because of them.
      release()
    })
    const body = await readBody(request).catch((error: unknown) => this.#refuseBody(request, response, error))
    // The request may have arrived completely after it was refused.
    if (body === undefined || response.headersSent) {
      release()
      this.#leave()
      return
    }
    const arrived = { request, ...targetOf(request), headers, body, time: this.#settings.clock.now() }
    const answered = this.#answer(arrived, response)
    void this.#inTurn(async () => this.#explain(arrived, await answered).finally(release)).then(() => this.#leave())
  }

  /** Gives the place of a request to the next one that waits. */
  #leave(): void {
    const next = this.#entries.shift()
    if (next === undefined) this.#open--
    else next()
  }

  refuseConnection(error: Error, socket: Duplex): void {
    if (!socket.writable || HUNG_UP.has(Object(error).code)) {
      socket.destroy()
      return
    }
    this.#broken.add(socket)
    const { status, detail } = explainParserError(error)
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    this.#report({ method: '', path: '', status: Number.parseInt(status, 10), reason: 'malformed_request', detail })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#turn
  }

  #refuseBody(request: IncomingMessage, response: ServerResponse, error: unknown): undefined {
    const { code, message: detail, status = 500 } = Object(error)
    // The code `ERR_BODY_TOO_LARGE` becomes `body_too_large`.
    const reason = String(code).replace('ERR_', '').toLowerCase()
    this.#refuse(request, response, { status, reason, detail })
  }

  /** Refuses and reports a request that has no response yet. Does nothing after `stop`. */
  #refuse(request: IncomingMessage, response: ServerResponse, { status, reason, detail }: Refusal, text = ''): void {
    if (this.#stopped.signal.aborted || this.#broken.has(request.socket) || response.headersSent) return
    answerWith(response, status, ['Connection', 'close', 'Content-Type', 'text/plain'], Buffer.from(text))
    this.#report({ ...targetOf(request), status, reason, detail })
  }

  #report(report: Pick<Report, 'method' | 'path' | 'status'> & { reason: string; detail: string }): void {
    const time = this.#settings.clock.now()
    void this.#inTurn(async () => [{ ...report, time, ok: false, findings: [] }])
  }

  #inTurn(explain: () => Promise<Explained>): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      try {
        const [report, received] = await explain()
        const mask = (text: string) => maskSecrets(text, this.#settings.secrets)
        const { method, path, detail } = report
        const masked = { ...report, method: mask(method), path: mask(path), detail: mask(detail) }
        await this.#settings.print(masked, received)
      } catch (error) {
        this.#failed.abort(error)
      }
    })
    return this.#turn
  }

  async #answer(arrived: Arrived, response: ServerResponse): Promise<Answered> {
    const { secrets, endpoint, clock } = this.#settings
    const { headers, body, time } = arrived
    const store = this.#nonces.storeFor(time)
    const request = { webhookId: 'listen', headers, body }
    const { isStandard, keyOf } = schemeOf(headers)
    const keys = secrets.map((secret) => (isPublicKey(secret) ? secret : keyOf(secret)))
    const result = isStandard
      ? await verifyStandard(request, keys, store, { now: () => time })
      : await verify(request, secrets, store, { now: () => time })
    const isReplay = !result.ok && result.reason === 'replayed_nonce'
    const decided = { result, ...(isReplay ? { replay: store.describeReplay() } : {}) }
    if (endpoint === undefined) {
      const status = result.ok ? 204 : 401
      answerWith(response, status)
      return { ...decided, status }
    }
    const endpointResponse = await forward({ ...arrived, target: arrived.path }, endpoint, this.#stopped.signal)
    const status = endpointResponse.status || 502
    answerWith(response, status, responseHeaders(endpointResponse), endpointResponse.bytes)
    const reason = result.ok ? undefined : result.reason
    const keyLength = result.ok ? keys[result.secretIndex]?.length : undefined
    const verdict = { reason, body, keyLength, answeredAt: clock.now() }
    const differences = findDifferences(verdict, endpointResponse)
    return { ...decided, status, forwarded: { status: endpointResponse.status }, differences }
  }

  async #explain(arrived: Arrived, { result, replay, ...answered }: Answered): Promise<Explained> {
    const { request: _, ...received } = arrived
    const { time, method, path, headers, body } = received
    const size = `body of ${countBytes(body.length)}`
    const saved = await this.#save(arrived)
    const { diagnose } = await import('../../diagnose/index.js')
    const lines: Header[] = [[':method', method], [':path', path], ...headers]
    const { secrets, names } = this.#settings
    // An accepted request is diagnosed too, because it can have a finding, such as `secret_leaked`.
    const diagnosis = await diagnose({ webhookId: 'listen', headers: lines, body }, secrets, { now: () => time })
    const { findings, language, signedMessage } = diagnosis
    const report = { time, method, path, ok: result.ok, ...answered, ...saved, detail: size, findings, language }
    const secret = String(secrets[result.ok ? result.secretIndex : 0])
    const explained = { ...received, secret, signedMessage }
    if (replay !== undefined) {
      const all = [...findings, replayFinding(replay, language, schemeOf(headers))]
      return [{ ...report, reason: 'replayed_nonce', detail: replay, findings: all }, explained]
    }
    if (!result.ok) return [{ ...report, reason: result.reason }, explained]
    const name = names.length > 1 ? `, with the secret of ${names[result.secretIndex]}` : ''
    return [{ ...report, detail: size + name }, explained]
  }

  async #save({ request, body, time }: Arrived): Promise<Pick<Report, 'savedAs'>> {
    const { folder } = this.#settings
    if (folder === undefined) return {}
    const { captureRequest } = await import('../../diagnose/index.js')
    const exact = captureRequest(request, body, { now: () => time })
    const text = maskBytes(exact, this.#settings.secrets, MIN_PIECE_IN_FILE)
    const name = new Date(time).toISOString().replaceAll(':', '-')
    for (;;) {
      const savedAs = join(folder, `${name}-${++this.#saved}.http`)
      try {
        // Only this user can read the file, because a request can contain credentials of the sender, such as cookies.
        await writeFile(savedAs, text, { flag: 'wx', mode: 0o600 })
        return { savedAs }
      } catch (error) {
        // Another listener may have saved a file with this name to the same folder.
        if (Object(error).code === 'EEXIST') continue
        throw new Error(`Cannot save a request: ${describeError(error)}.`)
      }
    }
  }
}
