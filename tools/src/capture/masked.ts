import { spell } from '../../../src/rules/formats.js'
import { fromUtf8, latin1 } from '../bytes.js'
import { CaptureError } from './capture-error.js'
import { type Header, hasSignature, SCHEME_HEADERS } from './headers.js'

/** Matches a whole value that a log replaced, such as `***` or `[REDACTED]`. */
const WORDS =
  '(?:redacted|filtered|masked|hidden|removed|sanitized|scrubbed|omitted|secure|sensitive|private|confidential|protected|obfuscated)'
const MASK = new RegExp(
  `^["']?(?:\\*{3,}|•{3,}|[<[({]{1,2}(?:${WORDS}|secret)(?::[\\w-]+)?[>\\])}]{1,2}|${WORDS}|-{4,})["']?$`,
  'i',
)
/** Matches text that logs and `listen --save` write in place of a part of a header. Headers do not contain this text. */
const PARTLY = /[█•…]|\[secret\]/
/** Matches what a log writes in place of digits: `*`, `...` or `xxxx`. A nonce can contain these marks, so nonces are not searched. */
const CUT_DIGEST = /\*|\.{3}|^x+$/i
/** Matches a value in JSON or a form that a log replaced. A partly masked card number does not match, because the sender masked it. */
const MASKED_VALUE = new RegExp(`[:,[=]\\s?["']?(?:\\*{3,}|•{3,}|[<[(]${WORDS}[>\\])])["']?\\s?[,}\\]&]`, 'i')

export function isMasked(text: string): boolean {
  return MASKED_VALUE.test(text)
}

const NAMES = SCHEME_HEADERS.flatMap((names) => Object.values(names))

export function assertNotMasked(headers: readonly Header[]): void {
  const isMaskedValue = ([name, value]: Header) =>
    NAMES.includes(name.toLowerCase()) &&
    ([MASK, PARTLY].some((mask) => mask.test(value) || mask.test(fromUtf8(latin1(value)))) ||
      (hasSignature(name) && CUT_DIGEST.test(value)))
  const masked = headers.find(isMaskedValue)
  if (masked === undefined) return
  const name = spell(masked[0].toLowerCase())
  throw new CaptureError(
    `The log masked ${name}, so the signature cannot be checked. Pass its value with --header '${name}: …', or record the request with listen.`,
  )
}
