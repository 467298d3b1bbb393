import { fromBase64, fromLatin1, fromUtf8, utf8 } from '../bytes.js'
import { jsonValue } from '../diagnose/json/parse.js'
import type { CapturedRequest, PossibleBody } from './captured-request.js'
import { decodeEscapes, decodeLiterals, printedBytes } from './escapes.js'
import { anyNameOf, type Header, hasSignature, pairsOf, SCHEME_HEADERS } from './headers.js'
import { firstLineOf } from './http-text.js'

// This file finds the headers and the body in free text, such as a line of an access log, or the output of `var_dump` or `console.log`. The
// body is a guess, so it is used only if its length or the signature is right.

/** The maximum number of bytes that are read. A longer text is probably the log of many requests. */
const MAX_TEXT = 2 ** 18
const MAX_BODIES = 16

/** Matches the text that PHP, Go and YAML print before a value in a list: `Array\n(\n [0] => `, `array(1) {\n [0]=>\n`, `[]string{` or `- `. */
const LIST = '(?:array\\s{0,40}\\((?:1\\) \\{)?\\s{0,40}\\[?0\\]? ?=>\\s{0,40}|\\[\\]string\\{|- )?'
/** Matches the text between a name and its value, as in `x: 1`, `"x"=>"1"`, `x=[1`, `[x, 1]` or `["x"]=>\n  string(1) "1`. */
const ASSIGNED = `["'\\]*\`]*[ \\t]{0,40}(?:=>|[:=,|\\t]|[ \\t])\\*{0,2}\\s{0,40}${LIST}(?:string\\(\\d+\\) )?[["'{\`]*`
/** Matches a value, which has at least one letter or digit, or is masked. */
const VALUE = '((?=[^\\s"\'`\\],;)}\\\\]*[a-z0-9])[^\\s"\'`\\],;)}\\\\]+|[*•]{3,})'

/** Matches the list of signatures of Standard Webhooks, which has spaces and commas. */
const SIGNATURES = '(v1,[\\w+/]{43}=(?: v\\w+,[\\w+/]+=*)*)'

/** The names of the headers of each scheme, and what matches a name with its value. */
const HEADERS = SCHEME_HEADERS.map((names) =>
  [...Object.values(names), 'content-length'].map((name) => {
    const value = name.startsWith('x-') || !hasSignature(name) ? VALUE : `(?:${SIGNATURES}|${VALUE})`
    return [name, new RegExp(`(?<![\\w-])(?:http_)?${name.replaceAll('-', '[-_]')}${ASSIGNED}${value}`, 'i')] as const
  }),
)
/** For text without headers: a variable is read as a header only if its value has that header's form, such as digits for `timestamp`. */
const VARIABLES = [
  ['x-timestamp', 'timestamp', '(\\d{9,13})\\b'],
  ['x-nonce', 'nonce', VALUE],
  ['x-signature', 'signature', '([\\w+/=-]{43,})'],
].map(([name, variable, value]) => [String(name), new RegExp(`\\b${variable}${ASSIGNED}${value}`, 'i')] as const)

const ANY = new RegExp(anyNameOf('timestamp', 'nonce', 'signature'), 'i')

const BODY =
  /\b(?:raw_?|request_?)?(?:body|data|content|payload)\b["'\]]*(?:\s{0,40}(?:=>|[:=])| before transformations:)\s{0,40}/gi

export function readLooseText(bytes: Uint8Array): CapturedRequest | undefined {
  const text = fromUtf8(bytes.subarray(0, MAX_TEXT))
  const found = (ANY.test(text) ? HEADERS : [VARIABLES]).map((names) =>
    names.flatMap(([name, pattern]): Header[] => {
      const value = pattern.exec(text)?.slice(1).find(Boolean)
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const headers = found.find((all) => all.filter(([name]) => name !== 'content-length').length === 3)
  if (headers === undefined) return undefined
  const bodies: PossibleBody[] = []
  for (const body of possibleBodies(text)) if (bodies.push(body) === MAX_BODIES) break
  // A value between quotes is the likeliest, because its bytes are exact.
  const [first, ...others] = [true, false].flatMap((isExact) =>
    bodies.filter(({ certainty }) => (certainty === 'exact') === isExact),
  )
  return {
    headers: [...requestLineOf(text), ...headers],
    body: undefined,
    ...first,
    otherBodies: others,
    isGuess: true,
    isLoose: true,
  }
}

function requestLineOf(text: string): Header[] {
  const [, method, path] = /\b(GET|POST|PUT|PATCH|DELETE) (?:https?:\/\/[^/\s"]+)?(\/[!-~]*?)["\s]/.exec(text) ?? []
  return path === undefined ? [] : pairsOf([':method', String(method), ':path', path])
}

function* possibleBodies(text: string): Generator<PossibleBody> {
  for (const { bytes, isWhole } of printedBytes(text)) yield isWhole ? exact(bytes) : { body: bytes }
  for (const { 0: mark, index } of text.matchAll(BODY)) yield* valueAt(text, index + mark.length)
  // Bruno writes the body in a block such as `body:json { … }`, and indents each line of the body.
  const [, block] = /^body:\w+ \{\r?\n([\s\S]*?)\r?\n\}/m.exec(text) ?? []
  if (block !== undefined) yield { body: utf8(block.replace(/^ {2}/gm, '')) }
  for (const line of text.split(/\r?\n/)) {
    for (const [open, close] of ['{}', '[]']) {
      const json = line.slice(line.indexOf(String(open)), line.lastIndexOf(String(close)) + 1)
      if (json !== '' && line.includes(String(open))) yield* printed(json)
    }
  }
  // An object can have several lines. The line with its last bracket has the same indentation as the line with its first bracket.
  const openings = [...text.matchAll(/^([ \t]*)(?:[}\]] |\S{0,40}[:=]? )?[{[][ \t]*$/gm)]
  for (const { 0: line, 1: indent = '', index } of openings.slice(0, MAX_BODIES)) {
    const start = index + line.trimEnd().length - 1
    const end = text.slice(start).search(new RegExp(`^${indent}[}\\]]`, 'm'))
    const block = text.slice(start, start + end + indent.length + 1)
    if (end !== -1 && !hasSignature(block)) yield* printed(block)
  }
}

const exact = (body: Uint8Array): PossibleBody => ({ body, certainty: 'exact' })

/** Yields the JSON of a printed object, and the text of the object itself, which may be JSON already. */
function* printed(text: string): Generator<PossibleBody> {
  const json = jsonOfPrinted(text)
  if (json !== undefined) yield { body: utf8(json), certainty: 'rewritten' }
  yield { body: utf8(text) }
}

/** Yields the values that may begin at an index: a string in quotes, or the rest of the line or of the text. */
function* valueAt(text: string, start: number): Generator<PossibleBody> {
  const value = text.slice(start)
  if (/^(?:<?Buffer|Uint8Array|ArrayBuffer)\b/.test(value)) return
  const quoted = decodeLiterals(text, start)
  // After 10 000 characters, Node prints how many more there are.
  if (quoted !== undefined && !/^\.\.\. \d+ more/.test(text.slice(quoted.end)))
    yield* [exact(quoted.bytes), { body: utf8(text.slice(start + 1, quoted.end - 1)) }]
  yield* printed(firstLineOf(value))
  yield { body: utf8(value.trimEnd()) }
}

/** Matches the strings, names and words of a printed object. Without `|$` and the lookbehind, a long text would take quadratic time. */
const PRINTED =
  /'((?:\\[\s\S]|[^'\\])*)(?:'|$)|"(?:\\[\s\S]|[^"\\])*(?:"|$)|(?<![\w$])([A-Za-z_$][\w$]*)(?=\s{0,40}:)|=>|None|nil|True|False/g
const PRINTED_WORDS: { readonly [word: string]: string } = {
  None: 'null',
  nil: 'null',
  True: 'true',
  False: 'false',
  '=>': ':',
}

/** Returns the JSON of an object that Python, Ruby or Node printed: `{'a': None}`, `{"a"=>nil}` or `{ a: null }`. */
function jsonOfPrinted(text: string): string | undefined {
  if (!/^[{[]/.test(text) || !/[}\]]/.test(text.trimEnd().slice(-1)) || jsonValue(text) !== undefined) return undefined
  const json = text.replace(PRINTED, (piece, string?: string, name?: string) => {
    if (string !== undefined) return JSON.stringify(fromUtf8(decodeEscapes(string)))
    return name === undefined ? (PRINTED_WORDS[piece] ?? piece) : JSON.stringify(name)
  })
  return jsonValue(json) === undefined ? undefined : json
}

/** Decodes a capture that is completely base64. Returns `undefined` for other captures. */
export function decodeWhole(beginning: string, bytes: Uint8Array): Uint8Array | undefined {
  return /^[\w+/-]{60}/.test(beginning) ? fromBase64(fromLatin1(bytes).replace(/\s+/g, '')) : undefined
}
