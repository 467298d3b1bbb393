import { fromHex, fromLatin1, latin1, utf8 } from '../bytes.js'

/** The characters of escapes such as `\n`. */
export const SHORT: { readonly [letter: string]: string } = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  e: '\x1b',
  v: '\v',
}

const asUtf8 = (text: string) => (/^[\0-\x7f]$/.test(text) ? text : fromLatin1(utf8(text)))
export const fromDigits = (digits: string) => String.fromCharCode(Number.parseInt(digits, 16))
/** Returns the characters of escapes such as `\u00eb`. Two escapes can be one character, such as `\ud83c\udf89`. */
export const decodeUnits = (units: string) => asUtf8(units.replace(/\\u(.{4})/g, (_, digits) => fromDigits(digits)))

/** Decodes escapes of JSON and of most languages to bytes. `\x22` is one byte, and every other character becomes UTF-8. */
export function decodeEscapes(text: string): Uint8Array {
  return latin1(
    text.replace(
      /((?:\\u[\da-fA-F]{4})+)|\\u\{([\da-fA-F]{1,6})\}|\\U([\da-fA-F]{8})|\\x([\da-fA-F]{2})|\\([\s\S])|[^\0-\x7f]+/gu,
      (piece, units?: string, braced?: string, long?: string, byte?: string, other?: string) => {
        if (units !== undefined) return decodeUnits(units)
        if (other !== undefined) return SHORT[other] ?? asUtf8(other)
        if (byte !== undefined) return fromDigits(byte)
        const digits = braced ?? long
        if (digits === undefined) return asUtf8(piece)
        const point = Number.parseInt(digits, 16)
        return point > 0x10ffff ? piece : asUtf8(String.fromCodePoint(point))
      },
    ),
  )
}

/** Matches bytes as Node prints them: `<Buffer 7b 22>`, `ArrayBuffer { [Uint8Contents]: <7b 22>`, or `Uint8Array(2) [ 123, 34 ]`. */
const PRINTED_BYTES =
  /(?:<Buffer|\[Uint8Contents\]: <)([0-9a-f ]*)(?:\.\.\. \d+ more bytes?)?>|(?:Buffer|Uint8Array)\(\d+\) (?:\[Uint8Array\] )?\[([\d,\s]*)(?:\.\.\. \d+ more items?\s*)?\]/g

/** Yields the bytes that Node printed in a text, or the printed text itself if Node left out bytes. */
export function* printedBytes(text: string): Generator<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  for (const [printed, digits, numbers = ''] of text.matchAll(PRINTED_BYTES)) {
    if (printed.includes('...')) yield { bytes: utf8(printed), isWhole: false }
    else if (digits === undefined) yield { bytes: Uint8Array.from(numbers.match(/\d+/g) ?? [], Number), isWhole: true }
    else yield { bytes: fromHex(digits.replaceAll(' ', '')) ?? utf8(''), isWhole: true }
  }
}

/** Matches the next string between quotes. Python writes a long string as several strings, and `console.log` joins them with ` +`. */
const LITERAL = /b?(["'`])((?:\\[\s\S]|(?!\1)[^\\])*)\1(?:\s{0,200}(?:\+\s{0,200})?(?=b?["'`]))?/y

/** Returns the bytes of the strings between quotes that begin at an index, and the index after them. Returns `undefined` if there is no string. */
export function decodeLiterals(
  text: string,
  start: number,
): { readonly bytes: Uint8Array; readonly end: number } | undefined {
  let [quoted, end] = ['', start]
  LITERAL.lastIndex = start
  for (let match = LITERAL.exec(text); match !== null; match = LITERAL.exec(text)) {
    quoted += match[2]
    end = LITERAL.lastIndex
  }
  return end === start ? undefined : { bytes: decodeEscapes(quoted), end }
}
