import { latin1, utf8 } from '../../bytes.js'
import { fromLatin1, fromUtf8, isUtf8 } from '../body-text.js'
import type { Language } from '../finding.js'
import * as numbers from '../json/numbers.js'
import { type JsonText, parseInSteps } from '../json/parse.js'
import {
  asciiString as ascii,
  COMPACT,
  dotnetString,
  gsonString,
  hashMapOrder,
  htmlString as html,
  INDENT_2,
  INDENT_3,
  INDENT_4,
  JACKSON,
  javascriptOrder,
  lineString,
  OLD_RUBY,
  OTHER_ESCAPES,
  phpString as php,
  phpUnicodeString,
  pythonString,
  rawString as raw,
  rubyString,
  rubySymbol,
  SPACED,
  SPACED_COLON,
  sortedOrder as sorted,
  symfonyString,
  TABS,
  withoutNulls,
} from '../json/styles.js'
import { type JsonStyle, writeInSteps } from '../json/write.js'
import type { Steps } from '../steps.js'
import type { Hypothesis, Likelihood } from './hypothesis.js'

// This file finds one mistake: the JSON was written twice. One serializer wrote the signed JSON, and another wrote the JSON that was sent.

/** A serializer, or a function that prints a parsed body. */
export interface JsonWriter {
  readonly likelihood: Likelihood
  /** The name for a message, in "the JSON as … writes it". */
  readonly writer: string
  readonly language: Language
  readonly style: JsonStyle
}

const JAVASCRIPT: JsonStyle = {
  spacing: COMPACT,
  escaping: raw,
  number: numbers.javascriptNumber,
  order: javascriptOrder,
}
const PYTHON: JsonStyle = { spacing: SPACED, escaping: ascii, number: numbers.pythonNumber }
const PHP: JsonStyle = { spacing: COMPACT, escaping: php, number: numbers.phpNumber }
const GO_STRUCT: JsonStyle = { spacing: COMPACT, escaping: html }
const GO_MAP: JsonStyle = { ...GO_STRUCT, number: numbers.javascriptNumber, order: sorted }
const RUBY: JsonStyle = { spacing: COMPACT, escaping: raw, number: numbers.rubyNumber }
const PYTHON_REPR: JsonStyle = {
  spacing: SPACED,
  string: pythonString,
  number: numbers.pythonNumber,
  word: replacing({ true: 'True', false: 'False', null: 'None' }),
}
const RUBY_INSPECT: JsonStyle = {
  spacing: { item: ', ', colon: '=>' },
  string: rubyString,
  number: numbers.rubyNumber,
  word: replacing({ null: 'nil' }),
}
const bare = (text: string) => text
const JAVA_MAP: JsonStyle = { spacing: { item: ', ', colon: '=' }, string: bare, number: numbers.javaNumber }

const writer = (likelihood: Likelihood, language: Language, name: string, style: JsonStyle): JsonWriter => ({
  likelihood,
  language,
  writer: name,
  style,
})

export const JSON_WRITERS: readonly JsonWriter[] = [
  writer('common', 'node', "JavaScript's JSON.stringify", JAVASCRIPT),
  writer('common', 'python', "Python's json.dumps", PYTHON),
  writer('common', 'php', "PHP's json_encode", PHP),
  writer('common', 'go', "Go's json.Marshal", GO_STRUCT),
  writer('uncommon', 'python', "Python's json.dumps with ensure_ascii=False", { ...PYTHON, escaping: raw }),
  writer('uncommon', 'python', "Python's json.dumps with separators=(',', ':')", { ...PYTHON, spacing: COMPACT }),
  writer('uncommon', 'python', "Python's json.dumps with sort_keys=True", { ...PYTHON, order: sorted }),
  writer('common', 'python', "Python's json.dumps with sort_keys=True and separators=(',', ':')", {
    ...PYTHON,
    spacing: COMPACT,
    order: sorted,
  }),
  writer('uncommon', 'go', "Go's json.Marshal of a map", GO_MAP),
  writer('common', 'node', "JavaScript's JSON.stringify with 2 spaces", { ...JAVASCRIPT, spacing: INDENT_2 }),
  writer('common', 'node', "JavaScript's JSON.stringify with 4 spaces", { ...JAVASCRIPT, spacing: INDENT_4 }),
  writer('uncommon', 'python', "Python's json.dumps with indent=2", { ...PYTHON, spacing: INDENT_2 }),
  writer('uncommon', 'python', "Python's json.dumps with indent=4", { ...PYTHON, spacing: INDENT_4 }),
  writer('uncommon', 'python', "Python's json.dumps with indent=2 and ensure_ascii=False", {
    ...PYTHON,
    spacing: INDENT_2,
    escaping: raw,
  }),
  writer('rare', 'python', "Python's orjson", { spacing: COMPACT, escaping: raw, number: numbers.rustNumber }),
  writer('uncommon', 'php', "PHP's json_encode with JSON_PRETTY_PRINT", { ...PHP, spacing: INDENT_4 }),
  writer('uncommon', 'php', "PHP's json_encode with JSON_UNESCAPED_SLASHES", { ...PHP, escaping: ascii }),
  writer('uncommon', 'php', "PHP's json_encode with JSON_UNESCAPED_UNICODE", { ...PHP, escaping: phpUnicodeString }),
  writer('uncommon', 'php', "PHP's json_encode with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE", {
    ...PHP,
    escaping: lineString,
  }),
  writer('rare', 'php', "Symfony's JsonResponse", { ...PHP, escaping: symfonyString }),
  writer('uncommon', 'csharp', "C#'s System.Text.Json", { spacing: COMPACT, escaping: dotnetString }),
  writer('uncommon', 'ruby', "Ruby's JSON.pretty_generate before 2.7.3", { ...RUBY, spacing: OLD_RUBY }),
  writer('uncommon', 'java', "Java's JSONObject (org.json), or Jackson with a HashMap", {
    spacing: COMPACT,
    escaping: raw,
    order: hashMapOrder,
  }),
  writer('uncommon', 'java', "Java's Jackson with its default pretty printer", { spacing: JACKSON, escaping: raw }),
  writer('uncommon', 'java', "Java's Gson", { spacing: COMPACT, escaping: gsonString, order: withoutNulls }),
  writer('uncommon', 'node', "JavaScript's JSON.stringify without the null fields", {
    ...JAVASCRIPT,
    order: withoutNulls,
  }),
  writer('uncommon', 'python', "Python's json.dumps without the fields that are None", {
    ...PYTHON,
    order: withoutNulls,
  }),
  writer('rare', 'java', "Java's Gson of a Map", {
    spacing: COMPACT,
    escaping: gsonString,
    number: numbers.gsonNumber,
  }),
  writer('rare', 'perl', "Perl's JSON with pretty and canonical", { spacing: INDENT_3, escaping: raw, order: sorted }),
  writer('rare', 'shell', 'jq -S', { ...JAVASCRIPT, spacing: INDENT_2, order: sorted }),
  writer('uncommon', 'python', "Python's str()", PYTHON_REPR),
  writer('rare', 'ruby', "Ruby's inspect", RUBY_INSPECT),
  writer('rare', 'ruby', "Ruby's inspect, with symbols as keys,", { ...RUBY_INSPECT, key: rubySymbol }),
  writer('rare', 'java', "Java's Map.toString", JAVA_MAP),
  writer('rare', 'java', "Java's Map.toString of a TreeMap", { ...JAVA_MAP, order: sorted }),
]

/** How a message describes a part of a style, such as its white space. Parts that only one serializer has are not described. */
export const TRAITS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [COMPACT, 'no white space'],
  [SPACED, '`, ` and `: ` as separators'],
  [INDENT_2, 'indented by 2 spaces'],
  [OLD_RUBY, 'indented by 2 spaces'],
  [INDENT_4, 'indented by 4 spaces'],
  [TABS, 'indented by tabs'],
  [SPACED_COLON, '`,` and `: ` as separators'],
  [raw, 'no unnecessary escape'],
  [ascii, 'characters beyond ASCII as \\uXXXX'],
  [php, '`/` as `\\/` and characters beyond ASCII as \\uXXXX'],
  [phpUnicodeString, '`/` as `\\/`'],
  [html, '`<`, `>` and `&` as \\u003c, \\u003e and \\u0026'],
  [sorted, 'sorted keys'],
  ...OTHER_ESCAPES,
])

/** Styles that no known serializer has, but a sender may have configured. They are tried last. */
const COMBINED: readonly JsonStyle[] = [undefined, COMPACT, SPACED, INDENT_2, INDENT_4, TABS, SPACED_COLON]
  .flatMap((spacing) =>
    [undefined, raw, ascii, php, phpUnicodeString, html].flatMap((escaping) =>
      [undefined, sorted].map((order) => ({ spacing, escaping, order })),
    ),
  )
  .concat(
    [...OTHER_ESCAPES.keys()].flatMap((escaping) =>
      [undefined, COMPACT, SPACED].map((spacing) => ({ spacing, escaping, order: undefined })),
    ),
  )

const parsed = new WeakMap<Uint8Array, JsonText | undefined>()

/** Returns the tokens of a body, or `undefined` if the body is not JSON. A body that is not UTF-8 is decoded as Latin-1. */
export function* parseBody(body: Uint8Array): Steps<JsonText | undefined> {
  if (!parsed.has(body)) parsed.set(body, yield* parseInSteps(isUtf8(body) ? fromUtf8(body) : fromLatin1(body)))
  return parsed.get(body)
}

/** Returns the white space after a JSON text. */
const endOf = ({ text, ends }: JsonText) => text.slice(ends.at(-1))

const hypothesis = ({
  likelihood,
  style,
}: Pick<JsonWriter, 'likelihood' | 'style'>): Hypothesis<Uint8Array, Uint8Array> => ({
  likelihood,
  code: 'body_json',
  // A style with `string` is not JSON, but what a language prints for an object.
  fix: style.string === undefined ? 'serialize_once' : 'write_body',
  what: 'the JSON written again',
  style,
  *apply(body) {
    const json = yield* parseBody(body)
    const written = json && (yield* writeInSteps(json, style))
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

export const JSON_HYPOTHESES: readonly Hypothesis<Uint8Array, Uint8Array>[] = [
  ...JSON_WRITERS.map(hypothesis),
  ...COMBINED.map((style) => hypothesis({ likelihood: 'last', style })),
]

function replacing(words: { readonly [word: string]: string }): (word: string) => string {
  const replaced = new Map(Object.entries(words))
  return (word) => replaced.get(word) ?? word
}
