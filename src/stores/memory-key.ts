// A key as words of 32 bits. One of letters has six a word, any other of ASCII characters four. How a key is written, and its
// length, is its form: forms and words are the same for the same key only.

/** How many bits a form has. */
export const FORM_BITS = 9
const LENGTH = 0xff
const OF_LETTERS = 0x100

/** The form of a key that is not written: too long, or not of ASCII characters. None from `verify` is. */
export const NOT_WRITTEN = 0xff

const LONGEST = 128
/** How many words the longest key takes. */
export const MOST_WORDS = 32

/** What UUIDs consist of, and what `verify` makes of signatures. A letter has 5 bits, and what is none another one. */
const ALPHABET = '0123456789abcdef-signtur '
const NO_LETTER = 32

/** By character code. Bundlers may leave this out, where there is no store. */
const LETTERS = /* @__PURE__ */ lettersOf()

function lettersOf(): Uint8Array {
  const letters = new Uint8Array(256).fill(NO_LETTER)
  for (let letter = 0; letter < ALPHABET.length; letter++) letters[ALPHABET.charCodeAt(letter)] = letter
  return letters
}

const encoder = /* @__PURE__ */ new TextEncoder()
/** Three bytes for each character, so that all of a key is encoded. */
const bytes = /* @__PURE__ */ new Uint8Array(3 * 128)

/**
 * Writes a key to `words` from `start` on, and gives its form.
 *
 * @internal
 */
export function writeKey(key: string, words: Int32Array, start: number): number {
  if (key.length > LONGEST || encoder.encodeInto(key, bytes).written !== key.length) return NOT_WRITTEN
  return writeLetters(key.length, words, start) ? OF_LETTERS | key.length : writeBytes(key.length, words, start)
}

/**
 * How many words a key of this form has.
 *
 * @internal
 */
export function keyWords(form: number): number {
  if (form === NOT_WRITTEN) return 0
  return form < OF_LETTERS ? (form + 3) >> 2 : (((form & LENGTH) + 5) / 6) | 0
}

/** False if a character is no letter: then what was written is of no use. */
function writeLetters(length: number, words: Int32Array, start: number): boolean {
  for (let index = length; index % 6 !== 0; index++) bytes[index] = 0x30
  let seen = 0
  for (let index = 0, word = start; index < length && seen < NO_LETTER; index += 6, word++) {
    const one = letterAt(index)
    const two = letterAt(index + 1)
    const three = letterAt(index + 2)
    const four = letterAt(index + 3)
    const five = letterAt(index + 4)
    const six = letterAt(index + 5)
    seen |= one | two | three | four | five | six
    words[word] = one | (two << 5) | (three << 10) | (four << 15) | (five << 20) | (six << 25)
  }
  return seen < NO_LETTER
}

function letterAt(index: number): number {
  return LETTERS[bytes[index] as number] as number
}

function writeBytes(length: number, words: Int32Array, start: number): number {
  for (let index = length; index % 4 !== 0; index++) bytes[index] = 0
  for (let index = 0, word = start; index < length; index += 4, word++) {
    words[word] = byteAt(index) | (byteAt(index + 1) << 8) | (byteAt(index + 2) << 16) | (byteAt(index + 3) << 24)
  }
  return length
}

function byteAt(index: number): number {
  return bytes[index] as number
}
