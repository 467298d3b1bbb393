import { fromLatin1, fromUtf8, isUtf8, latin1, utf8 } from '../../bytes.js'
import type { Language } from '../finding.js'
import * as numbers from '../json/numbers.js'
import { type JsonText, parseJson } from '../json/parse.js'
import * as styles from '../json/styles.js'
import { type JsonStyle, writeJson } from '../json/write.js'
import type { Hypothesis, Likelihood } from './hypothesis.js'

// This file finds one mistake: the JSON was written twice. One serializer wrote the signed JSON, and another wrote the JSON that was sent.

export interface JsonWriter {
  readonly likelihood: Likelihood
  /** The name for a message, in "the JSON as … writes it". */
  readonly writer: string
  readonly language: Language
  readonly style: JsonStyle
}

const COMPACT_RAW: JsonStyle = { spacing: styles.COMPACT, escaping: styles.rawString }
const JAVASCRIPT: JsonStyle = { ...COMPACT_RAW, number: numbers.javascriptNumber, order: styles.javascriptOrder }
const PYTHON: JsonStyle = { spacing: styles.SPACED, escaping: styles.asciiString, number: numbers.pythonNumber }
const PHP: JsonStyle = { spacing: styles.COMPACT, escaping: styles.phpString, number: numbers.phpNumber }
const GO_STRUCT: JsonStyle = { spacing: styles.COMPACT, escaping: styles.htmlString }
const GO_MAP: JsonStyle = { ...GO_STRUCT, number: numbers.javascriptNumber, order: styles.sortedOrder }
const GSON: JsonStyle = { spacing: styles.COMPACT, escaping: styles.gsonString }
const PYTHON_REPR: JsonStyle = {
  spacing: styles.SPACED,
  string: styles.pythonString,
  number: numbers.pythonNumber,
  word: (word) => ({ true: 'True', false: 'False' })[word] ?? 'None',
}
const RUBY_INSPECT: JsonStyle = {
  spacing: { item: ', ', colon: '=>' },
  string: styles.rubyString,
  word: (word) => (word === 'null' ? 'nil' : word),
}
const JAVA_MAP: JsonStyle = { spacing: { item: ', ', colon: '=' }, string: (text) => text, number: numbers.javaNumber }

const writer = (likelihood: Likelihood, language: Language, name: string, style: JsonStyle): JsonWriter => ({
  ...{ likelihood, language, writer: name, style },
})
/** Returns a function that makes a writer from the options of a serializer, and from what they change in its style. */
const optionsOf =
  (language: Language, name: string, style: JsonStyle) =>
  (likelihood: Likelihood, options: string, changed?: Partial<JsonStyle>) =>
    writer(likelihood, language, name + options, { ...style, ...changed })
const javascriptWith = optionsOf('node', "JavaScript's JSON.stringify", JAVASCRIPT)
const pythonWith = optionsOf('python', "Python's json.dumps", PYTHON)
const phpWith = optionsOf('php', "PHP's json_encode", PHP)

export const JSON_WRITERS: readonly JsonWriter[] = [
  javascriptWith('common', ''),
  pythonWith('common', ''),
  phpWith('common', ''),
  writer('common', 'go', "Go's json.Marshal", GO_STRUCT),
  pythonWith('uncommon', ' with ensure_ascii=False', { escaping: styles.rawString }),
  pythonWith('uncommon', " with separators=(',', ':')", { spacing: styles.COMPACT }),
  pythonWith('uncommon', ' with sort_keys=True', { order: styles.sortedOrder }),
  pythonWith('common', " with sort_keys=True and separators=(',', ':')", {
    spacing: styles.COMPACT,
    order: styles.sortedOrder,
  }),
  writer('uncommon', 'go', "Go's json.Marshal of a map", GO_MAP),
  javascriptWith('common', ' with 2 spaces', { spacing: styles.INDENT_2 }),
  javascriptWith('common', ' with 4 spaces', { spacing: styles.INDENT_4 }),
  pythonWith('uncommon', ' with indent=2', { spacing: styles.INDENT_2 }),
  pythonWith('uncommon', ' with indent=4', { spacing: styles.INDENT_4 }),
  pythonWith('uncommon', ' with indent=2 and ensure_ascii=False', {
    spacing: styles.INDENT_2,
    escaping: styles.rawString,
  }),
  writer('rare', 'python', "Python's orjson", { ...COMPACT_RAW, number: numbers.rustNumber }),
  phpWith('uncommon', ' with JSON_PRETTY_PRINT', { spacing: styles.INDENT_4 }),
  phpWith('uncommon', ' with JSON_UNESCAPED_SLASHES', { escaping: styles.asciiString }),
  phpWith('uncommon', ' with JSON_UNESCAPED_UNICODE', { escaping: styles.phpUnicodeString }),
  phpWith('uncommon', ' with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE', { escaping: styles.lineString }),
  writer('rare', 'php', "Symfony's JsonResponse", { ...PHP, escaping: styles.symfonyString }),
  writer('uncommon', 'csharp', "C#'s System.Text.Json", { spacing: styles.COMPACT, escaping: styles.dotnetString }),
  writer('uncommon', 'java', "Java's Gson", { ...GSON, order: styles.withoutNulls }),
  javascriptWith('uncommon', ' without the null fields', { order: styles.withoutNulls }),
  pythonWith('uncommon', ' without the fields that are None', { order: styles.withoutNulls }),
  writer('rare', 'java', "Java's Gson of a Map", { ...GSON, number: numbers.gsonNumber }),
  writer('uncommon', 'perl', "Perl's JSON with pretty and canonical", {
    spacing: styles.INDENT_3,
    escaping: styles.rawString,
    order: styles.sortedOrder,
  }),
  writer('rare', 'shell', 'jq -S', { ...JAVASCRIPT, spacing: styles.INDENT_2, order: styles.sortedOrder }),
  javascriptWith('rare', ' with the outer keys sorted', { order: styles.outerSortedOrder }),
  pythonWith('rare', ' of a dict with sorted keys', { order: styles.outerSortedOrder }),
  phpWith('rare', ' after ksort', { order: styles.outerSortedOrder }),
  writer('rare', 'shell', "PostgreSQL's jsonb (and MySQL's JSON)", {
    spacing: styles.SPACED,
    escaping: styles.rawString,
    order: styles.jsonbOrder,
  }),
  javascriptWith('rare', ' of a jsonb value', { order: styles.jsonbOrder }),
  pythonWith('rare', ' of a jsonb value', { order: styles.jsonbOrder }),
  phpWith('rare', ' of a jsonb value', { order: styles.jsonbOrder }),
  writer('uncommon', 'python', "Python's str()", PYTHON_REPR),
  writer('rare', 'ruby', "Ruby's inspect", RUBY_INSPECT),
  writer('rare', 'java', "Java's Map.toString", JAVA_MAP),
  writer('rare', 'java', "Java's Map.toString of a TreeMap", { ...JAVA_MAP, order: styles.sortedOrder }),
]

// How a message describes a part of a style. Parts that only one serializer has are not described.
const SPACINGS = new Map([
  [styles.COMPACT, 'no white space'],
  [styles.SPACED, '`, ` and `: ` as separators'],
  [styles.INDENT_2, 'indented by 2 spaces'],
  [styles.INDENT_4, 'indented by 4 spaces'],
  [styles.TABS, 'indented by tabs'],
  [styles.SPACED_COLON, '`,` and `: ` as separators'],
])
const ESCAPES = new Map([
  [styles.rawString, 'no unnecessary escape'],
  [styles.asciiString, 'non-ASCII characters as \\uXXXX'],
  [styles.phpString, '`/` as `\\/` and non-ASCII characters as \\uXXXX'],
  [styles.phpUnicodeString, '`/` as `\\/`'],
  [styles.htmlString, '`<`, `>` and `&` as \\u003c, \\u003e and \\u0026'],
])
export const TRAITS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ...[...SPACINGS, ...ESCAPES, ...styles.OTHER_ESCAPES],
  [styles.sortedOrder, 'sorted keys'],
  [styles.outerSortedOrder, 'sorted outer keys'],
  [styles.jsonbOrder, 'shorter keys first, as in jsonb'],
])

/** Styles that no known serializer has, but a sender may have configured. They are tried last. */
const COMBINED: readonly JsonStyle[] = [
  ...[undefined, ...SPACINGS.keys()].flatMap((spacing) =>
    [undefined, ...ESCAPES.keys()].flatMap((escaping) =>
      [undefined, styles.sortedOrder].map((order) => ({ spacing, escaping, order })),
    ),
  ),
  ...[...styles.OTHER_ESCAPES.keys()].flatMap((escaping) =>
    [undefined, styles.COMPACT, styles.SPACED].map((spacing) => ({ spacing, escaping, order: undefined })),
  ),
]

const parsed = new WeakMap<Uint8Array, JsonText | undefined>()

/** Returns the tokens of a body, or `undefined` if the body is not JSON. A body that is not UTF-8 is decoded as Latin-1. */
export function parseBody(body: Uint8Array): JsonText | undefined {
  if (!parsed.has(body)) parsed.set(body, parseJson(isUtf8(body) ? fromUtf8(body) : fromLatin1(body)))
  return parsed.get(body)
}

const endOf = ({ text, ends }: JsonText) => text.slice(ends.at(-1))

type JsonHypothesis = Hypothesis<Uint8Array, Uint8Array>

const hypothesis = ({ likelihood, style }: Pick<JsonWriter, 'likelihood' | 'style'>): JsonHypothesis => ({
  likelihood,
  code: 'body_json',
  // A style with `string` is not JSON, but what a language prints for an object.
  fix: style.string === undefined ? 'serialize_once' : 'write_body',
  what: 'the JSON serialized again',
  style,
  apply(body) {
    const json = parseBody(body)
    const written = json && writeJson(json, style)
    if (json === undefined || written === undefined) return undefined
    const encode = isUtf8(body) ? utf8 : latin1
    // The sender may have added a line feed to both texts, as `echo` does, or only to the text that was sent.
    const end = endOf(json)
    const texts = end === '' || style.spacing === undefined ? [written] : [written + end, written]
    // If only the white space at the end differs, the sender did not write the JSON again.
    const unchanged = json.text.slice(0, json.text.length - end.length)
    return { variants: texts.filter((text) => text !== unchanged).map((text) => ({ detail: '', value: encode(text) })) }
  },
})

export const JSON_HYPOTHESES: readonly JsonHypothesis[] = [
  ...JSON_WRITERS.map(hypothesis),
  ...COMBINED.map((style) => hypothesis({ likelihood: 'last', style })),
]
