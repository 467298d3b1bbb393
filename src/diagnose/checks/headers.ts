import type { HeaderName, HeadersInput, HeaderValues } from '../../rules/headers.js'
import { isNonce } from '../../rules/nonce.js'
import { isSignature } from '../../rules/signature-format.js'
import { isTimestamp } from '../../rules/timestamp.js'
import { type Draft, listNames, quote, spell } from '../text.js'
import { instantOf, NEAR } from './instant.js'

/** A header with one value, its name in lowercase. */
export type Pair = readonly [name: string, value: string]

const HEADER_NAMES = ['x-timestamp', 'x-nonce', 'x-signature'] as const
const FIELDS = { 'x-timestamp': 'timestamp', 'x-nonce': 'nonce', 'x-signature': 'signature' } as const

/** The names that other products give the three headers, and misspellings. */
const OTHER_NAMES: { readonly [name in HeaderName]: RegExp } = {
  'x-timestamp':
    /^(?!.*(nonce|signature)).*(tim(e|es)?-?(stamp|stmp|satmp|tamp)|request-time|sent-at|signed-at)|^(x-)?(ts|time|date)$/,
  'x-nonce':
    /nou?n?ce|^(x-)?(webhook|request|delivery|message|event|svix|idempotency|correlation)-?(id|key|uuid)$|(delivery|webhook|svix|message)-id$/,
  'x-signature': /sig(n|a)?(n|a)?[ae]?tur|sin?gn?atur|hmac|^(x-)?(sig|sign|signed|digest)$|-sig$|-sign$/,
}

/** The names to try if the headers cannot be listed. */
const ASKED_NAMES = ['', 'webhook-', 'request-', 'hub-', 'slack-']
  .flatMap((prefix) => ['timestamp', 'nonce', 'signature', 'id'].map((name) => `x-${prefix}${name}`))
  .concat(
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-hub-signature-256',
    'stripe-signature',
    'authorization',
  )
  .concat('date', 'host', 'content-length', 'content-encoding', 'transfer-encoding')

/** Every header, once per value. A value that is not text is left out. */
export function listHeaders(headers: HeadersInput): Pair[] {
  const pairs: Pair[] = []
  const add = (name: unknown, values: unknown) => {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (typeof name === 'string' && typeof value === 'string') pairs.push([name.toLowerCase(), value])
    }
  }
  if (Symbol.iterator in headers) for (const [name, value] of headers) add(name, value)
  else if (typeof headers.get === 'function') for (const name of ASKED_NAMES) add(name, headers.get(name))
  else for (const [name, value] of Object.entries(headers)) add(name, value)
  return pairs
}

/** The values that the sender probably meant for the three headers. */
export interface MeantHeaders extends HeaderValues {
  /** The header that carried the nonce's value while X-Nonce carried its value. */
  readonly swappedWithNonce?: 'x-timestamp' | 'x-signature'
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const isUuid = (text = '') => UUID.test(text)

/**
 * Returns the possible meanings of the three headers, the likeliest first. A value may be under another name. Of a repeated header, the first or the
 * last value may be meant. The values of two headers may be swapped.
 */
export function readMeantHeaders(
  headers: HeaderValues,
  pairs: readonly Pair[],
): readonly [MeantHeaders, ...MeantHeaders[]] {
  const meantValue = (name: HeaderName) => headers[FIELDS[name]] ?? findOtherName(pairs, name)?.[1]
  const valuesOf = (name: HeaderName, value: string | undefined) => {
    const repeated = repeatedValues(headers, pairs, name)
    return repeated === undefined ? [value] : [repeated[0], repeated.at(-1)]
  }
  const joined = meantValue('x-signature')
  const repeated = valuesOf('x-signature', joined)
  // The first signature that is a digest, or else the joined value: one of its parts may be right in another form.
  const signatures = repeated.length === 1 ? repeated : [joined, ...repeated]
  const timestamps = valuesOf('x-timestamp', meantValue('x-timestamp') ?? timestampInside(joined))
  const nonces = valuesOf('x-nonce', meantValue('x-nonce'))
  const all = signatures.flatMap((signature) =>
    timestamps.flatMap((timestamp) => nonces.map((nonce): MeantHeaders => ({ timestamp, nonce, signature }))),
  )
  const likeliest = all[0] as MeantHeaders
  const swaps = [swapWithTimestamp(likeliest), swapWithSignature(likeliest)].filter((one) => one !== undefined)
  return [likeliest, ...all.slice(1), ...swaps.filter(isWellFormed)]
}

/** Stripe and others put the time into the header of the signature: `t=1700000000,v1=…`. */
function timestampInside(signature = ''): string | undefined {
  return /(?:^|[,; ])t=(\d{1,20})(?=$|[,; ])/.exec(signature.slice(0, 2048))?.[1]
}

const swapWithTimestamp = ({ timestamp, nonce, signature }: MeantHeaders): MeantHeaders => ({
  timestamp: nonce,
  nonce: timestamp,
  signature,
  swappedWithNonce: 'x-timestamp',
})

function swapWithSignature({ timestamp, nonce, signature }: MeantHeaders): MeantHeaders | undefined {
  if (!isSignature(nonce ?? '')) return undefined
  return { timestamp, nonce: signature, signature: nonce, swappedWithNonce: 'x-signature' }
}

function isWellFormed({ timestamp = '', nonce = '' }: MeantHeaders): boolean {
  return isTimestamp(timestamp) && isNonce(nonce)
}

/** Swaps two headers back if their values show that they were swapped. */
export function unswapHeaders(meant: MeantHeaders, now: number): MeantHeaders {
  const { timestamp, nonce, signature } = meant
  const unswapped = swapWithTimestamp(meant)
  const holdsTime = Math.abs(Number(nonce) * 1000 - now) < NEAR
  if (timestamp !== undefined && instantOf(timestamp, now) === undefined && isWellFormed(unswapped) && holdsTime) {
    return unswapped
  }
  // A nonce may look like a signature, but a signature never looks like a UUID.
  return (isUuid(signature) ? swapWithSignature(meant) : undefined) ?? meant
}

/** Returns the values of a header that arrived several times, on separate lines or joined with `, ` as Node does. */
function repeatedValues(
  headers: HeaderValues,
  pairs: readonly Pair[],
  name: HeaderName,
): readonly string[] | undefined {
  const lines = pairs.filter(([other]) => other === name).map(([, value]) => value)
  if (lines.length > 1) return lines
  const joined = headers[FIELDS[name]]?.split(', ') ?? []
  return joined.length > 1 && joined.every(({ length }) => length === joined[0]?.length) ? joined : undefined
}

/** The header that has the value of `name` under another name. */
function findOtherName(pairs: readonly Pair[], name: HeaderName): Pair | undefined {
  const plain = (other: string) => other.replace(/^http[_-]/, '').replaceAll('_', '-')
  const others = pairs.filter(([other]) => other.length <= 128)
  const candidates = others.filter(([other]) => OTHER_NAMES[name].test(plain(other)))
  // It prefers the most specific header: a SHA-256 signature to a SHA-1 signature, and a nonce to a request ID.
  return (
    candidates.find(([other]) => plain(other) === name) ??
    candidates.find(([other]) => other.includes('256')) ??
    candidates.find(([other]) => other.includes(FIELDS[name])) ??
    candidates[0] ??
    (name === 'x-signature' ? others.find(isAuthorizationDigest) : undefined)
  )
}

/** A token in `Authorization` rarely has 64 hex digits, so this is probably the signature. */
const isAuthorizationDigest = ([name, value]: Pair) =>
  name === 'authorization' && /^([\w-]{1,40}[ =])?[0-9a-f]{64}$/i.test(value)

/**
 * Headers that are absent, under another name, repeated or swapped.
 *
 * @param meant - the values that the sender probably meant.
 * @param signed - the headers with which the signature is right.
 * @param isExplained - whether a known way of signing gives the signature.
 */
export function checkHeaders(
  headers: HeaderValues,
  pairs: readonly Pair[],
  meant: MeantHeaders,
  signed: MeantHeaders | undefined,
  isExplained: boolean,
): Draft[] {
  const absent = HEADER_NAMES.filter((name) => headers[FIELDS[name]] === undefined)
  const renamed = absent.flatMap((name) => {
    const pair = findOtherName(pairs, name)
    return pair === undefined ? [] : [[name, pair[0]] as const]
  })
  const missing = absent.filter((name) => !renamed.some(([own]) => own === name))
  // The capture's own reader made the pseudo-headers of the request line.
  const names = pairs.map(([name]) => name).filter((name) => !name.startsWith(':'))
  const received = [['Headers', listNames(names)] as const]
  const drafts: Draft[] = []
  if (renamed.length > 0) {
    drafts.push({
      code: 'header_name',
      kind: 'headerName',
      params: { renamed },
      fix: 'rename_headers',
      evidence: received,
    })
  }
  if (missing.length > 0) {
    const params = { missing, isChecked: signed !== undefined || isExplained }
    drafts.push({ code: 'header_missing', kind: 'headerMissing', params, fix: 'send_headers', evidence: received })
  }
  for (const name of HEADER_NAMES) {
    const values = repeatedValues(headers, pairs, name)
    if (values === undefined) continue
    const areEqual = new Set(values).size === 1
    const right = signed?.[FIELDS[name]]
    drafts.push({
      code: 'header_repeated',
      kind: 'headerRepeated',
      params: { name, count: values.length, areEqual },
      fix: 'send_header_once',
      evidence: [
        [spell(name), quote(String(headers[FIELDS[name]]))],
        ...(right === undefined || areEqual ? [] : [`The signature is right with ${quote(right)}`]),
      ],
    })
  }
  if (meant.swappedWithNonce !== undefined) {
    const name = meant.swappedWithNonce
    drafts.push({
      code: 'header_swapped',
      kind: 'headerSwapped',
      params: { name },
      fix: 'unswap_headers',
      evidence: [
        [spell(name), quote(String(headers[FIELDS[name]]))],
        ['X-Nonce', quote(String(headers.nonce))],
        ...(signed?.swappedWithNonce ? ['Proved: with each value in its place, the signature is right.'] : []),
      ],
    })
  }
  return drafts
}
