import { fromBase64, fromLatin1, hex, latin1 } from '../../bytes.js'
import { SHORT } from '../../capture/escapes.js'
import { bigDecimalOfJava, bigDecimalOfRuby, numberInString, preciseNumber } from '../json/numbers.js'
import {
  endOfValue,
  type JsonText,
  jsonValue,
  KEY,
  membersOf,
  NUMBER,
  OPEN_ARRAY,
  OPEN_OBJECT,
  STRING,
  textOf,
  written,
} from '../json/parse.js'
import { replaceTokens, writeInSteps } from '../json/write.js'
import { changeParts, flat, inSteps, PER_TOKEN, replaceInSteps, STEP, type Steps } from '../steps.js'
import { type Applied, type Bytes, type Proposed, several, type Variant } from './hypothesis.js'
import { inForm, VARIABLE_FORMS } from './placeholders.js'

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
export const addSlashes = (text: string) =>
  replaceInSteps(text, /['"\\\0]/g, ([one]) => `\\${one === '\0' ? '0' : one}`)

/** Adds the backslashes of `\\u00e9`, which arrived as `u00e9`. */
export const restoreUnicodeEscapes = (text: string) => replaceInSteps(text, /(?<!\\)u(?=[\da-f]{4})/gi, '\\u')

/** What printf writes for these conversions if there is no argument. For the other conversions, it writes 0. */
const NO_ARGUMENT: { readonly [letter: string]: string } = { f: '0.000000', F: '0.000000', s: '', c: '', b: '', q: '' }
const CONVERSION = /%(?:(%)|([-0]?)[-+ #0]*(\d{0,3})([diouxXfFscbq]))?/g

/** Yields the result of `printf "$text"` in a shell, which stops at an unknown conversion. */
function* printfFormat(text: string): Proposed {
  const written = yield* replaceInSteps(text, CONVERSION, ([, percent, flag = '', width = '', letter]) => {
    const value = letter && (NO_ARGUMENT[letter] ?? '0')
    if (value === undefined) return percent
    return flag === '-'
      ? value.padEnd(Number(width))
      : value.padStart(Number(width), flag === '0' && value !== '' ? '0' : ' ')
  })
  yield yield* replaceEscapes(written, true)
}

/** Replaces escapes such as `\n`, as `echo -e` does. Only printf also replaces `\"`. */
const replaceEscapes = (text: string, hasQuotes: boolean) =>
  replaceInSteps(
    text,
    /\\(?:u([\da-fA-F]{1,4})|x([\da-fA-F]{1,2})|([nrtbf\\"]))/g,
    ([sequence, unit, byte, short = '']) => {
      if (short === '') return String.fromCharCode(Number(`0x${unit ?? byte}`))
      return short === '"' && !hasQuotes ? sequence : (SHORT[short] ?? short)
    },
  )

/** The names of the body in templates that a program fills in by search and replace. */
const MARKS = ['body', 'BODY', 'payload', 'data'].flatMap((name) =>
  [...VARIABLE_FORMS, '__x__', '@x@', '<x>'].map((form) => inForm(form, name)),
)
/** The variables in double quotes of a shell and of PHP, in a template, and in a batch file. */
const VARIABLES = [/\$(?:\d|[A-Za-z_]\w*|\{[^}]*\}|[@*!-])/g, /\$(?:[A-Za-z_]\w*|\{[^}]*\})/g, /\$\{[^}]*\}/g, /%\w*%/g]

type Replacement = readonly [pattern: RegExp, replace: Parameters<typeof replaceInSteps>[2]]
/** Returns a function that yields a text after each of these replacements. */
const afterEach = (...replacements: readonly Replacement[]) =>
  function* (text: string): Proposed {
    for (const [pattern, replace] of replacements) yield yield* replaceInSteps(text, pattern, replace)
  }

/** What code makes of a body that it reads as a format, a template or a part of a command. */
export const READ_AS_CODE: { readonly [how: string]: (text: string) => Proposed } = {
  'as printf reads a format: `%%` is `%`, and `%d` is a number': (text) =>
    text.includes('%') ? printfFormat(text) : [],
  'with one `%` for each `%%`': afterEach([/%%/g, '%']),
  'with one brace for each `{{` and `}}`, as in a template': afterEach([/\{\{|\}\}/g, ([two]) => two.charAt(0)]),
  *'after a replace that reads `$$` and `$&` in it, as in JavaScript'(text) {
    for (const mark of text.includes('$&') ? MARKS : ['']) {
      yield yield* replaceInSteps(text, /\$([$&`'])/g, ([, special]) =>
        special === '$' ? special : special === '&' ? mark : '',
      )
    }
  },
  *'with its escapes replaced, such as `\\n` by a newline, as `echo -e` and printf do'(text) {
    yield yield* replaceEscapes(text, false)
  },
  *'with its escapes replaced, also `\\"` by a quote, as printf does'(text) {
    yield yield* replaceEscapes(text, true)
  },
  'without its backslashes': afterEach([/\\(.)/gs, ([, character]) => character], [/\\/g, '']),
  'without the parts that a shell or a template reads as variables (`$…`)': afterEach(
    ...VARIABLES.map((variable) => [variable, ''] as const),
  ),
  'with a backslash before each `!`, as some shells quote it': afterEach([/!/g, '\\!']),
}

const isForm = (text: string) => /^[^{["=]+=/.test(text) && !/\s/.test(text)

/** The cost of a field of a form. */
const PER_FIELD = 6 * PER_TOKEN

/** Yields the names and values of a form such as `a=1&b=2`, or of multipart. A number is the cost of the work on the next ones. */
function* fieldsOf(text: string): Iterable<readonly [name: string, value: string] | number> {
  if (!isForm(text)) {
    for (const { head, content } of splitMultipart(text)) {
      const [, name] = /\bname="([^"]*)"/.exec(head) ?? []
      if (name !== undefined) yield [name, content]
    }
    return
  }
  let end: number
  for (let start = 0; start < text.length; start = end + 1) {
    end = text.indexOf('&', start + STEP)
    if (end === -1) end = text.length
    const fields = new URLSearchParams(text.slice(start, end))
    yield end - start + PER_FIELD * fields.size
    yield* fields
  }
}

/** Yields the values of a form such as `a=1&b=2`, or nothing if the text is not a form. */
export function* formFields(text: string): Iterable<Variant<string> | number> {
  let count = 0
  for (const field of isForm(text) ? fieldsOf(text) : []) {
    if (typeof field === 'number') yield field
    else if (++count > MAX_PARTS) return
    else yield { detail: field[0].slice(0, 64), value: field[1] }
  }
}

/** Returns a function that writes the fields of a form, or of multipart, in another format. */
const rewriteFields = (separator: string, write: (name: string, value: string) => string | Steps<string>) =>
  function* (text: string): Steps<string | undefined> {
    let [fields, part] = ['', '']
    for (const field of fieldsOf(text)) {
      if (typeof field !== 'number') part += separator + (yield* inSteps(write(...field)))
      else {
        yield field
        fields += flat(part)
        part = ''
      }
    }
    return (fields + part).slice(1) || undefined
  }

const encodeFormAgain = (encode: (part: string) => string) =>
  rewriteFields('&', function* (name, value) {
    return `${yield* changeParts(name, encode)}=${yield* changeParts(value, encode)}`
  })
export const formWithPercent = encodeFormAgain(percentEncode)
export const formWithPlus = encodeFormAgain(formEncode)

const formAsJson = (write: (value: string) => string) => {
  const rewrite = rewriteFields(',', (name, value) => `${JSON.stringify(name)}:${write(value)}`)
  return function* (text: string): Steps<string | undefined> {
    const members = yield* rewrite(text)
    return members && `{${members}}`
  }
}
export const formAsStrings = formAsJson(JSON.stringify)
export const formAsLiterals = formAsJson(literalOrString)

/** Returns the value of a form field as JSON: `1`, `true` and `null` without quotes, and other values as strings. */
function literalOrString(value: string): string {
  const word = { True: 'true', False: 'false', None: 'null' }[value] ?? value
  return /^(-?(0|[1-9]\d*)(\.\d+)?|true|false|null)$/.test(word) ? word : JSON.stringify(value)
}

/** The maximum length of a form, as a multiple of the length of the JSON. */
const MAX_FORM_GROWTH = 16
/** The maximum number of tokens in JSON that is written as a form. No sender has so many fields. */
const MAX_FORM_TOKENS = 2 ** 17

/** Returns a JSON object as a form, with `outer[inner]` as the name of a nested field. Returns `undefined` if this is not possible. */
export function* jsonAsForm({ text, kinds }: JsonText): Steps<string | undefined> {
  if (kinds[0] !== OPEN_OBJECT || kinds.length > MAX_FORM_TOKENS) return undefined
  const parsed: object = JSON.parse(text)
  const fields: string[] = []
  let length = 0
  const pending: [string, unknown][] = Object.entries(parsed).reverse()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [name, value] = next
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value).reverse()) pending.push([`${name}[${key}]`, inner])
    } else {
      const field = `${formEncode(name)}=${formEncode(String(value ?? ''))}`
      fields.push(field)
      // With deep nesting, the names of the fields become very long.
      length += field.length
      if (fields.length % STEP === 0) yield STEP
      if (length > MAX_FORM_GROWTH * text.length) return undefined
    }
  }
  return fields.join('&')
}

/** Returns the text in a body that is one JSON string, or `undefined` for other bodies. */
export function stringInside(text: string): string | undefined {
  return /^\s*"/.test(text) ? (jsonValue(text) as string | undefined) : undefined
}

const MAX_PARTS = 32
const MIN_TEXT_PART = 8

/** Returns the objects, arrays and longer strings inside a JSON body. The sender may have signed only one of them. */
export function* jsonParts(json: JsonText): Iterable<Variant<Bytes> | number> {
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
      yield text.length
      const decoded = fromBase64(text)
      if (decoded !== undefined) yield { detail: `base64${of}, decoded,`, value: decoded }
    }
    if (token % STEP === 0) yield STEP
  }
}

/** The maximum length of the first line of a multipart body, which is two dashes and a boundary (RFC 2046, section 5.1.1). */
const MAX_BOUNDARY = 72
const MAX_MULTIPART = 8

function splitMultipart(body: string): { head: string; content: string; detail: string }[] {
  const [boundary] = /^--[^\r\n]+(?=\r\n)/.exec(body.slice(0, MAX_BOUNDARY + 2)) ?? []
  if (boundary === undefined) return []
  const parts = `\r\n${body}`.split(`\r\n${boundary}`, MAX_MULTIPART + 1).slice(1)
  return parts.flatMap((part, index) => {
    const [head = '', content] = part.split(/\r\n\r\n(.*)/s, 2)
    return content === undefined ? [] : [{ head, content, detail: `part ${index + 1}` }]
  })
}

export function multipartParts(body: string): Variant<Uint8Array>[] {
  return splitMultipart(body).map(({ content, detail }) => ({ detail, value: latin1(content) }))
}

/** For each member of an object, returns the JSON without this member. A member may have been added after the body was signed. */
export function* withoutMember(json: JsonText): Iterable<Variant<string>> {
  if (json.kinds[0] !== OPEN_OBJECT) return
  const { text, starts, ends } = json
  let count = 0
  for (const { key, from, to } of membersOf(json, 0)) {
    if (count++ === MAX_PARTS) return
    // A comma is removed too: after the first member, or before any other member.
    const [start, end] = count === 1 ? [starts[from], starts[to]] : [ends[from - 1], ends[to - 1]]
    yield { detail: key.slice(0, 64), value: text.slice(0, start) + text.slice(end) }
  }
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const toPascalCase = (key: string) => key.split('_').map(capitalize).join('')
/** The styles in which serializers write the names of fields. */
const CASES: readonly (readonly [name: string, write: (key: string) => string])[] = [
  ['PascalCase', toPascalCase],
  ['camelCase', (key) => key.charAt(0).toLowerCase() + toPascalCase(key).slice(1)],
  ['snake_case', (key) => key.replace(/(?<=[a-z\d])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, '_$&').toLowerCase()],
]

/** For each of these styles, returns the JSON with its keys in this style. */
export function* recasedKeys(json: JsonText): Iterable<Variant<string> | number> {
  for (const [detail, write] of CASES) {
    const value = yield* replaceTokens(json, (token) =>
      json.kinds[token] === KEY ? JSON.stringify(write(textOf(json, token))) : written(json, token),
    )
    yield { detail, value }
  }
}

/** Returns a function that writes each empty object or array, which `opening` begins, as another text. */
const replaceEmpty = (opening: number, open: string, close: string) => (json: JsonText) =>
  replaceTokens(json, (token) => {
    const isEmpty = (opened: number) => json.kinds[opened] === opening && json.closes[opened] === opened + 1
    return isEmpty(token) ? open : isEmpty(token - 1) ? close : written(json, token)
  })

const DATE = /^"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.0+)?(Z|[+-]00:?00)?"$/

/** The ends of a date in UTC, as serializers write them. `$2` and `$3` are the fraction and the zone that were received. */
const ENDS = ['$2', '', '.000', '.000000', '.0000000'].flatMap((zeros) =>
  ['$3', 'Z', '+00:00', ''].map((zone) => zeros + zone),
)

/** Returns the JSON with its dates as other serializers write them, if they have no fraction and are in UTC. */
function* rewrittenDates(json: JsonText): Proposed {
  for (const end of ENDS) {
    const rewrite = (string: string) => (DATE.test(string) ? string.replace(DATE, `"$1${end}"`) : undefined)
    const value = yield* withAllChanges(json, yield* changeTokens(json, STRING, rewrite))
    if (value === undefined) return
    yield value
  }
}

const numbersAs = (number: (written: string) => string) => (json: JsonText) => writeInSteps(json, { number })
const ifFloat = (number: (written: string) => string) => (written: string) =>
  /^-?\d+$/.test(written) ? written : number(written)

/** What a serializer may make of values when it writes JSON again. */
export const OTHER_VALUES: { readonly [how: string]: (json: JsonText) => Applied<Bytes> | Steps<Applied<Bytes>> } = {
  'an empty array (`[]`) for each empty object (`{}`), as PHP keeps it': replaceEmpty(OPEN_OBJECT, '[', ']'),
  'an empty object (`{}`) for each empty array, as JSON_FORCE_OBJECT writes it': replaceEmpty(OPEN_ARRAY, '{', '}'),
  'null for each empty array (`[]`), as Go writes a nil slice': replaceEmpty(OPEN_ARRAY, 'null', ''),
  'dates with another fraction (`.000`) or another form of UTC (`Z`, `+00:00`)': (json) =>
    several(rewrittenDates(json)),
  'numbers of 17 digits, as PHP writes them with serialize_precision = 17': numbersAs(ifFloat(preciseNumber(17))),
  'decimals as Ruby prints a BigDecimal, such as `0.75e1`': numbersAs(ifFloat(bigDecimalOfRuby)),
  'all numbers as Ruby prints a BigDecimal, such as `0.1e3`': numbersAs(bigDecimalOfRuby),
  'numbers as Java prints a BigDecimal without zeros at its end, such as `1E+3`': numbersAs(bigDecimalOfJava),
  'numbers of 15 digits, as C++ and old PHP write them': numbersAs(ifFloat(preciseNumber(15))),
}

const MAX_CHANGED_TOKENS = 64

/** The new texts of changed tokens, by the index of the token. */
type ChangedTokens = ReadonlyMap<number, string>

function* changeTokens(
  json: JsonText,
  kind: number,
  change: (token: string) => string | undefined,
): Steps<ChangedTokens> {
  const changes = new Map<number, string>()
  for (const [token, one] of json.kinds.entries()) {
    const changed = one === kind ? change(written(json, token)) : undefined
    if (changed !== undefined) changes.set(token, changed)
    if ((token + 1) % STEP === 0) yield STEP
  }
  return changes
}

/** Returns the JSON text with all changes, or `undefined` if there are no changes. */
function* withAllChanges(json: JsonText, changes: ChangedTokens): Steps<string | undefined> {
  if (changes.size === 0) return undefined
  return yield* replaceTokens(json, (token) => changes.get(token) ?? written(json, token))
}

/** For each change, returns the JSON text with only this change. */
function* withOneChange({ text, starts, ends }: JsonText, changes: ChangedTokens): Iterable<Variant<string>> {
  for (const [token, changed] of [...changes].slice(0, MAX_CHANGED_TOKENS)) {
    yield { detail: changed, value: text.slice(0, starts[token]) + changed + text.slice(ends[token]) }
  }
}

/** Returns the JSON with `1.0` or `1.00` for `1`, or with `1.50` for `1.5`, because a parser may have removed these zeros. */
export function* restoredFloats(json: JsonText): Iterable<Variant<string> | number> {
  for (const ending of ['.0', '.00', '0']) {
    const form = ending === '0' ? /\.\d$/ : /^-?\d+$/
    const changes = yield* changeTokens(json, NUMBER, (number) => (form.test(number) ? number + ending : undefined))
    const all = changes.size > 1 ? yield* withAllChanges(json, changes) : undefined
    if (all !== undefined) yield { detail: 'every value', value: all }
    yield* withOneChange(json, changes)
  }
}

const quoteNumbers = (json: JsonText) => changeTokens(json, NUMBER, (number) => `"${number}"`)

/** Matches a string that PHP reads as a number. A longer one would take long. */
const NUMERIC = /^"( *[+-]?(?:\d{1,300}(?:\.\d{0,99})?|\.\d{1,99})(?:e[+-]?\d{1,3})?) *"$/i

/** Returns the JSON with each string of digits as a number: unchanged if this is JSON, and as PHP writes the number. */
export function* stringsAsNumbers(json: JsonText): Proposed {
  const unquote = (string: string) => /^"(-?(?:0|[1-9]\d*)(?:\.\d+)?)"/.exec(string)?.[1]
  const read = (string: string) => {
    const [, number] = NUMERIC.exec(string) ?? []
    return number && numberInString(number)
  }
  for (const change of [unquote, read]) {
    const changed = yield* withAllChanges(json, yield* changeTokens(json, STRING, change))
    if (changed !== undefined) yield changed
  }
}

export function* numbersAsStrings(json: JsonText): Steps<string | undefined> {
  return yield* withAllChanges(json, yield* quoteNumbers(json))
}

export function* oneNumberAsString(json: JsonText): Iterable<Variant<string> | number> {
  yield* withOneChange(json, yield* quoteNumbers(json))
}

/** Adds a line break before each indentation in JSON. Returns `undefined` if the text has line breaks, or no indentation. */
export function* restoreLineBreaks(text: string): Steps<string | undefined> {
  const restored = yield* replaceInSteps(text, /(?<![ \t])(?: {2,}|\t+)(?=\S)|[}\]]$/g, ([one]) => `\n${one}`)
  return /\n[ \t]/.test(restored) && !text.includes('\n') ? restored : undefined
}

/** Returns bytes as Python's repr writes them: `b'…'`, or `b"…"` if they contain `'` but not `"`. */
export function* pythonBytes(body: Uint8Array): Steps<string> {
  const text = fromLatin1(body)
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = yield* replaceInSteps(text, /[^ -~]|[\\'"]/g, ([one]) => {
    if (/[\n\r\t\\]/.test(one)) return JSON.stringify(one).slice(1, -1)
    return /[ -~]/.test(one) ? (one === quote ? `\\${one}` : one) : `\\x${hex(latin1(one))}`
  })
  return `b${quote}${escaped}${quote}`
}
