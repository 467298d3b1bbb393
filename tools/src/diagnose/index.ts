import { invalidType, kindOf } from '../../../src/arguments.js'
import { assertClock, type Clock, timeOf } from '../../../src/clock.js'
import { readRequest, readSecrets, type Secret, type WebhookRequest } from '../../../src/request.js'
import { type Body, bytesOf } from '../../../src/rules/body.js'
import { readHeaders } from '../../../src/rules/headers.js'
import type { StandardSecret } from '../../../src/standard-webhooks/secret.js'
import { splitSecret } from '../../../src/standard-webhooks/secret-text.js'
import { base64 } from '../bytes.js'
import { type Header, listHeaders, withoutIterator } from '../capture/headers.js'
import { inTurns, NODE_PRIMITIVES } from '../node-primitives.js'
import { schemeOf } from '../schemes.js'
import { diagnoseInSteps, type RequestToDiagnose } from './engine.js'
import type { Diagnosis } from './finding.js'

export { captureRequest } from '../capture/capture-request.js'
export { type Diagnosis, type Finding, type FindingCode, LANGUAGES, type Language, type Side } from './finding.js'

/** A request as for `verify`, which can also have its method and its path. */
export interface RequestToExplain extends WebhookRequest {
  /** The HTTP method, `POST` for example. */
  method?: string | undefined
  /** The path with its query, or the whole URL. */
  path?: string | undefined
}

/**
 * Returns why a request does not verify: which rules the request breaks, and what the sender signed instead.
 *
 * This function is for the owner of the secret. **Never show findings to a sender**, because findings say more than a rejection should.
 * `diagnose` also takes much longer than `verify`.
 *
 * If a finding says what the sender signed, `diagnose` has confirmed it: the same computation produces the received signature. Findings
 * never contain the secret.
 *
 * The search ends after at most 15 000 hashes, and after about a second. Other work of the process runs during the search. A body of up to
 * 1 MB delays this work by at most about 100 ms at a time. If the search ends early, the finding `signature_mismatch` says what was not
 * tried.
 *
 * @param request - the webhook's ID, the headers and the raw body, as for `verify`. Pass `method` and `path` too if you know them: a GET has
 *   no body, and a URL may contain the secret.
 * @param secret - the webhook's signing secret, or a list of secrets. For Standard Webhooks, bytes are the key itself.
 * @param clock - the time at which the request arrived. In a handler, pass `Date`. Without a clock, the time is unknown, so no
 *   finding says that a clock is wrong.
 * @param original - the body before the client changed it, if you know it. For example, `curl -d @file` removes the line breaks of a file.
 * @throws `TypeError` with `code` `ERR_INVALID_ARGUMENT` for a mistake of the caller. Examples: a parsed body, an empty secret, or
 *   a clock that does not return a finite number.
 * @see `verify` for the rules
 *
 * @example
 * ```ts
 * import { createHmac } from 'node:crypto'
 * import { diagnose } from 'inbound-webhook-tools'
 *
 * const [secret, timestamp, nonce] = ['a secret', '1700000000', 'abc']
 * const signature = createHmac('sha256', secret).update(`${timestamp}.${nonce}.a body`).digest('base64')
 * const headers = { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
 * const clock = { now: () => 1_700_000_000_000 }
 *
 * const { findings } = await diagnose({ webhookId: '42', headers, body: 'a body' }, secret, clock)
 *
 * console.log(findings.map(({ code }) => code).join(', ')) // message_layout, signature_format
 * ```
 */
export async function diagnose(
  request: RequestToExplain,
  secret: StandardSecret,
  clock?: Clock,
  original?: Body,
): Promise<Diagnosis> {
  return inTurns(diagnoseInSteps(NODE_PRIMITIVES, readArguments(request, secret, clock, original)))
}

export function readArguments(...given: Parameters<typeof diagnose>): RequestToDiagnose {
  const [request, secret, clock, original] = given
  const listed = withListedHeaders(request)
  const { headers, body } = readRequest(listed)
  const lines = listHeaders(headers)
  if (body === undefined) {
    throw invalidType(`request.body is ${kindOf(listed.body)}. Pass the bytes as received, as to verify.`)
  }
  const sent = original === undefined ? undefined : bytesOf(original, 'original')
  if (original !== undefined && sent === undefined) {
    throw invalidType(`original is ${kindOf(original)}. Pass the bytes of the file that was sent.`)
  }
  const scheme = schemeOf(lines)
  const texts = scheme.isStandard && typeof secret === 'object' ? [secret].flat().map(textOf) : secret
  const secrets = readSecrets(texts as Secret).flatMap(splitSecret)
  if (clock !== undefined) assertClock(clock)
  return {
    ...readHeaders(headers, [scheme.headers]),
    headers: [...targetOf(request), ...lines],
    body,
    original: sent,
    secrets,
    now: timeOf(clock ?? Date),
    isArrivalKnown: clock !== undefined,
  }
}

const textOf = (key: string | Uint8Array) => (ArrayBuffer.isView(key) ? `whsec_${base64(key)}` : key)

/** Returns the method and the path as the pseudo-headers of HTTP/2. */
function targetOf({ method, path }: RequestToExplain): Header[] {
  const target: Header[] = typeof method === 'string' ? [[':method', method]] : []
  // Some frameworks have a URL object in place of the text.
  return path === undefined ? target : [...target, [':path', String(path).replace(/^https?:\/\/[^/]*/i, '')]]
}

function withListedHeaders(request: WebhookRequest): WebhookRequest {
  const headers = withoutIterator(request?.headers)
  return headers === request?.headers ? request : { ...request, headers }
}
