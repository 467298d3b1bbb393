import { fromBase64, fromLatin1, hex, latin1 } from '../../bytes.js'
import { bigDecimalOfJava, bigDecimalOfRuby, numberInString, preciseNumber } from '../json/numbers.js'
import {
  endOfValue,
  type JsonText,
  jsonValue,
  KEY,
  NUMBER,
  OPEN_ARRAY,
  OPEN_OBJECT,
  STRING,
  textOf,
  written,
} from '../json/parse.js'
import { inPythonQuotes } from '../json/styles.js'
import { replaceTokens, writeJson } from '../json/write.js'
import type { Bytes, Variant } from './hypothesis.js'

// This file converts a body into other formats, such as a form into JSON, because the sender may have signed the body in such a format.

/** Percent-encodes everything except letters, digits and `-_.~` (RFC 3986). */
export function percentEncode(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  return encoded.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Decodes percent-encoded text. Returns `undefined` if a `%` does not begin a character in UTF-8. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Encodes a name or value as forms do, with a space as `+`. */
export function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** Returns the result of PHP's addslashes, which writes a backslash before each quote, backslash and NUL. */
export const addSlashes = (text: string) => text.replace(/['"\\]/g, '\\$&').replaceAll('\0', '\\0')

/** Adds the backslashes of `\\u00e9`, which arrived as `u00e9`. */
export const restoreUnicodeEscapes = (text: string) => text.replace(/(?<!\\)u(?=[\da-f]{4})/gi, '\\u')

/** The variables in double quotes of a shell and of PHP, in a template, and in a batch file. */
const VARIABLES = [/\$(?:\d|[A-Za-z_]\w*|\{[^}]*\}|[@*!-])/g, /\$(?:[A-Za-z_]\w*|\{[^}]*\})/g, /\$\{[^}]*\}/g, /%\w*%/g]

/** What code makes of a body that it reads as a format, a template or a part of a command. */
export const READ_AS_CODE: { readonly [how: string]: (text: string) => readonly string[] } = {
  'with one `%` for each `%%`': (text) => [text.replaceAll('%%', '%')],
  'with one brace for each `{{` and `}}`, as in a template': (text) => [
    text.replace(/\{\{|\}\}/g, (two) => two.charAt(0)),
  ],
  'after a replace that reads `$$` in it, as in JavaScript': (text) => [text.replaceAll('$$', () => '$')],
  'without its backslashes': (text) => [text.replace(/\\(.)/gs, '$1'), text.replaceAll('\\', '')],
  'without the parts that a shell or a template reads as variables (`$…`)': (text) =>
    VARIABLES.map((variable) => text.replace(variable, '')),
  'with a backslash before each `!`, as some shells quote it': (text) => [text.replaceAll('!', '\\!')],
}

/** Returns the fields of a form such as `a=1&b=2` as JSON, or `undefined` if the text is not a form. */
export function formAsJson(text: string): string | undefined {
  if (!/^[^\s{["=]+=\S*$/.test(text)) return undefined
  const members = [...new URLSearchParams(text)].map((field) => field.map((part) => JSON.stringify(part)).join(':'))
  return `{${members}}`
}

/** Returns the text in a body that is one JSON string, or `undefined` for other bodies. */
export function stringInside(text: string): string | undefined {
  return /^\s*"/.test(text) ? (jsonValue(text) as string | undefined) : undefined
}

const MAX_PARTS = 32
const MIN_TEXT_PART = 8

/** Returns the objects, arrays and longer strings inside a JSON body. The sender may have signed only one of them. */
export function* jsonParts(json: JsonText): Iterable<Variant<Bytes>> {
  let [of, count] = ['', 0]
  for (let token = 1; token < json.kinds.length && count < MAX_PARTS; token++) {
    const kind = json.kinds[token]
    if (kind === KEY) of = ` of \`${textOf(json, token).slice(0, 64)}\``
    else if (kind === OPEN_OBJECT || kind === OPEN_ARRAY) {
      const value = json.text.slice(json.starts[token], json.ends[endOfValue(json, token) - 1])
      yield { detail: `value${of}`, value }
      count++
    } else if (kind === STRING && written(json, token).length > MIN_TEXT_PART + 2) {
      const text = textOf(json, token)
      yield { detail: `text${of}`, value: text }
      count++
      const decoded = fromBase64(text)
      if (decoded !== undefined) yield { detail: `base64${of}, decoded,`, value: decoded }
    }
  }
}

/** Returns a function that writes each empty object or array, which `opening` begins, as another text. */
const replaceEmpty = (opening: number, open: string, close: string) => (json: JsonText) =>
  replaceTokens(json, (token) => {
    const isEmpty = (opened: number) => json.kinds[opened] === opening && json.closes[opened] === opened + 1
    return isEmpty(token) ? open : isEmpty(token - 1) ? close : written(json, token)
  })

const numbersAs = (number: (written: string) => string) => (json: JsonText) => writeJson(json, { number })
const ifFloat = (number: (written: string) => string) => (written: string) =>
  /^-?\d+$/.test(written) ? written : number(written)

/** What a serializer may make of values when it writes JSON again. */
export const OTHER_VALUES: { readonly [how: string]: (json: JsonText) => string | undefined } = {
  'an empty array (`[]`) for each empty object (`{}`), as PHP keeps it': replaceEmpty(OPEN_OBJECT, '[', ']'),
  'an empty object (`{}`) for each empty array, as JSON_FORCE_OBJECT writes it': replaceEmpty(OPEN_ARRAY, '{', '}'),
  'null for each empty array (`[]`), as Go writes a nil slice': replaceEmpty(OPEN_ARRAY, 'null', ''),
  'numbers of 17 digits, as PHP writes them with serialize_precision = 17': numbersAs(ifFloat(preciseNumber(17))),
  'decimals as Ruby prints a BigDecimal, such as `0.75e1`': numbersAs(ifFloat(bigDecimalOfRuby)),
  'all numbers as Ruby prints a BigDecimal, such as `0.1e3`': numbersAs(bigDecimalOfRuby),
  'numbers as Java prints a BigDecimal without zeros at its end, such as `1E+3`': numbersAs(bigDecimalOfJava),
  'numbers of 15 digits, as C++ and old PHP write them': numbersAs(ifFloat(preciseNumber(15))),
}

type ChangeToken = (token: string) => string

/** Returns the JSON text with each token of a kind changed. */
const changeTokens = (json: JsonText, kind: number, change: ChangeToken) =>
  replaceTokens(json, (token) => (json.kinds[token] === kind ? change(written(json, token)) : written(json, token)))

const MAX_CHANGED_TOKENS = 64

/** For each number that changes, returns the JSON text with only this change. */
function* changeOneNumber(json: JsonText, change: ChangeToken): Iterable<Variant<string>> {
  const { text, starts, ends, kinds } = json
  let count = 0
  for (let token = 0; token < kinds.length && count < MAX_CHANGED_TOKENS; token++) {
    const changed = kinds[token] === NUMBER ? change(written(json, token)) : ''
    if (changed === '' || changed === written(json, token)) continue
    count++
    yield { detail: changed, value: text.slice(0, starts[token]) + changed + text.slice(ends[token]) }
  }
}

/** Returns the JSON with `1.0` or `1.00` for `1`, or with `1.50` for `1.5`, because a parser may have removed these zeros. */
export function* restoredFloats(json: JsonText): Iterable<Variant<string>> {
  for (const ending of ['.0', '.00', '0']) {
    const form = ending === '0' ? /\.\d$/ : /^-?\d+$/
    const change = (number: string) => (form.test(number) ? number + ending : number)
    yield* changeOneNumber(json, change)
    yield { detail: 'every value', value: changeTokens(json, NUMBER, change) }
  }
}

const quoteNumber = (number: string) => `"${number}"`
export const numbersAsStrings = (json: JsonText) => changeTokens(json, NUMBER, quoteNumber)
export const oneNumberAsString = (json: JsonText) => changeOneNumber(json, quoteNumber)

/** Matches a string that PHP reads as a number. A longer one would take long. */
const NUMERIC = /^"( *[+-]?(?:\d{1,300}(?:\.\d{0,99})?|\.\d{1,99})(?:e[+-]?\d{1,3})?) *"$/i

/** Returns the JSON with each string of digits as a number: unchanged if this is JSON, and as PHP writes the number. */
export const stringsAsNumbers = (json: JsonText): readonly string[] => [
  changeTokens(json, STRING, (string) => string.replace(/^"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"$/, '$1')),
  changeTokens(json, STRING, (string) => string.replace(NUMERIC, (_, number) => numberInString(number))),
]

/** Adds a line break before each indentation in JSON. Returns `undefined` if the text has line breaks, or no indentation. */
export function restoreLineBreaks(text: string): string | undefined {
  const restored = text.replace(/(?<![ \t])(?: {2,}|\t+)(?=\S)|[}\]]$/g, '\n$&')
  return /\n[ \t]/.test(restored) && !text.includes('\n') ? restored : undefined
}

/** Returns bytes as Python's repr writes them: `b'…'`, or `b"…"` if they contain `'` but not `"`. */
export const pythonBytes = (body: Uint8Array): string =>
  `b${inPythonQuotes(fromLatin1(body), (text) =>
    text.replace(/[^ -~]|\\/g, (one) =>
      /[\n\r\t\\]/.test(one) ? JSON.stringify(one).slice(1, -1) : `\\x${hex(latin1(one))}`,
    ),
  )}`
