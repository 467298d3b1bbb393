import { fromLatin1, fromUtf8, isUtf8, latin1, utf8 } from '../bytes.js'
import type { Language } from '../finding.js'
import * as numbers from '../json/numbers.js'
import { type JsonText, parseJson } from '../json/parse.js'
import * as styles from '../json/styles.js'
import { type JsonStyle, writeJson } from '../json/write.js'
import type { Hypothesis, Likelihood } from './hypothesis.js'

// JSON that one serializer wrote for the signature and another one for sending.

/** One serializer, or one way to print a parsed body. */
export interface JsonWriter {
  readonly likelihood: Likelihood
  /** Completes "as … writes it". */
  readonly writer: string
  readonly language: Language
  readonly style: JsonStyle
}

const { COMPACT, SPACED, INDENT_2, INDENT_3, INDENT_4, TABS, SPACED_COLON, OLD_RUBY } = styles
const { rawString: raw, asciiString: ascii, phpString: php, htmlString: html } = styles
const { javascriptOrder, sortedOrder: sorted } = styles

const JAVASCRIPT: JsonStyle = { spacing: COMPACT, escaping: raw, number: numbers.javascriptNumber, order: javascriptOrder }
const PYTHON: JsonStyle = { spacing: SPACED, escaping: ascii, number: numbers.pythonNumber }
const PHP: JsonStyle = { spacing: COMPACT, escaping: php, number: numbers.phpNumber }
const GO_STRUCT: JsonStyle = { spacing: COMPACT, escaping: html }
const GO_MAP: JsonStyle = { ...GO_STRUCT, number: numbers.javascriptNumber, order: sorted }
const RUBY: JsonStyle = { spacing: COMPACT, escaping: raw, number: numbers.rubyNumber }
const PYTHON_REPR: JsonStyle = {
  spacing: SPACED, string: styles.pythonString, number: numbers.pythonNumber,
  word: replacing({ true: 'True', false: 'False', null: 'None' }),
}
const RUBY_INSPECT: JsonStyle = {
  spacing: { item: ', ', colon: '=>' }, string: styles.rubyString, number: numbers.rubyNumber, word: replacing({ null: 'nil' }),
}
const bare = (text: string) => text

export const JSON_WRITERS: readonly JsonWriter[] = [
  { likelihood: 'common', writer: "JavaScript's JSON.stringify", language: 'node', style: JAVASCRIPT },
  { likelihood: 'common', writer: "Python's json.dumps", language: 'python', style: PYTHON },
  { likelihood: 'common', writer: "PHP's json_encode", language: 'php', style: PHP },
  { likelihood: 'common', writer: "Go's json.Marshal", language: 'go', style: GO_STRUCT },
  { likelihood: 'uncommon', writer: "Python's json.dumps with ensure_ascii=False", language: 'python', style: { ...PYTHON, escaping: raw } },
  { likelihood: 'uncommon', writer: "Python's json.dumps with separators=(',', ':')", language: 'python', style: { ...PYTHON, spacing: COMPACT } },
  { likelihood: 'uncommon', writer: "Python's json.dumps with sort_keys=True", language: 'python', style: { ...PYTHON, order: sorted } },
  { likelihood: 'uncommon', writer: "Python's json.dumps with sort_keys=True and separators=(',', ':')",
    language: 'python', style: { ...PYTHON, spacing: COMPACT, order: sorted } },
  { likelihood: 'uncommon', writer: "Go's json.Marshal of a map", language: 'go', style: GO_MAP },
  { likelihood: 'uncommon', writer: "JavaScript's JSON.stringify with 2 spaces", language: 'node', style: { ...JAVASCRIPT, spacing: INDENT_2 } },
  { likelihood: 'uncommon', writer: "JavaScript's JSON.stringify with 4 spaces", language: 'node', style: { ...JAVASCRIPT, spacing: INDENT_4 } },
  { likelihood: 'uncommon', writer: "Python's json.dumps with indent=2", language: 'python', style: { ...PYTHON, spacing: INDENT_2 } },
  { likelihood: 'uncommon', writer: "Python's json.dumps with indent=4", language: 'python', style: { ...PYTHON, spacing: INDENT_4 } },
  { likelihood: 'rare', writer: "Python's orjson", language: 'python', style: { spacing: COMPACT, escaping: raw, number: numbers.rustNumber } },
  { likelihood: 'uncommon', writer: "PHP's json_encode with JSON_PRETTY_PRINT", language: 'php', style: { ...PHP, spacing: INDENT_4 } },
  { likelihood: 'uncommon', writer: "PHP's json_encode with JSON_UNESCAPED_SLASHES", language: 'php', style: { ...PHP, escaping: ascii } },
  { likelihood: 'uncommon', writer: "PHP's json_encode with JSON_UNESCAPED_UNICODE", language: 'php',
    style: { ...PHP, escaping: styles.phpUnicodeString } },
  { likelihood: 'uncommon', language: 'php',
    writer: "PHP's json_encode with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE",
    style: { ...PHP, escaping: styles.lineString } },
  { likelihood: 'rare', writer: "Symfony's JsonResponse", language: 'php', style: { ...PHP, escaping: styles.symfonyString } },
  { likelihood: 'uncommon', writer: "C#'s System.Text.Json", language: 'csharp', style: { spacing: COMPACT, escaping: styles.dotnetString } },
  { likelihood: 'uncommon', writer: "Ruby's JSON.pretty_generate before 2.7.3", language: 'ruby', style: { ...RUBY, spacing: OLD_RUBY } },
  { likelihood: 'uncommon', writer: "Java's JSONObject (org.json) or Jackson of a HashMap", language: 'java',
    style: { spacing: COMPACT, escaping: raw, order: styles.hashMapOrder } },
  { likelihood: 'uncommon', writer: "Java's Gson", language: 'java',
    style: { spacing: COMPACT, escaping: styles.gsonString, order: styles.withoutNulls } },
  { likelihood: 'rare', writer: "Java's Gson of a Map", language: 'java',
    style: { spacing: COMPACT, escaping: styles.gsonString, number: numbers.gsonNumber } },
  { likelihood: 'rare', writer: "Perl's JSON with pretty and canonical", language: 'perl',
    style: { spacing: INDENT_3, escaping: raw, order: sorted } },

  { likelihood: 'uncommon', writer: "Python's str()", language: 'python', style: PYTHON_REPR },
  { likelihood: 'rare', writer: "Ruby's inspect", language: 'ruby', style: RUBY_INSPECT },
  { likelihood: 'rare', writer: "Ruby's inspect, with symbols as keys,", language: 'ruby', style: { ...RUBY_INSPECT, key: styles.rubySymbol } },
  { likelihood: 'rare', writer: "Java's Map.toString", language: 'java',
    style: { spacing: { item: ', ', colon: '=' }, string: bare, number: numbers.javaNumber } },
  { likelihood: 'rare', writer: "Go's fmt", language: 'go',
    style: { spacing: { item: ' ', colon: ':', brackets: ['map[', ']', '[', ']'] }, string: bare,
      number: numbers.javascriptNumber, word: replacing({ null: '<nil>' }), order: sorted } },
]

/** The names of the traits that several serializers share. A trait of one serializer has no name of its own. */
export const TRAITS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [COMPACT, 'no white space'],
  [SPACED, '`, ` and `: ` as separators'],
  [INDENT_2, 'indented by 2 spaces'],
  [INDENT_4, 'indented by 4 spaces'],
  [TABS, 'indented by tabs'],
  [SPACED_COLON, '`,` and `: ` as separators'],
  [raw, 'no escape that is not needed'],
  [ascii, 'characters beyond ASCII as \\uXXXX'],
  [php, '`/` as `\\/` and characters beyond ASCII as \\uXXXX'],
  [styles.phpUnicodeString, '`/` as `\\/`'],
  [html, '`<`, `>` and `&` as \\u003c, \\u003e and \\u0026'],
  [sorted, 'sorted keys'],
])

/** Combinations of traits that no known serializer has. They are tried last. */
const COMBINED: readonly JsonStyle[] = [undefined, COMPACT, SPACED, INDENT_2, INDENT_4, TABS, SPACED_COLON].flatMap((spacing) =>
  [undefined, raw, ascii, php, styles.phpUnicodeString, html].flatMap((escaping) =>
    [undefined, sorted].map((order) => ({ spacing, escaping, order })),
  ),
)

const parsed = new WeakMap<Uint8Array, JsonText | undefined>()

/** The tokens of a body. Bytes that are not UTF-8 are read as Latin-1, which loses nothing. */
export function parseBody(body: Uint8Array): JsonText | undefined {
  if (!parsed.has(body)) parsed.set(body, parseJson(isUtf8(body) ? fromUtf8(body) : fromLatin1(body)))
  return parsed.get(body)
}

export interface JsonHypothesis extends Hypothesis<Uint8Array, Uint8Array> {
  readonly style: JsonStyle
}

/** The cost of writing a token, compared with a byte that is hashed. In a body of brackets, each byte is a token. */
const BYTES_PER_TOKEN = 128

const hypothesis = ({ likelihood, style }: Pick<JsonWriter, 'likelihood' | 'style'>): JsonHypothesis => ({
  likelihood, code: 'body_json', fix: 'serialize_once', what: 'the JSON written again', style,
  apply: (body, { spend }) => {
    const json = parseBody(body)
    spend(BYTES_PER_TOKEN * (json?.kinds.length ?? 0))
    const written = json && writeJson(json, style)
    return written === undefined ? undefined : isUtf8(body) ? utf8(written) : latin1(written)
  },
})

export const JSON_HYPOTHESES: readonly JsonHypothesis[] = [
  ...JSON_WRITERS.map(hypothesis),
  ...COMBINED.map((style) => hypothesis({ likelihood: 'rare', style })),
]

function replacing(words: { readonly [word: string]: string }): (word: string) => string {
  const replaced = new Map(Object.entries(words))
  return (word) => replaced.get(word) ?? word
}
