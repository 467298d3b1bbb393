import type { WebhookRequest } from '../request.js'
import type { HeaderName, HeadersInput } from '../rules/headers.js'
import { isNonce } from '../rules/nonce.js'
import { isSignature } from '../rules/signature.js'
import { isTimestamp } from '../rules/timestamp.js'
import type { Finding } from './finding.js'
import { instantOf, NEAR } from './instant.js'
import { nearest } from './nearest.js'
import { joinWords } from './text.js'

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
  'transfer-encoding',
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
  const headers: unknown = request?.headers
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
  /** The header that carries X-Nonce's value while X-Nonce carries its own; the values stand here as they were meant. */
  readonly swappedWithNonce?: 'timestamp' | 'signature'
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const ALL = ['x-timestamp', 'x-nonce', 'x-signature'] as const

/** A header's own name, as the field that holds its value. */
const field = (name: HeaderName) => name.slice(2) as 'timestamp' | 'nonce' | 'signature'

/**
 * What the three headers may mean, the likeliest first: a value may stand under another name; of a header that arrived several
 * times, the first value or the last may be meant; and X-Timestamp and X-Nonce may be swapped.
 */
export function meantHeaders(headers: Meant, pairs: readonly Pair[]): readonly [Meant, ...Meant[]] {
  const value = (name: HeaderName) => headers[field(name)] ?? underAnotherName(headers, pairs, name)?.[1]
  const signature = value('x-signature')
  // Stripe and others put the time into the header of the signature: t=1700000000,v1=…
  const inside =
    signature === undefined ? undefined : /(?:^|[,; ])t=(\d{1,20})(?=$|[,; ])/.exec(signature.slice(0, 2048))?.[1]
  const ends = (name: HeaderName, otherwise: string | undefined) => {
    const values = repeatedValues(headers, pairs, name)
    return values === undefined ? [otherwise] : [...new Set([values[0], values.at(-1)])]
  }
  const timestamps = ends('x-timestamp', value('x-timestamp') ?? inside)
  const nonces = ends('x-nonce', value('x-nonce'))
  const several = ends('x-signature', signature)
  // Where no signature of several is right, one of them may yet be right in another form.
  const signatures = several.length === 1 ? several : [signature, ...several]
  const likeliest: Meant = { timestamp: timestamps[0], nonce: nonces[0], signature: signatures[0] }
  const others = signatures.flatMap((one) =>
    timestamps.flatMap((timestamp) => nonces.map((nonce): Meant => ({ timestamp, nonce, signature: one }))),
  )
  const swaps = [swapped(likeliest), signatureSwapped(likeliest)].filter((one) => one !== undefined)
  return [likeliest, ...others.slice(1), ...swaps.filter(isWellFormed)]
}

/** The same headers with the values of X-Timestamp and X-Nonce in each other's place. */
function swapped({ timestamp, nonce, signature }: Meant): Meant {
  return { timestamp: nonce, nonce: timestamp, signature, swappedWithNonce: 'timestamp' }
}

/** The same headers with the values of X-Nonce and X-Signature in each other's place, where X-Nonce holds a digest. */
function signatureSwapped({ timestamp, nonce, signature }: Meant): Meant | undefined {
  if (nonce === undefined || !isSignature(nonce)) return undefined
  return { timestamp, nonce: signature, signature: nonce, swappedWithNonce: 'signature' }
}

/** What the headers were meant for, for all that can be seen. */
export function unswapped(meant: Meant, now: number): Meant {
  if (looksSwapped(meant, now)) return swapped(meant)
  // A nonce may look like a digest, but a signature never looks like a UUID.
  return (UUID.test(String(meant.signature)) ? signatureSwapped(meant) : undefined) ?? meant
}

/** Whether X-Timestamp and X-Nonce carry each other's values for all that can be seen: a nonce here, the time there. */
function looksSwapped({ timestamp, nonce, signature }: Meant, now: number): boolean {
  if (timestamp === undefined || instantOf(timestamp, now) !== undefined) return false
  return isWellFormed({ timestamp: nonce, nonce: timestamp, signature }) && Math.abs(Number(nonce) * 1000 - now) < NEAR
}

function isWellFormed({ timestamp, nonce }: Meant): boolean {
  return timestamp !== undefined && nonce !== undefined && isTimestamp(timestamp) && isNonce(nonce)
}

/** The values of a header that arrived several times, as lines of their own or joined as Node joins them. */
function repeatedValues(headers: Meant, pairs: readonly Pair[], name: HeaderName): readonly string[] | undefined {
  const lines = pairs.filter(([other]) => other === name).map(([, value]) => value)
  if (lines.length > 1) return lines
  const joined = headers[field(name)]?.split(', ') ?? []
  return joined.length > 1 && joined.every(({ length }) => length === joined[0]?.length) ? joined : undefined
}

/** A digest in the place of a token or of credentials, whole and alone; others' tokens are seldom 64 hex digits. */
const BEARS_DIGEST = /^([\w-]{1,40}[ =])?[0-9a-f]{64}$/i

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
  const word = name.slice(2)
  const isMisspelt = (other: string) =>
    nearest(plain(other).replace(/^.*-/, ''), [word], word.length >> 2) !== undefined
  const candidates = others.filter(
    ([other]) => plain(other) === name || OTHER_NAMES[name].test(plain(other)) || isMisspelt(other),
  )
  // The most specific first: a SHA-256 signature rather than the SHA-1 beside it, a nonce rather than an identifier.
  return (
    candidates.find(([other]) => plain(other) === name) ??
    candidates.find(([other]) => other.includes('256')) ??
    candidates.find(([other]) => other.includes(word) || isMisspelt(other)) ??
    candidates[0] ??
    (name === 'x-signature'
      ? others.find(([other, value]) => other === 'authorization' && BEARS_DIGEST.test(value))
      : undefined)
  )
}

/**
 * Which headers are absent, under another name, there more than once, or swapped.
 *
 * @param meant - what they were taken for.
 * @param signed - how they are if the signature is right.
 * @param isExplained - whether it is wrong in a known way, the headers being taken for what they mean.
 */
export function headerFindings(
  headers: Meant,
  pairs: readonly Pair[],
  meant: Meant,
  signed: Meant | undefined,
  isExplained: boolean,
): Finding[] {
  const absent = ALL.filter((name) => headers[field(name)] === undefined)
  const renamed = absent.flatMap((name) => {
    const pair = underAnotherName(headers, pairs, name)
    return pair === undefined ? [] : [[name, pair[0]] as const]
  })
  const missing = absent.filter((name) => !renamed.some(([own]) => own === name))
  const findings: Finding[] = []
  if (renamed.length > 0) {
    const underscore = renamed.some(([, other]) => other.includes('_'))
      ? ' If a proxy drops or renames headers with an underscore in their names, send them with dashes.'
      : ''
    findings.push({
      code: 'header_name',
      message: `${renamed.map(([name, other]) => `${SPELT[name]} is missing, but there is ${quoted(other)}`).join('; ')}.`,
      fix: `On the sender's side: name the ${renamed.length === 1 ? 'header' : 'headers'} ${spelt(renamed.map(([name]) => name))}.${underscore} On the receiver's side, if the sender cannot be changed: pass ${renamed.length === 1 ? 'its value under this name' : 'their values under these names'}.`,
      evidence: `Headers: ${names(pairs)}`,
    })
  }
  if (missing.length > 0) {
    const without =
      signed !== undefined || isExplained
        ? ''
        : missing.includes('x-signature')
          ? ': there is no signature to check'
          : `: without ${missing.length === 1 ? 'it' : 'them'} the signature cannot be checked`
    const copied =
      pairs.length === 0 ? ' Pass the headers themselves: a copy of Fetch Headers, { ...headers }, is empty.' : ''
    findings.push({
      code: 'header_missing',
      message: `${spelt(missing)} ${missing.length === 1 ? 'is' : 'are'} missing${without}.`,
      fix: `On the sender's side: send X-Timestamp, X-Nonce and X-Signature with every request. On the receiver's side, if they were sent: see that a proxy or gateway passes them on, and that redirects keep them.${copied}`,
      evidence: `Headers: ${names(pairs)}`,
    })
  }
  for (const name of ALL) {
    const values = repeatedValues(headers, pairs, name)
    if (values === undefined) continue
    const isSame = new Set(values).size === 1
    const right =
      signed === undefined || isSame ? '' : `\nThe signature is right with ${quoted(String(signed[field(name)]))}`
    findings.push({
      code: 'header_repeated',
      message: `${SPELT[name]} arrived ${values.length === 2 ? 'twice' : `${values.length} times`}, with ${isSame ? 'the same value' : 'different values'}.`,
      fix: `On the sender's side: set it once (headers.set, not append; curl: one -H). If a proxy adds it as well, take it out there.`,
      evidence: `${SPELT[name]}: ${quoted(String(headers[field(name)]))}${right}`,
    })
  }
  if (meant.swappedWithNonce !== undefined) {
    const other = meant.swappedWithNonce
    const name = `x-${other}` as const
    const proof = signed?.swappedWithNonce ? '\nProved: with each value in its place, the signature is right.' : ''
    findings.push({
      code: 'header_swapped',
      message: `${SPELT[name]} and X-Nonce carry each other's values.`,
      fix: `On the sender's side: send the ${other === 'timestamp' ? 'time' : 'signature'} as ${SPELT[name]} and the nonce as X-Nonce, and sign timestamp, ':', nonce, ':' and the body in this order.`,
      evidence: `${SPELT[name]}: ${quoted(String(headers[other]))}\nX-Nonce: ${quoted(String(headers.nonce))}${proof}`,
    })
  }
  return findings
}

const spelt = (names: readonly HeaderName[]) =>
  joinWords(
    names.map((name) => SPELT[name]),
    'and',
  )

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
