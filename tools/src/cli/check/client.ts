import { setTimeout as sleep } from 'node:timers/promises'
import type { EndpointContractOptions, EndpointDelivery, EndpointResponse } from '../../../../src/testing/index.js'
import type { Header } from '../../capture/headers.js'
import { Gate, sendRequest } from '../http-client.js'
import { replaceHeaders } from '../input/received.js'

interface Options {
  /** The addresses of the endpoint. */
  readonly urls: readonly URL[]
  /** Headers that every request gets. */
  readonly extra: readonly Header[]
  /** How long to wait for a response, in seconds. */
  readonly timeout: number
  /** The client sends at most this many requests per second. Copies that are sent at once count as one request. */
  readonly rate: number
}

/** The number of requests without a response in time after which the run ends. */
const MAX_TIME_OUTS = 5

/** Simultaneous requests. */
interface Group {
  readonly gate: Gate
  readonly start: Promise<void>
  missing: number
}

/** Sends the requests of the contract, each on a connection of its own. */
export class CheckClient {
  /** Why the last unanswered request got no response. */
  failure = ''
  readonly #options: Options
  #nextStart = 0
  #group: Group | undefined
  /** The longest time to a response, in seconds. */
  #slowest = 0
  #timeOuts = 0

  constructor(options: Options) {
    this.#options = options
  }

  readonly post: EndpointContractOptions['post'] = async (
    headers,
    body,
    { instance, together },
  ): Promise<EndpointResponse> => {
    const { urls, extra } = this.#options
    const url = urls[instance] as URL
    const group = this.#groupFor({ instance, together })
    await (group?.start ?? this.#untilNextStart())
    const own: Header[] = [
      ['Host', url.host],
      ['User-Agent', 'inbound-webhook-tools'],
      ['Content-Length', String(body.length)],
      ...headers,
    ]
    const [started, limit] = [performance.now(), this.#timeout]
    const request = { method: 'POST', url, headers: replaceHeaders(own, extra), body }
    const response = await sendRequest(request, limit, group?.gate)
    if (response.status === 0) this.failure = response.statusText
    else this.#slowest = Math.max(this.#slowest, (performance.now() - started) / 1000)
    // Time-outs of simultaneous copies do not count, because the endpoint may be right, but have too many connections at once.
    if (response.timedOut && together === 1) this.#timeOuts++
    return { status: response.status, headers: response.headers, text: response.body }
  }

  /** Returns whether the endpoint has responded too late too often, because the rest of the run would take minutes. */
  get isTooSlow(): boolean {
    return this.#timeOuts >= MAX_TIME_OUTS
  }

  /** Returns how many seconds to wait for the next response: after a time-out, 5 times the slowest response, but at least 1 s. */
  get #timeout(): number {
    const { timeout } = this.#options
    return this.#timeOuts > 0 ? Math.min(timeout, Math.max(1, 5 * this.#slowest)) : timeout
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
    await sleep(start - now)
  }
}
