// A key as words of 32 bits: hex digits take four bits each where they make a UUID or what `verify` reserves for a signature,
// other ASCII characters eight. How a key is written, and its length, is its form: form and words are the same for the same
// key only.

/** How many bits a form has. */
export const FORM_BITS = 8

/** Up to this, a form is the number of characters that are written as they are. */
const LONGEST = 128
/** `8-4-4-4-12` lowercase hex digits. */
const UUID = 129
const UUID_LENGTH = 36
/** 32 lowercase hex digits. */
const HEX = 130
const HEX_LENGTH = 32
/** `signature ` and 64 lowercase hex digits. */
const SIGNATURE = 131
const SIGNATURE_LENGTH = 74
const SIGNATURE_DIGITS = 64

/** The form of a key that is not written: too long, or not of ASCII characters. None from `verify` is. */
export const NOT_WRITTEN = 255

/** How many words the longest key takes. */
export const MOST_WORDS = 32

const NO_DIGIT = 16
const DASH = 0x2d

/** What a hex digit counts, by its character code. Bundlers may leave this out, where there is no store. */
const DIGITS = /* @__PURE__ */ hexDigits()

function hexDigits(): Uint8Array {
  const digits = new Uint8Array(128).fill(NO_DIGIT)
  for (let digit = 0; digit < 16; digit++) digits[digit.toString(16).charCodeAt(0)] = digit
  return digits
}

const ENCODER = /* @__PURE__ */ new TextEncoder()
/** Three bytes for each character, so that all of a key is encoded. */
const BYTES = /* @__PURE__ */ new Uint8Array(3 * 128)
const SIGNATURE_PREFIX = /* @__PURE__ */ ENCODER.encode('signature ')

/**
 * Writes a key to `words` from `start` on, and gives its form.
 *
 * @internal
 */
export function writeKey(key: string, words: Int32Array, start: number): number {
  const { length } = key
  if (length > LONGEST || ENCODER.encodeInto(key, BYTES).written !== length) return NOT_WRITTEN
  if (length === UUID_LENGTH && writeUuid(words, start)) return UUID
  if (length === SIGNATURE_LENGTH && hasSignaturePrefix()) {
    if (writeHex(length - SIGNATURE_DIGITS, length, words, start)) return SIGNATURE
  }
  if (length === HEX_LENGTH && writeHex(0, length, words, start)) return HEX
  return writeBytes(length, words, start)
}

/**
 * How many words a key of this form has.
 *
 * @internal
 */
export function keyWords(form: number): number {
  if (form <= LONGEST) return (form + 3) >> 2
  if (form === NOT_WRITTEN) return 0
  return form === SIGNATURE ? 8 : 4
}

function hasSignaturePrefix(): boolean {
  for (let index = 0; index < SIGNATURE_PREFIX.length; index++) {
    if (BYTES[index] !== SIGNATURE_PREFIX[index]) return false
  }
  return true
}

/** False if it is none: then what was written is of no use. */
function writeUuid(words: Int32Array, start: number): boolean {
  if (BYTES[8] !== DASH || BYTES[13] !== DASH || BYTES[18] !== DASH || BYTES[23] !== DASH) return false
  const seen =
    writeEight(0, 4, words, start) |
    writeEight(9, 14, words, start + 1) |
    writeEight(19, 24, words, start + 2) |
    writeEight(28, 32, words, start + 3)
  return seen < NO_DIGIT
}

/** False if a character is no digit: then what was written is of no use. */
function writeHex(from: number, to: number, words: Int32Array, start: number): boolean {
  let seen = 0
  for (let index = from, word = start; index < to; index += 8, word++) {
    seen |= writeEight(index, index + 4, words, word)
  }
  return seen < NO_DIGIT
}

/** Writes two times four digits to one word, and tells the bits that any of them has. */
function writeEight(index: number, other: number, words: Int32Array, word: number): number {
  const one = digitAt(index)
  const two = digitAt(index + 1)
  const three = digitAt(index + 2)
  const four = digitAt(index + 3)
  const five = digitAt(other)
  const six = digitAt(other + 1)
  const seven = digitAt(other + 2)
  const eight = digitAt(other + 3)
  words[word] =
    one | (two << 4) | (three << 8) | (four << 12) | (five << 16) | (six << 20) | (seven << 24) | (eight << 28)
  return one | two | three | four | five | six | seven | eight
}

function digitAt(index: number): number {
  return DIGITS[byteAt(index)] as number
}

function writeBytes(length: number, words: Int32Array, start: number): number {
  for (let index = length; index % 4 !== 0; index++) BYTES[index] = 0
  for (let index = 0, word = start; index < length; index += 4, word++) {
    words[word] = byteAt(index) | (byteAt(index + 1) << 8) | (byteAt(index + 2) << 16) | (byteAt(index + 3) << 24)
  }
  return length
}

function byteAt(index: number): number {
  return BYTES[index] as number
}
