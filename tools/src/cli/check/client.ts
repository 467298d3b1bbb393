import type { Header } from '../../capture/headers.js'
import type { EndpointContractOptions, EndpointDelivery } from '../../testing/index.js'
import { Gate, sendRequest } from '../http-client.js'
import { replaceHeaders } from '../input/received.js'

interface Options {
  readonly urls: readonly URL[]
  readonly extra: readonly Header[]
  /** How long to wait for a response, in seconds. */
  readonly timeout: number
  /** The maximum number of requests per second. Simultaneous copies count as one request. */
  readonly rate: number
}

const MAX_UNANSWERED = 5

interface Group {
  readonly gate: Gate
  readonly start: Promise<void>
  missing: number
}

/** Sends the requests of the contract. Each request has its own connection. */
export class CheckClient {
  failure = ''
  readonly #options: Options
  #nextStart = 0
  #group: Group | undefined
  #unanswered = 0

  constructor(options: Options) {
    this.#options = options
  }

  readonly post: EndpointContractOptions['post'] = async (headers, body, { instance, together }) => {
    const { urls, extra, timeout } = this.#options
    const url = urls[instance] as URL
    const group = this.#groupFor({ instance, together })
    await (group?.start ?? this.#untilNextStart())
    const own: Header[] = [
      ['Host', url.host],
      ['User-Agent', 'inbound-webhook-tools'],
      ['Content-Length', String(body.length)],
      ...headers,
    ]
    const request = { method: 'POST', url, headers: replaceHeaders(own, extra), body }
    const response = await sendRequest(request, timeout, group?.gate)
    if (response.status === 0) this.failure = response.statusText
    // Simultaneous copies do not count, because a correct endpoint can be too slow for many connections at once.
    if (response.status === 0 && together === 1) this.#unanswered++
    const { status, statusText, body: text } = response
    return { status, statusText, headers: response.headers, text }
  }

  /** Whether so many requests got no response that the endpoint has probably ended, or would need minutes for the rest of the check. */
  get isLost(): boolean {
    return this.#unanswered >= MAX_UNANSWERED
  }

  #groupFor({ together }: EndpointDelivery): Group | undefined {
    if (together === 1) return undefined
    this.#group ??= { gate: new Gate(together), start: this.#untilNextStart(), missing: together }
    const group = this.#group
    group.missing--
    if (group.missing === 0) this.#group = undefined
    return group
  }

  async #untilNextStart(): Promise<void> {
    const now = performance.now()
    const start = Math.max(now, this.#nextStart)
    this.#nextStart = start + 1000 / this.#options.rate
    await new Promise((resolve) => setTimeout(resolve, start - now))
  }
}
