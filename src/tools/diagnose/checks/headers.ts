import { HEADER_NAMES, type HeaderName } from '../../../rules/formats.js'
import type { HeaderValues } from '../../../rules/headers.js'
import { isNonce } from '../../../rules/nonce.js'
import { isTimestamp } from '../../../rules/timestamp.js'
import type { Pair } from '../../capture/list-headers.js'
import { joinWords, listNames, quote, spell } from '../../text.js'
import type { Draft } from '../draft.js'
import { instantOf, NEAR } from '../instant.js'
import { passedProxy } from './body.js'

const FIELDS = { 'x-timestamp': 'timestamp', 'x-nonce': 'nonce', 'x-signature': 'signature' } as const

/** The names that other products give the three headers. */
const OTHER_NAMES: { readonly [name in HeaderName]: RegExp } = {
  'x-timestamp': /^(x-)?(ts|time|date)$|time-stamp|request-time|sent-at|signed-at/,
  'x-nonce':
    /^(x-)?(webhook|request|delivery|message|event|svix|idempotency|correlation)-?(id|key|uuid)$|(delivery|webhook|svix|message)-id$/,
  'x-signature': /hmac|^(x-)?(sig|sign|signed|digest)$|-sig$|-sign$/,
}

/** Checks whether a name has the word. Up to two letters may be missing or added, and their order does not matter. */
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

/** Names that a sender may have chosen, and not its HTTP client or a proxy. */
const OWN = /^x-(?!forwarded|real)|sig|hmac|time|nonce|hook|auth/

/** The values that the sender probably meant for the three headers. */
export interface MeantHeaders extends HeaderValues {
  /** Whether X-Timestamp and X-Nonce have each other's values. */
  readonly isSwapped?: true
}

/**
 * Returns the possible meanings of the three headers, the likeliest first. A value may be under another name. Of a repeated header, the first or the
 * last value may be meant. The values of two headers may be swapped.
 */
export function readMeantHeaders(
  headers: HeaderValues,
  pairs: readonly Pair[],
): readonly [MeantHeaders, ...MeantHeaders[]] {
  const meantValue = (name: HeaderName) => headers[FIELDS[name]] ?? findOtherName(pairs, name)?.[1]
  const signature = meantValue('x-signature')
  const timestamp = meantValue('x-timestamp') ?? timestampInside(signature)
  const nonce = meantValue('x-nonce')
  // If several headers were sent twice, their first values belong together, and so do their last ones.
  const pick = (place: 0 | -1): HeaderValues => ({
    timestamp: repeatedValues(headers, pairs, 'x-timestamp')?.at(place) ?? timestamp,
    nonce: repeatedValues(headers, pairs, 'x-nonce')?.at(place) ?? nonce,
    signature: repeatedValues(headers, pairs, 'x-signature')?.at(place) ?? signature,
  })
  const isRepeated = HEADER_NAMES.some((name) => repeatedValues(headers, pairs, name) !== undefined)
  // One of the parts of a joined signature may be right in another form.
  const likeliest = { ...pick(0), signature }
  return [likeliest, ...(isRepeated ? [pick(0), pick(-1)] : []), ...[swap(likeliest)].filter(isWellFormed)]
}

/** Stripe and others put the time into the header of the signature: `t=1700000000,v1=…`. */
function timestampInside(signature = ''): string | undefined {
  return /(?:^|[,; ])t=(\d{1,20})(?=$|[,; ])/.exec(signature.slice(0, 2048))?.[1]
}

const swap = ({ timestamp, nonce, signature }: MeantHeaders): MeantHeaders => ({
  timestamp: nonce,
  nonce: timestamp,
  signature,
  isSwapped: true,
})

function isWellFormed({ timestamp = '', nonce = '' }: MeantHeaders): boolean {
  return isTimestamp(timestamp) && isNonce(nonce)
}

/** Swaps two headers back if their values show that they were swapped. */
export function unswapHeaders(meant: MeantHeaders, now: number): MeantHeaders {
  const { timestamp, nonce } = meant
  const swapped = swap(meant)
  const holdsTime = Math.abs(Number(nonce) * 1000 - now) < NEAR
  const isNoTime = timestamp !== undefined && instantOf(timestamp, now) === undefined
  return isNoTime && isWellFormed(swapped) && holdsTime ? swapped : meant
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

const plain = (name: string) => name.replace(/^http[_-]/, '').replaceAll('_', '-')

/** Finds the header that has the value of `name` under another name. */
function findOtherName(pairs: readonly Pair[], name: HeaderName): Pair | undefined {
  const others = pairs.filter(([other]) => other.length <= 128)
  const candidates = others.filter(([other]) => {
    const isTimeOfAnother = name === 'x-timestamp' && /nonce|signature/.test(other)
    return !isTimeOfAnother && (hasWord(plain(other), FIELDS[name]) || OTHER_NAMES[name].test(plain(other)))
  })
  // It prefers the most specific header: a SHA-256 signature to a SHA-1 signature, and a nonce to a request ID.
  return (
    candidates.find(([other]) => plain(other) === name) ??
    candidates.find(([other]) => other.includes('256')) ??
    candidates.find(([other]) => other.includes(FIELDS[name])) ??
    candidates[0] ??
    (name === 'x-signature' ? others.find(isAuthorizationDigest) : undefined)
  )
}

/** Removes a nonce that was only guessed: a request ID that a proxy adds is not the nonce, unless it was signed. */
export function withoutGuessedNonce(meant: MeantHeaders, headers: HeaderValues, pairs: readonly Pair[]): MeantHeaders {
  const [guessed] = (headers.nonce === undefined && findOtherName(pairs, 'x-nonce')) || []
  return guessed === undefined || hasWord(plain(guessed), 'nonce') ? meant : { ...meant, nonce: undefined }
}

/** A token in `Authorization` rarely has 64 hex digits, so this is probably the signature. */
const isAuthorizationDigest = ([name, value]: Pair) =>
  name === 'authorization' && /^([\w-]{1,40}[ =])?[0-9a-f]{64}$/i.test(value)

/**
 * Headers that are absent, under another name, repeated or swapped.
 *
 * @param meant - the values that the sender probably meant.
 * @param signed - the headers with which the signature is right.
 */
export function checkHeaders(
  headers: HeaderValues,
  pairs: readonly Pair[],
  meant: MeantHeaders,
  signed: MeantHeaders | undefined,
): Draft[] {
  const absent = HEADER_NAMES.filter((name) => headers[FIELDS[name]] === undefined)
  const renamed = absent.flatMap((name) => {
    const pair = meant[FIELDS[name]] === undefined ? undefined : findOtherName(pairs, name)
    return pair === undefined ? [] : [[name, pair[0]] as const]
  })
  const missing = absent.filter((name) => !renamed.some(([own]) => own === name))
  // The pseudo-headers were not received: the reader of the capture makes them from the request line.
  const names = pairs.map(([name]) => name).filter((name) => !name.startsWith(':'))
  // The list may be cut, so the names that a sender may have meant come first.
  const own = names.filter((name) => OWN.test(name))
  const received = [['Headers', listNames([...own, ...names])] as const]
  const drafts: Draft[] = []
  if (renamed.length > 0) {
    const message = `${renamed.map(([name, other]) => `${spell(name)} is missing, but there is ${quote(other)}`).join('; ')}.`
    drafts.push({ code: 'header_name', message, fix: 'rename_headers', evidence: received })
  }
  if (missing.length > 0) {
    const message = `${joinWords(missing.map(spell), 'and')} ${missing.length === 1 ? 'is' : 'are'} missing.`
    const underscores =
      'The request passed a proxy. nginx drops headers with underscores in their names, such as X_Timestamp.'
    const evidence = passedProxy(pairs) ? [...received, underscores] : received
    drafts.push({ code: 'header_missing', message, fix: 'send_headers', evidence })
  }
  for (const name of HEADER_NAMES) {
    const values = repeatedValues(headers, pairs, name)
    if (values === undefined) continue
    const areEqual = new Set(values).size === 1
    const times = values.length === 2 ? 'twice' : `${values.length} times`
    const right = signed?.[FIELDS[name]]
    drafts.push({
      code: 'header_repeated',
      message: `${spell(name)} arrived ${times}, with ${areEqual ? 'the same value' : 'different values'}.`,
      fix: 'send_header_once',
      evidence: [
        [spell(name), quote(String(headers[FIELDS[name]]))],
        ...(right === undefined || areEqual ? [] : [`The signature is right with ${quote(right)}`]),
      ],
    })
  }
  if (meant.isSwapped) {
    drafts.push({
      code: 'header_swapped',
      message: "X-Timestamp and X-Nonce have each other's values.",
      fix: 'unswap_headers',
      evidence: [
        ['X-Timestamp', quote(String(headers.timestamp))],
        ['X-Nonce', quote(String(headers.nonce))],
        ...(signed?.isSwapped ? ['Proved: with each value in its place, the signature is right.'] : []),
      ],
    })
  }
  return drafts
}
