import {
  assertOptions,
  assertText,
  assertTimeout,
  invalidRange,
  invalidType,
  kindOf,
} from '../../../../src/arguments.js'
import { assertClock, type Clock } from '../../../../src/clock.js'
import { bytesOf } from '../../../../src/rules/body.js'
import { WINDOW_SECONDS } from '../../../../src/rules/timestamp.js'
import { resultWithin } from '../calls.js'
import { ADVICE, type Advice, type EndpointFault, FAILS_ON_VALID } from './faults.js'
import { REFUSALS } from './refusals.js'
import {
  codesOf,
  type EndpointCaseCode,
  type EndpointRule,
  expectedOf,
  ROWS,
  type Row,
  ruleOf,
  type Step,
} from './rows.js'
import { type ContractName, contractName, SCHEMES, type SchemeName } from './scheme.js'
import { leaksSignature, otherKey, Sender } from './sender.js'

/** The address to send a request to, and how many requests are sent at the same time. */
export interface EndpointDelivery {
  /** The index of the address to send to, from 0 to `instances - 1`. */
  readonly instance: number
  /** How many requests are sent at the same time. This is 1, except in the case that sends simultaneous copies. */
  readonly together: number
}

/** The response of an endpoint: a Fetch `Response`, or what `inject` of Fastify or supertest returns. */
export interface EndpointResponse {
  readonly status?: number
  readonly statusCode?: number
  /** The text after the status. Like the headers and the body, it must not contain the right signature. */
  readonly statusText?: string
  readonly headers?: unknown
  /** The body as text, or a function that returns the text. */
  readonly text?: string | (() => Promise<string>)
  /** The body as text, if `text` is absent. A body that is not a string is ignored. */
  readonly body?: unknown
}

/** Options of `endpointContract`. */
export interface EndpointContractOptions {
  /**
   * Sends a POST to the endpoint, without following redirects. Pass `headers` to `fetch` as they are. Some cases send a header twice. If
   * your client needs an object, pass `Object.fromEntries(new Headers(headers))`, which joins the two values with a comma.
   */
  post: (
    headers: [name: string, value: string][],
    body: Uint8Array<ArrayBuffer>,
    delivery: EndpointDelivery,
  ) => EndpointResponse | Promise<EndpointResponse>
  /**
   * The webhook's signing secret as text. For Standard Webhooks, base64 with or without `whsec_`, the bytes of the key, or the private key of
   * Ed25519 (`whsk_…`). An empty secret is not allowed.
   */
  secret: string | Uint8Array
  /** The signing scheme: `'x-signature'`, the default, or `'standard-webhooks'`. */
  scheme?: SchemeName | undefined
  /** The clock of the endpoint. The contract signs the requests with the time of this clock. By default, `Date`. */
  clock?: Clock | undefined
  /**
   * An event that the endpoint accepts. Pass an event if the endpoint refuses unknown events. Every valid request then has this event as
   * its body, and the cases that need another body are skipped. In each request, a new UUID replaces `{{uuid}}`, for an endpoint that accepts
   * each event once. By default, each body is different.
   */
  body?: Uint8Array | string | undefined
  /** How many addresses of the endpoint `post` can send to: a whole number, by default 1. Replays go to all of these addresses. */
  instances?: number | undefined
  /** How long to wait for each response and its body, a whole number of milliseconds, by default 5000. */
  timeout?: number | undefined
}

/** The result of a case. `statuses` contains the status of each response, in the order of the requests, or 0 if no response came. */
export type EndpointResult =
  | { readonly ok: true; readonly statuses: readonly number[] }
  | {
      readonly ok: false
      readonly statuses: readonly number[]
      readonly fault: EndpointFault
      /** What the endpoint probably does wrong. */
      readonly cause: string
      /** What to change. */
      readonly fix: string
    }

/** One case of the contract. */
export interface EndpointCase {
  /** The name of the case, such as `replay-again`, which does not change in new versions. */
  code: EndpointCaseCode
  /** The part of the specification that the case tests. */
  rule: EndpointRule
  /** What the case sends. */
  sent: string
  /** The required response: 2xx, 4xx, or 2xx to exactly one of the simultaneous requests. */
  expected: 'accepted' | 'rejected' | 'one'
  /** A sentence with the code, what the case sends, and the required response. The name of a skipped case also contains the reason. */
  name: string
  /** Whether the case cannot run, because the option `body` is set. */
  isSkipped: boolean
  /** The maximum number of requests that the case sends. */
  requests: number
  /** How many of these requests the endpoint must accept. */
  valid: number
  /** Runs the case. Rejects with an error whose message says what is probably wrong and how to fix it. */
  run(): Promise<void>
  /** Runs the case and returns what it found. */
  check(): Promise<EndpointResult>
}

/** The case that all others need. */
const FIRST = 'accepted-json'

const EXPECTED = { accepted: 'is accepted', rejected: 'is rejected', one: 'are accepted once' } as const

/**
 * Returns the cases that every endpoint must pass, for any test runner. The endpoint may be written in any language.
 *
 * Run the cases in their order, with a time-out of 60 s per case. The first case sends a simple valid request. If the endpoint refuses this
 * request, all cases fail with the probable reason.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` if an option is invalid.
 *
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { MemoryNonceStore, verify } from 'inbound-webhook-auth'
 * import { endpointContract } from 'inbound-webhook-tools/testing'
 *
 * const secret = 'the secret of this test'
 * const nonceStore = new MemoryNonceStore()
 * const contract = endpointContract({
 *   secret,
 *   post: async (headers, body) => {
 *     const { ok } = await verify({ webhookId: 'billing', headers, body }, secret, nonceStore)
 *     return { status: ok ? 204 : 401 }
 *   },
 * })
 * for (const { name, run, isSkipped } of contract) test(name, { skip: isSkipped }, run)
 * ```
 */
export function endpointContract(options: EndpointContractOptions): EndpointCase[] {
  const settings = checkOptions(options)
  const run = new Run(settings)
  return codesOf(settings.scheme).map((code) => {
    const row: Row = ROWS[settings.scheme][code]
    const isSkipped = settings.event !== undefined && row.needsItsBody === true
    const steps = row.steps(run.sender)
    const expected = expectedOf(row, steps)
    const described = `${code}: ${row.sent} ${EXPECTED[expected]}`
    return {
      code,
      rule: ruleOf(code),
      sent: row.sent,
      expected,
      name: isSkipped ? `not tested: ${described}. Leave out body` : described,
      isSkipped,
      requests: steps.length,
      valid: expected === 'one' ? 1 : steps.filter(({ expected }) => expected === 'accepted').length,
      check: async () => (isSkipped ? { ok: true, statuses: [] } : (await run.check(code)).result),
      run: async () => {
        if (!isSkipped) throwIfWrong(row, await run.check(code))
      },
    }
  })
}

interface Settings extends Omit<EndpointContractOptions, 'body' | 'scheme'> {
  readonly scheme: ContractName
  readonly clock: Clock
  readonly event: Uint8Array | undefined
  readonly instances: number
  readonly timeout: number
}

function checkOptions(options: EndpointContractOptions): Settings {
  assertOptions(options, ['post', 'secret', 'scheme', 'clock', 'body', 'instances', 'timeout'])
  const { post, secret, scheme = 'x-signature', clock = Date, body, instances = 1, timeout = 5000 } = options
  if (typeof post !== 'function') {
    throw invalidType(`post is ${kindOf(post)}. Pass a function that sends a request, such as one that calls fetch.`)
  }
  if (scheme !== 'x-signature' && scheme !== 'standard-webhooks')
    throw invalidType("scheme must be 'x-signature' or 'standard-webhooks'.")
  // Standard Webhooks has its own rules for secrets, which the sender checks.
  if (scheme === 'x-signature') assertText(secret, 'secret', 'Pass the signing secret of the webhook as text.')
  assertClock(clock)
  const event = body === undefined ? undefined : bytesOf(body, 'body')
  if (body !== undefined && event === undefined) {
    throw invalidType(`body is ${kindOf(body)}. Pass the bytes or the text of an event that the endpoint reads.`)
  }
  if (!Number.isSafeInteger(instances) || instances < 1) {
    throw invalidRange('instances is not a whole number above 0. Pass the number of addresses that post sends to.')
  }
  assertTimeout(timeout, 'timeout', 5000)
  return { post, secret, scheme: contractName(scheme, secret), clock, event, instances, timeout }
}

interface CheckedResponse {
  /** The status, or 0 if no response came. */
  readonly status: number
  readonly text: string
  /** Whether the response contains the right signature. */
  readonly isLeaky?: boolean
  /** The time in the `Date` header of the response, in milliseconds, or `NaN` without that header. */
  readonly date: number
  /** Whether the response is 503 with `Retry-After`. */
  readonly asksToRetry: boolean
  /** What was thrown by `post`, or while the body was read. */
  readonly error?: unknown
}

const NO_RESPONSE: CheckedResponse = { status: 0, text: '', date: Number.NaN, asksToRetry: false }

interface Checked {
  readonly result: EndpointResult
  /** What `post` threw. */
  readonly error?: unknown
}

interface Opened extends Checked {
  /** When the first response arrived, as a value of `performance.now()`. */
  readonly time: number
  readonly valid: CheckedResponse
  /** The response to a forged request, if the endpoint rejected that request. */
  readonly rejection: CheckedResponse | undefined
  /** Whether the endpoint accepted the forged request. */
  readonly isForgedAccepted: boolean
  /** How far the clock of the endpoint is ahead, in seconds. */
  readonly drift: number
}

/** One run of the contract. The run sends a valid request and a forged request once, and all cases use the responses to these two. */
class Run {
  readonly sender: Sender
  #opened: Promise<Opened> | undefined

  constructor(readonly settings: Settings) {
    const { scheme, secret, clock, instances, event } = settings
    this.sender = new Sender(SCHEMES[scheme], secret, clock, instances, event)
  }

  #row(code: EndpointCaseCode): Row {
    return ROWS[this.settings.scheme][code]
  }

  async check(code: EndpointCaseCode): Promise<Checked> {
    this.#opened ??= this.#open()
    const opened = await this.#opened
    if (code === FIRST || !opened.result.ok) return opened
    const row = this.#row(code)
    const missingDelay = (row.delay ?? 0) - (performance.now() - opened.time)
    if (missingDelay > 0) await new Promise((resolve) => setTimeout(resolve, missingDelay))
    const steps = row.steps(this.sender)
    if (row.isOnce) {
      const responses = await Promise.all(steps.map((step) => this.#send(step, steps.length)))
      await this.#repeatUnanswered(steps, responses)
      return this.#judgeCopies(row, responses)
    }
    const responses: CheckedResponse[] = []
    const expected = expectedOf(row, steps)
    for (const step of steps) {
      const response = await this.#send(step)
      responses.push(response)
      if (response.isLeaky && !isAccepted(response.status)) {
        return failed(responses, 'leaks-signature', adviceFor('leaks-signature'))
      }
      const fault = faultOf(step, response)
      if (fault !== undefined) {
        return failed(responses, fault, this.#explain(code, step, expected, fault, response, opened))
      }
    }
    return passed(responses)
  }

  /** Sends the first valid request. If the endpoint accepts this request, also sends a forged request. Resolves to both responses. */
  async #open(): Promise<Opened> {
    const row = this.#row(FIRST)
    const request = this.sender.sign()
    this.sender.opening = request
    const step: Step = { request, expected: 'accepted' }
    const valid = await this.#send(step)
    const time = performance.now()
    this.sender.acceptedOthers = 0
    const fault = faultOf(step, valid)
    const drift = Math.round((valid.date - this.settings.clock.now()) / 1000) || 0
    if (fault !== undefined) {
      const advice =
        fault === 'server-error' ? FAILS_ON_VALID : (ADVICE[fault] ?? (await this.#explainRefusal(row, valid, drift)))
      return { ...failed([valid], fault, advice), valid, rejection: undefined, isForgedAccepted: false, drift, time }
    }
    const forged: Step = { request: this.sender.sign({ key: otherKey() }), expected: 'rejected' }
    const rejection = await this.#send(forged)
    const forgedFault = faultOf(forged, rejection)
    const result = { ok: true, statuses: [valid.status] } as const
    const isForgedAccepted = forgedFault === 'accepted'
    const rejected = forgedFault === undefined ? rejection : undefined
    return { result, valid, rejection: rejected, isForgedAccepted, drift, time }
  }

  async #send({ request, expected, instance = 0 }: Step, together = 1): Promise<CheckedResponse> {
    const { post, timeout } = this.settings
    const headers = request.headers.map(([name, value]): [string, string] => [name, value])
    const exchange = async (): Promise<[response: EndpointResponse, text: unknown]> => {
      const response = await post(headers, new Uint8Array(request.body), { instance, together })
      const { text, body } = Object(response) as EndpointResponse
      return [response, typeof text === 'function' ? await text.call(response) : (text ?? body)]
    }
    let exchanged: Awaited<ReturnType<typeof exchange>> | 'hangs'
    try {
      exchanged = await resultWithin(timeout, exchange)
    } catch (error) {
      return { ...NO_RESPONSE, error }
    }
    if (exchanged === 'hangs') return NO_RESPONSE
    const [response, text] = exchanged
    const { status, statusCode = status, statusText, headers: received } = Object(response) as EndpointResponse
    if (typeof statusCode !== 'number') {
      throw invalidType(`post returned ${kindOf(response)} without a status. Return a Response, or { status, text }.`)
    }
    if (expected === 'accepted' && isAccepted(statusCode)) this.sender.acceptedOthers++
    return {
      status: statusCode,
      text: typeof text === 'string' ? text : '',
      isLeaky: leaksSignature(this.sender, request, [statusText, ...entriesOf(received), text].join('\n')),
      date: Date.parse(headerOf(received, 'date')),
      asksToRetry: statusCode === 503 && /^\d+$/.test(headerOf(received, 'retry-after')),
    }
  }

  /** Sends each unanswered copy again, alone, because a short queue drops connections. Stops if the endpoint still gives no response. */
  async #repeatUnanswered(steps: readonly Step[], responses: CheckedResponse[]): Promise<void> {
    const unanswered = [...responses.keys()].filter((index) => responses[index]?.status === 0)
    if (unanswered.length === responses.length) return
    let attempts = 0
    for (const index of unanswered) {
      while (responses[index]?.status === 0) {
        if (++attempts > unanswered.length + 3) return
        responses[index] = await this.#send(steps[index] as Step)
      }
    }
  }

  /** Returns whether exactly one copy was accepted. */
  #judgeCopies(row: Row, responses: readonly CheckedResponse[]): Checked {
    const positive = responses.filter(({ status }) => isAccepted(status))
    const accepted = positive.filter((response) => !saysRejected(response)).length
    if (positive.length > 1 && accepted === 1)
      return failed(responses, 'rejected-with-2xx', adviceFor('rejected-with-2xx'))
    if (accepted > 1) {
      return failed(responses, 'accepted', {
        ...row,
        cause: `${accepted} of ${responses.length} were accepted. ${row.cause}`,
      })
    }
    // The endpoint may still fail while it handles the first copy. So 503 with Retry-After is a correct response to the other copies.
    const faults = responses
      .filter(({ asksToRetry }) => accepted === 0 || !asksToRetry)
      .map((response) => faultOf({ expected: isAccepted(response.status) ? 'accepted' : 'rejected' }, response))
      .filter((fault) => fault !== undefined)
    const [fault = accepted === 0 ? 'none-accepted' : undefined] = faults
    if (fault !== undefined) return failed(responses, fault, adviceFor(fault))
    return passed(responses)
  }

  /** Returns the probable cause of a wrong response, and the fix. */
  #explain(
    code: EndpointCaseCode,
    step: Step,
    expected: EndpointCase['expected'],
    fault: EndpointFault,
    response: CheckedResponse,
    opened: Opened,
  ) {
    const row = this.#row(code)
    const { valid, rejection, isForgedAccepted, drift } = opened
    if (fault === 'no-answer' && isForgedAccepted) return adviceFor('answers-early')
    if (fault === 'accepted' && saysRejected(response) && !saysRejected(valid)) return adviceFor('rejected-with-2xx')
    if (fault === 'refused' && step.expected !== expected) return { fault, ...NOT_ACCEPTED_BEFORE }
    const isOfBody = row.needsItsBody === true || code === 'accepted-json-unusual' || code === 'accepted-line-ends'
    if (fault === 'refused' && isOfBody && rejection !== undefined && rejection.status !== response.status) {
      const { cause, fix } = ADVICE['refused-otherwise'] as Advice
      return { fault: 'refused-otherwise' as const, cause: `${row.cause} ${cause}`, fix }
    }
    if (WINDOW_EDGE_CASES.test(code) && Math.abs(drift) > 5) return { fault, ...describeDrift(drift) }
    const ofRow =
      step.expected === 'answered' ? row : (row.onError ?? (step.expected === 'accepted' ? FAILS_ON_VALID : undefined))
    // With `inflate: false`, raw() of Express answers 415 to a compressed body of every type.
    const isOfEncoding = fault === 'content-type' && code === 'accepted-compressed'
    const special = fault === 'server-error' ? ofRow : isOfEncoding ? row : undefined
    const advice = special ?? ADVICE[fault] ?? step.advice ?? row
    const what = step.what === undefined ? '' : `Sent: ${step.what}. `
    return { fault, cause: what + advice.cause, fix: advice.fix }
  }

  /** Returns the advice if the endpoint refuses a valid request: the URL, a clock or the expected signature may be wrong. */
  async #explainRefusal(row: Row, { status }: CheckedResponse, drift: number): Promise<Advice> {
    if (status === 404 || status === 405 || status === 410) {
      const cause = `The response is ${status}, so no handler for POST is at this URL, or the handler finds no webhook there.`
      return {
        cause,
        fix: 'Pass the whole URL of a webhook. To hide which webhooks exist, respond to an unknown webhook with 401.',
      }
    }
    if (Math.abs(drift) > WINDOW_SECONDS) return describeDrift(drift)
    for (const { request, cause, fix } of REFUSALS[
      this.settings.scheme === 'x-signature' ? 'x-signature' : 'standard-webhooks'
    ]) {
      const changed = request(this.sender)
      if (changed === undefined) continue
      const response = await this.#send({ request: changed, expected: 'ignored' })
      if (isAccepted(response.status)) return { cause, fix }
    }
    return row
  }
}

/** Returns the advice for a fault that has the same advice in every case. */
function adviceFor(fault: EndpointFault) {
  return { fault, ...(ADVICE[fault] as Advice) }
}

const NOT_ACCEPTED_BEFORE: Advice = {
  cause: 'The endpoint refuses a valid request in this case, so the mistake was not tested.',
  fix: 'First fix the cases that send valid requests. Then run this case again.',
}

/** The cases with a timestamp close to an end of the window. These cases fail if the endpoint's clock is wrong. */
const WINDOW_EDGE_CASES = /^(accepted|timestamp)-(old|ahead)$/

function describeDrift(drift: number): Advice {
  return {
    cause: `The clock of the endpoint is ${Math.abs(drift)} s ${drift > 0 ? 'ahead of' : 'behind'} this machine, as the Date header of the response shows.`,
    fix: 'Synchronise both clocks with NTP.',
  }
}

function isAccepted(status: number): boolean {
  return status >= 200 && status <= 299
}

const FAULT_BY_STATUS: { readonly [status: number]: EndpointFault } = { 413: 'too-large', 415: 'content-type' }

/** Returns how a response is wrong, or `undefined` if the response is right. */
function faultOf({ expected }: Pick<Step, 'expected'>, { status }: CheckedResponse): EndpointFault | undefined {
  if (expected === 'ignored') return undefined
  if (status < 200) return 'no-answer'
  if (status >= 502 && status <= 504) return 'unavailable'
  if (status >= 500) return 'server-error'
  if (expected === 'answered') return undefined
  if (status === 429) return 'too-many'
  if (status >= 300 && status <= 399) return 'redirected'
  if (isAccepted(status)) return expected === 'rejected' ? 'accepted' : undefined
  return expected === 'rejected' ? undefined : (FAULT_BY_STATUS[status] ?? 'refused')
}

/** Returns whether the text of a response reports an error. */
function saysRejected({ text }: CheckedResponse): boolean {
  return /error|invalid|bad|wrong|reject|denied|forbidden|unauthori[sz]ed|fail|mismatch|expired|missing|signature|nonce/i.test(
    text,
  )
}

/** Returns the headers as a list, from Fetch `Headers`, a `Map`, a record or pairs. */
function entriesOf(headers: unknown): unknown[] {
  return Symbol.iterator in Object(headers) ? [...(headers as Iterable<unknown>)] : Object.entries(Object(headers))
}

/** Returns the value of a header as text, from Fetch `Headers` or from a record. */
function headerOf(headers: unknown, name: string): string {
  const { get, [name]: value } = Object(headers)
  return String(typeof get === 'function' ? get.call(headers, name) : value)
}

function statusesOf(responses: readonly CheckedResponse[]): number[] {
  return responses.map(({ status }) => status)
}

function passed(responses: readonly CheckedResponse[]): Checked {
  return { result: { ok: true, statuses: statusesOf(responses) } }
}

function failed(
  responses: readonly CheckedResponse[],
  fault: EndpointFault,
  advice: Advice & { fault?: EndpointFault },
): Checked {
  const { cause, fix } = advice
  const result = { ok: false, statuses: statusesOf(responses), fault: advice.fault ?? fault, cause, fix } as const
  return { result, error: responses.find(({ error }) => error !== undefined)?.error }
}

function throwIfWrong(row: Row, { result, error }: Checked): void {
  if (result.ok) return
  const { statuses, cause, fix } = result
  const came = statuses.map((status) => (status === 0 ? 'no response' : status)).join(', ')
  throw new Error(
    `Sent: ${row.sent}. Came: ${came}. ${cause} ${fix}`,
    error === undefined ? undefined : { cause: error },
  )
}
