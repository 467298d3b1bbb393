import { fromUtf8, latin1 } from '../bytes.js'
import { CaptureError } from './capture-error.js'
import { type Header, valuesOf } from './headers.js'

/** Matches what logs write instead of a value. */
const WORDS = '(?:redacted|filtered|masked|hidden|removed|sanitized|scrubbed|omitted)'
const MASK = new RegExp(
  `^["']?(?:\\*{3,}|•{3,}|[<[({]{1,2}(?:${WORDS}|secret)(?::[\\w-]+)?[>\\])}]{1,2}|${WORDS}|-{4,})["']?$`,
  'i',
)
/** Matches characters that logs write instead of some characters of a header, and that no header contains. */
const PARTLY = /[█•…]/
/** A digest has no dots and stars, but a nonce may have dots and stars. */
const CUT_DIGEST = /\*{3}|\.{3}/
/** Matches a value of JSON or of a form that is masked completely. A card number with a masked part comes from the sender. */
const MASKED_VALUE = new RegExp(`[:,[=]\\s?["']?(?:\\*{3,}|•{3,}|[<[(]${WORDS}[>\\])])["']?\\s?[,}\\]&]`, 'i')

/** Returns whether a log masked a part of a text. */
export function isMasked(text: string): boolean {
  return MASKED_VALUE.test(text)
}

const NAMES = ['X-Timestamp', 'X-Nonce', 'X-Signature']

/** Throws a `CaptureError` if a log masked one of the three headers. */
export function assertNotMasked(headers: readonly Header[]): void {
  const isMaskedIn = (name: string) => (value: string) =>
    MASK.test(value) || PARTLY.test(fromUtf8(latin1(value))) || (name === 'X-Signature' && CUT_DIGEST.test(value))
  const masked = NAMES.find((name) => valuesOf(headers, name.toLowerCase()).some(isMaskedIn(name)))
  if (masked === undefined) return
  throw new CaptureError(
    `The log masked ${masked}, so the signature cannot be checked. Pass its value with --header '${masked}: …', or record the request with listen.`,
  )
}
