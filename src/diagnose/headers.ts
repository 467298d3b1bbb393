import type { HeaderName, HeadersInput } from '../headers.js'
import type { WebhookRequest } from '../verify.js'
import type { Finding } from './finding.js'

export type Pair = readonly [name: string, value: string]

/** Where a header's value stands if not under its own name: the names that other products give it, in lowercase. */
const OTHER_NAMES: { readonly [name in HeaderName]: RegExp } = {
  'x-timestamp':
    /^(?!.*(nonce|signature)).*(timestamp|time-?stamp|request-time|sent-at|signed-at)|^(x-)?(ts|time|date)$/,
  'x-nonce':
    /nonce|^(x-)?(webhook|request|delivery|message|event|svix|idempotency|correlation)-?(id|key|uuid)$|(delivery|webhook|svix|message)-id$/,
  'x-signature': /signature|hmac|^(x-)?(sig|sign|signed|digest)$|-sig$|-sign$/,
}

/** The names that are asked for where headers can only be asked, not listed. */
const KNOWN_NAMES = [
  ...['timestamp', 'nonce', 'signature'].flatMap((name) => [
    `x-${name}`,
    name,
    `x-webhook-${name}`,
    `webhook-${name}`,
    `x-request-${name}`,
    `x_${name}`,
    `x${name}`,
  ]),
  'x-hub-signature-256',
  'x-hub-signature',
  'stripe-signature',
  'webhook-id',
  'x-request-id',
  'x-github-delivery',
  'x-slack-signature',
  'x-slack-request-timestamp',
  'x-shopify-hmac-sha256',
  'svix-id',
  'svix-timestamp',
  'svix-signature',
  'authorization',
  'date',
  'host',
  'content-type',
  'content-length',
  'content-encoding',
]

/** Every header with its values, names in lowercase; several of one name stay several. What is no text is left out. */
export function headerPairs(headers: HeadersInput): Pair[] {
  const pairs: Pair[] = []
  const add = (name: unknown, value: unknown) => {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof name === 'string' && typeof one === 'string') pairs.push([name.toLowerCase(), one])
    }
  }
  if (Symbol.iterator in headers) for (const [name, value] of headers) add(name, value)
  else if (typeof headers.get === 'function') for (const name of KNOWN_NAMES) add(name, headers.get(name))
  else for (const [name, value] of Object.entries(headers)) add(name, value)
  return pairs
}

/** The request with headers that can be read more than once, as an iterator cannot. */
export function listed(request: WebhookRequest): WebhookRequest {
  const headers: unknown = request.headers
  const isIterator = typeof headers === 'object' && headers !== null && 'next' in headers && Symbol.iterator in headers
  if (!isIterator) return request
  const { webhookId, body } = request
  return { webhookId, body, headers: [...(headers as Iterable<readonly [string, string]>)] }
}

/** The three headers as they were meant: where one is absent, what stands under another name. */
export interface Meant {
  readonly timestamp: string | undefined
  readonly nonce: string | undefined
  readonly signature: string | undefined
}

const ALL = ['x-timestamp', 'x-nonce', 'x-signature'] as const

/** A header's own name, as the field that holds its value. */
const field = (name: HeaderName) => name.slice(2) as keyof Meant

export function meantHeaders(headers: Meant, pairs: readonly Pair[]): Meant {
  const value = (name: HeaderName) => headers[field(name)] ?? underAnotherName(headers, pairs, name)?.[1]
  const signature = value('x-signature')
  // Stripe and others put the time into the header of the signature: t=1700000000,v1=…
  const inside =
    signature === undefined ? undefined : /(?:^|[,; ])t=(\d{1,20})(?=$|[,; ])/.exec(signature.slice(0, 2048))?.[1]
  return { timestamp: value('x-timestamp') ?? inside, nonce: value('x-nonce'), signature }
}

/** The header that stands in for one that is absent. */
function underAnotherName(headers: Meant, pairs: readonly Pair[], name: HeaderName): Pair | undefined {
  const plain = (one: string) =>
    one
      .trim()
      .replace(/^http[_-]/, '')
      .replaceAll('_', '-')
  // What has its own name is not also the other name of something.
  const others = pairs.filter(
    ([other]) => other.length <= 128 && !ALL.some((own) => own === other && headers[field(own)] !== undefined),
  )
  const candidates = others.filter(([other]) => plain(other) === name || OTHER_NAMES[name].test(plain(other)))
  // The most specific first: a SHA-256 signature rather than the SHA-1 beside it, a nonce rather than an identifier.
  const word = name.slice(2)
  return (
    candidates.find(([other]) => plain(other) === name) ??
    candidates.find(([other]) => other.includes('256')) ??
    candidates.find(([other]) => other.includes(word)) ??
    candidates[0]
  )
}

/** Which headers are absent, under another name, or there more than once. */
export function headerFindings(headers: Meant, pairs: readonly Pair[]): Finding[] {
  const absent = ALL.filter((name) => headers[field(name)] === undefined)
  const renamed = absent.flatMap((name) => {
    const pair = underAnotherName(headers, pairs, name)
    return pair === undefined ? [] : [[name, pair[0]] as const]
  })
  const missing = absent.filter((name) => !renamed.some(([own]) => own === name))
  const findings: Finding[] = []
  if (renamed.length > 0) {
    findings.push({
      code: 'header_name',
      message: `${renamed.map(([name, other]) => `${SPELT[name]} is missing, but there is ${quoted(other)}`).join('; ')}.`,
      fix: `On the sender's side: name the headers X-Timestamp, X-Nonce and X-Signature. On the receiver's side, if the sender cannot be changed: pass their values under these names. If a proxy drops names with an underscore, let it pass them.`,
      evidence: `Headers: ${names(pairs)}`,
    })
  }
  if (missing.length > 0) {
    findings.push({
      code: 'header_missing',
      message: `${missing.map((name) => SPELT[name]).join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      fix: `On the sender's side: send X-Timestamp, X-Nonce and X-Signature with every request. On the receiver's side, if they were sent: see that a proxy or gateway passes them on, and that redirects keep them.`,
      evidence: `Headers: ${names(pairs)}`,
    })
  }
  for (const name of ALL) {
    const values = headers[field(name)]?.split(', ') ?? []
    const lines = pairs.filter(([other]) => other === name)
    if (lines.length < 2 && (values.length < 2 || values.some((value) => value.length !== values[0]?.length))) continue
    const distinct = new Set(lines.length < 2 ? values : lines.map(([, value]) => value)).size
    findings.push({
      code: 'header_repeated',
      message: `${SPELT[name]} arrived ${Math.max(lines.length, values.length)} times, with ${distinct === 1 ? 'the same value' : 'different values'}.`,
      fix: `On the sender's side: set it once (headers.set, not append; curl: one -H). If a proxy adds it too, let it not.`,
      evidence: `${SPELT[name]}: ${quoted(String(headers[field(name)]))}`,
    })
  }
  return findings
}

const SPELT = { 'x-timestamp': 'X-Timestamp', 'x-nonce': 'X-Nonce', 'x-signature': 'X-Signature' } as const

function names(pairs: readonly Pair[]): string {
  const all = [...new Set(pairs.map(([name]) => name))]
  return all.length === 0 ? 'none' : quoted(all.slice(0, 40).join(' ')).slice(1, -1)
}

/** A value for people, between quotes, with what is not visible spelt, and shortened. */
export function quoted(value: string): string {
  const short = value.length > 160 ? `${value.slice(0, 160)}…` : value
  const spelt = JSON.stringify(short).replace(
    /[^ -~…]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return value.length > 160 ? `${spelt} (${value.length} characters)` : spelt
}
