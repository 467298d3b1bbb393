import type { HeaderValues } from '../../../src/rules/formats.js'
import { isNonce } from '../../../src/rules/nonce.js'
import { isTimestamp } from '../../../src/rules/timestamp.js'
import { type Header, valuesOf } from '../capture/headers.js'
import { X_SIGNATURE } from '../schemes.js'
import { instantOf, NEAR } from './instant.js'

// This file finds the three values if a header has another name, was sent twice, or has the value of another header.

/** The three headers that authenticate a request, in lowercase. */
type HeaderName = 'x-timestamp' | 'x-nonce' | 'x-signature'

interface ReceivedHeader {
  readonly name: HeaderName
  /** The value as received. If the header arrived twice, the values are joined with `, `. */
  readonly value: string | undefined
  /** If the header arrived several times: the single values. */
  readonly repeated: readonly string[] | undefined
  /** If the header is absent: another header that probably has the value. */
  readonly renamed: Header | undefined
}

export type ReceivedHeaders = { readonly [field in keyof HeaderValues]: ReceivedHeader }

export interface IntendedHeaders extends HeaderValues {
  /** Whether X-Timestamp and X-Nonce are swapped. */
  readonly isSwapped?: true
}

const FIELDS = { 'x-timestamp': 'timestamp', 'x-nonce': 'nonce', 'x-signature': 'signature' } as const

export function findHeaders(values: HeaderValues, all: readonly Header[], scheme = X_SIGNATURE): ReceivedHeaders {
  // The search for other names knows the names of one scheme.
  const fields = Object.entries(scheme.headers)
  const headers = all.map(([name, value]): Header => {
    const field = fields.find(([, own]) => own === name)?.[0]
    return [field === undefined ? name : `x-${field}`, value]
  })
  const find = (name: HeaderName): ReceivedHeader => {
    const value = values[FIELDS[name]]
    const renamed = value === undefined ? findOtherName(headers, name) : undefined
    return { name, value, repeated: repeatedValues(value, headers, name), renamed }
  }
  return { timestamp: find('x-timestamp'), nonce: find('x-nonce'), signature: find('x-signature') }
}

/** Returns the values that the sender may have intended, the likeliest first. Of a repeated header, the first or the last value may be right. */
export function meaningsOf(received: ReceivedHeaders): readonly [IntendedHeaders, ...IntendedHeaders[]] {
  const { timestamp, nonce, signature } = received
  const intendedValue = ({ value, renamed }: ReceivedHeader) => value ?? renamed?.[1]
  const intendedSignature = intendedValue(signature)
  // If all three headers were sent twice, the three first values belong together, and so do the three last values.
  const pick = (place: 0 | -1): HeaderValues => ({
    timestamp: timestamp.repeated?.at(place) ?? intendedValue(timestamp) ?? timestampInside(intendedSignature),
    nonce: nonce.repeated?.at(place) ?? intendedValue(nonce),
    signature: signature.repeated?.at(place) ?? intendedSignature,
  })
  const isRepeated = [timestamp, nonce, signature].some(({ repeated }) => repeated !== undefined)
  // If X-Signature was sent twice, the joined value is kept, because the search finds a digest inside it.
  const likeliest = { ...pick(0), signature: intendedSignature }
  return [likeliest, ...(isRepeated ? [pick(0), pick(-1)] : []), ...[swap(likeliest)].filter(isWellFormed)]
}

/** Returns the time in a signature such as `t=1700000000,v1=…`. Stripe and others write the time there. */
function timestampInside(signature = ''): string | undefined {
  return /(?:^|[,; ])t=(\d{1,20})(?=$|[,; ])/.exec(signature.slice(0, 2048))?.[1]
}

function swap({ timestamp, nonce, signature }: IntendedHeaders): IntendedHeaders {
  return { timestamp: nonce, nonce: timestamp, signature, isSwapped: true }
}

function isWellFormed({ timestamp = '', nonce = '' }: IntendedHeaders): boolean {
  return isTimestamp(timestamp) && isNonce(nonce)
}

/** Returns `intended`, with timestamp and nonce swapped back if only the nonce is a time. */
export function unswapHeaders(intended: IntendedHeaders, now: number): IntendedHeaders {
  const { timestamp, nonce } = intended
  const swapped = swap(intended)
  const holdsTime = Math.abs(Number(nonce) * 1000 - now) < NEAR
  const isNoTime = timestamp !== undefined && instantOf(timestamp, now) === undefined
  return isNoTime && isWellFormed(swapped) && holdsTime ? swapped : intended
}

/** Returns `intended` without a nonce from a header such as `X-Request-Id`. A proxy may have added this header, so it is only a guess. */
export function withoutGuessedNonce(intended: IntendedHeaders, { nonce }: ReceivedHeaders): IntendedHeaders {
  const { renamed } = nonce
  if (renamed === undefined || hasWord(plain(renamed[0]), 'nonce')) return intended
  const { signature, isSwapped } = intended
  // A swap with the guess is undone.
  return { timestamp: isSwapped ? intended.nonce : intended.timestamp, nonce: undefined, signature }
}

function repeatedValues(value: string | undefined, headers: readonly Header[], name: HeaderName) {
  const lines = valuesOf(headers, name)
  if (lines.length > 1) return lines
  const joined = value?.split(', ') ?? []
  return joined.length > 1 && joined.every(({ length }) => length === joined[0]?.length) ? joined : undefined
}

/** Match the names that other products use for the three headers. */
const OTHER_NAMES: { readonly [name in HeaderName]: RegExp } = {
  'x-timestamp': /^(x-)?(ts|time|date)$|time-stamp|request-time|sent-at|signed-at/,
  'x-nonce':
    /^(x-)?(webhook|request|delivery|message|event|svix|idempotency|correlation)-?(id|key|uuid)$|(delivery|webhook|svix|message)-id$/,
  'x-signature': /hmac|^(x-)?(sig|sign|signed|digest)$|-sig$|-sign$/,
}

/** Returns whether a name contains a word. Two letters may be wrong, or one letter in a word of up to five letters. */
function hasWord(name: string, word: string): boolean {
  return name.split('-').some((part) => {
    let missing = word
    let extra = 0
    for (const letter of part) {
      if (!missing.includes(letter)) extra++
      missing = missing.replace(letter, '')
    }
    return extra + missing.length <= (word.length > 5 ? 2 : 1)
  })
}

const plain = (name: string) => name.replace(/^http[_-]/, '').replaceAll('_', '-')

/** Returns the header that probably has the value of the header `name`, or `undefined` if there is none. */
function findOtherName(headers: readonly Header[], name: HeaderName): Header | undefined {
  const others = headers.filter(([other]) => other.length <= 128)
  const candidates = others.filter(([other]) => {
    const isTimeOfAnother = name === 'x-timestamp' && /nonce|signature/.test(other)
    return !isTimeOfAnother && (hasWord(plain(other), FIELDS[name]) || OTHER_NAMES[name].test(plain(other)))
  })
  // The most exact name wins: a signature with SHA-256 before one with SHA-1, and a nonce before a request ID.
  return (
    candidates.find(([other]) => plain(other) === name) ??
    candidates.find(([other]) => other.includes('256')) ??
    candidates.find(([other]) => other.includes(FIELDS[name])) ??
    candidates[0] ??
    (name === 'x-signature' ? others.find(isAuthorizationDigest) : undefined)
  )
}

/** Returns whether `Authorization` contains 64 hex digits. They are probably the signature, because tokens rarely have this form. */
const isAuthorizationDigest = ([name, value]: Header) =>
  name === 'authorization' && /^([\w-]{1,40}[ =])?[0-9a-f]{64}$/i.test(value)
