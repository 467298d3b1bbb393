import { Buffer } from 'node:buffer'
import { ENVELOPE } from './body.js'
import { type Choice, RAREST } from './choice.js'
import {
  type Arrange,
  type JsonStyle,
  type JsonText,
  KEY,
  type Member,
  membersOf,
  NUMBER,
  OPEN_ARRAY,
  OPEN_OBJECT,
  reorder,
  type Spacing,
  STRING,
  textOf,
  writeJson,
} from './json.js'
import {
  allTwoDecimals,
  asString,
  gsonNumber,
  javaNumber,
  javascriptNumber,
  type NumberStyle,
  phpNumber,
  pythonNumber,
  rubyNumber,
  rustNumber,
  twoDecimals,
  unroundedIntegers,
  wholeAsFloat,
} from './json-numbers.js'
import { asciiString, phpString, pythonString, quoted, type StringStyle } from './json-strings.js'
import { joinWords } from './text.js'

/** One thing about how JSON is written: its cost where nothing else suggests it, and a phrase for it. */
interface Trait<T> {
  readonly cost: number
  readonly what: string
  readonly value: T
}

const trait = <T>(cost: number, what: string, value: T): Trait<T> => ({ cost, what, value })

const SPACINGS = {
  compact: trait(2, 'without white space', { item: ',', colon: ':' }),
  spaced: trait(2, 'with `, ` and `: ` as separators', { item: ', ', colon: ': ' }),
  indent2: trait(3, 'indented by 2 spaces', { item: ',', colon: ': ', indent: '  ' }),
  indent4: trait(3, 'indented by 4 spaces', { item: ',', colon: ': ', indent: '    ' }),
  tab: trait(4, 'indented by tabs', { item: ',', colon: ': ', indent: '\t' }),
  spacedColon: trait(5, 'with `,` and `: ` as separators', { item: ',', colon: ': ' }),
  spacedItem: trait(5, 'with `, ` and `:` as separators', { item: ', ', colon: ':' }),
  wideColon: trait(5, 'with `, ` and ` : ` as separators', { item: ', ', colon: ' : ' }),
  padded: trait(6, 'with `, ` and `: ` as separators and spaces inside the brackets', {
    item: ', ',
    colon: ': ',
    pad: ' ',
  }),
  ruby: trait(4, "indented as Ruby's pretty_generate did before 2.7.3 of its library", {
    item: ',',
    colon: ': ',
    indent: '  ',
    hollow: ['\n', '\n\n'],
  }),
  jackson: trait(5, "indented as Java's Jackson does", {
    item: ',',
    colon: ' : ',
    indent: '  ',
    inlineArrays: true,
    pad: ' ',
  }),
  indent3: trait(5, 'indented by 3 spaces, with ` : ` after a key', { item: ',', colon: ' : ', indent: '   ' }),
  indent3plain: trait(6, 'indented by 3 spaces', { item: ',', colon: ': ', indent: '   ' }),
  indent1: trait(6, 'indented by 1 space', { item: ',', colon: ': ', indent: ' ' }),
  indent0: trait(6, 'with line breaks and no indentation', { item: ',', colon: ': ', indent: '' }),
  indent8: trait(6, 'indented by 8 spaces', { item: ',', colon: ': ', indent: '        ' }),
  trailing: trait(6, 'indented by 4 spaces, with a space after each comma', {
    item: ', ',
    colon: ': ',
    indent: '    ',
  }),
} satisfies Record<string, Trait<Spacing>>

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: JSON escapes them. */
/** Those that claim less stand before those that claim more: of styles that give the same, the first one's phrase is said. */
const STRINGS = {
  raw: trait(3, 'no character escaped that need not be', JSON.stringify),
  slashes: trait(3, '`/` as `\\/`', quoted(/["\\/\x00-\x1f\u2028\u2029]/g)),
  ascii: trait(3, 'characters beyond ASCII as \\uXXXX', asciiString),
  php: trait(3, '`/` as `\\/` and characters beyond ASCII as \\uXXXX', phpString),
  asciiButDelete: trait(5, 'characters beyond ASCII as \\uXXXX', quoted(/["\\\x00-\x1f\x80-\uffff]/g)),
  html: trait(3, '`<`, `>` and `&` as \\u003c, \\u003e and \\u0026', quoted(/["\\<>&\x00-\x1f\u2028\u2029]/g)),
  htmlOld: trait(
    4,
    '`<`, `>` and `&` as \\u003c, \\u003e and \\u0026',
    quoted(/["\\<>&\x00-\x1f\u2028\u2029]/g, '\b\f'),
  ),
  lines: trait(4, 'U+2028 and U+2029 escaped', quoted(/["\\\x00-\x1f\u2028\u2029]/g)),
  linesOld: trait(5, 'U+2028 and U+2029 escaped', quoted(/["\\\x00-\x1f\u2028\u2029]/g, '\b\f')),
  uppercase: trait(
    4,
    'characters beyond ASCII as \\uXXXX in uppercase',
    quoted(/["\\\x00-\x1f\x80-\uffff]/g, '', 0x10000),
  ),
  systemTextJson: trait(
    3,
    "characters beyond ASCII, quotes, `<`, `>`, `&`, `'` and `+` as \\uXXXX in uppercase",
    quoted(/["\\<>&'+`\x00-\x1f\x7f-\uffff]/g, '"', 0x10000),
  ),
  gson: trait(4, "`<`, `>`, `&`, `=` and `'` as \\uXXXX", quoted(/["\\<>&='\x00-\x1f\u2028\u2029]/g)),
  newtonsoft: trait(5, 'U+0085, U+2028 and U+2029 escaped', quoted(/["\\\x00-\x1f\u0085\u2028\u2029]/g)),
  javascriptSerializer: trait(5, "`<`, `>`, `&` and `'` as \\uXXXX", quoted(/["\\<>&'\x00-\x1f\u0085\u2028\u2029]/g)),
  symfony: trait(
    4,
    "quotes, `<`, `>`, `&` and `'` as \\uXXXX in uppercase, `/` as `\\/`, characters beyond ASCII as \\uXXXX",
    quoted(/["\\/<>&'\x00-\x1f\x80-\uffff]/g, '"', 0x80),
  ),
  upperHtmlSlashes: trait(
    6,
    'every character beyond letters and digits of ASCII as \\uXXXX',
    quoted(/["\\/<>&'+=`\x00-\x1f\x7f-\uffff]/g, '"/', 0x10000),
  ),
} satisfies Record<string, Trait<StringStyle>>
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: JSON escapes them. */

const NUMBERS = {
  javascript: trait(3, 'numbers as a JavaScript parser keeps them', javascriptNumber),
  python: trait(4, "numbers as Python's parser keeps them", pythonNumber),
  ruby: trait(5, "numbers as Ruby's parser keeps them", rubyNumber),
  java: trait(5, "numbers as Java's double keeps them", javaNumber),
  php: trait(5, "numbers as PHP's parser keeps them", phpNumber),
  gson: trait(5, 'integers as doubles of Java (1.7E9)', gsonNumber),
  rust: trait(5, 'numbers as Rust writes them (1e-7)', rustNumber),
  wholeAsFloat: trait(4, 'integers as floats (1.0)', wholeAsFloat),
  twoDecimals: trait(4, 'fractions with two decimals (0.50)', twoDecimals),
  allTwoDecimals: trait(5, 'numbers with two decimals (1.00)', allTwoDecimals),
  strings: trait(7, 'numbers as strings', asString),
} satisfies Record<string, Trait<NumberStyle>>

const byKey = (one: Member, other: Member) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0)

/** One member a key, the last one's value in the place of the first, as parsers keep them. */
function unique(members: Member[]): Member[] {
  const last = new Map(members.map((member) => [member.key, member]))
  return last.size === members.length ? members : [...last.values()]
}

/** The order of a Java HashMap: by the place of a key in a table of a power of two that is full to three quarters. */
function hashed(members: Member[]): Member[] {
  let size = 16
  while (size * 0.75 < members.length) size *= 2
  const places = members.map((member) => {
    let hash = 0
    for (let index = 0; index < member.key.length; index++) hash = (31 * hash + member.key.charCodeAt(index)) | 0
    return { member, place: (hash ^ (hash >>> 16)) & (size - 1) }
  })
  return places.sort((one, other) => one.place - other.place).map(({ member }) => member)
}

const isArrayIndex = ({ key }: Member) => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1

const ORDERS = {
  javascript: trait(3, 'the keys that are integers first, as JavaScript keeps them', (members) => {
    const once = unique(members)
    const indices = once.filter(isArrayIndex).sort((one, other) => Number(one.key) - Number(other.key))
    return indices.length === 0 ? once : [...indices, ...once.filter((member) => !isArrayIndex(member))]
  }),
  sorted: trait(3, 'the keys sorted', (members) => unique(members).sort(byKey)),
  sortedOutside: trait(5, 'the outermost keys sorted', (members, depth) =>
    depth === 0 ? unique(members).sort(byKey) : members,
  ),
  byLength: trait(5, "the keys sorted by length, as PostgreSQL's jsonb does", (members) =>
    unique(members).sort((one, other) => one.key.length - other.key.length || byKey(one, other)),
  ),
  hashMap: trait(4, "the keys as Java's HashMap keeps them", (members) => hashed(unique(members))),
  withoutNulls: trait(4, 'without the members that are null', (members, _, json) =>
    members.filter(({ from }) => writtenAt(json, from + 1) !== 'null'),
  ),
  reversed: trait(4, 'the keys in reverse order', (members) => members.reverse()),
  sortedAnyCase: trait(4, 'the keys sorted whatever their case', (members) =>
    unique(members)
      .map((member) => ({ ...member, key: member.key.toLowerCase() }))
      .sort(byKey),
  ),
} satisfies Record<string, Trait<Arrange>>

/** The traits that come together in one language's serializer. */
interface Profile {
  readonly cost: number
  /** What writes so, to stand after "as"; none for the bare combination. */
  readonly writer: string
  readonly spacing: keyof typeof SPACINGS
  readonly strings: keyof typeof STRINGS
  readonly numbers?: keyof typeof NUMBERS
  readonly order?: keyof typeof ORDERS
  /** The line of code that signs and sends the same bytes. */
  readonly fix: string
}

const NODE = 'Node: const body = JSON.stringify(event); sign body and send the same body'
const PYTHON =
  'Python: body = json.dumps(event).encode(); sign body and send requests.post(url, data=body, headers=headers), not json=event'
const PHP = 'PHP: $body = json_encode($event); sign $body and send CURLOPT_POSTFIELDS => $body'
const GO = 'Go: body, err := json.Marshal(event); sign body and send bytes.NewReader(body)'
const RUBY = 'Ruby: body = JSON.generate(event); sign body and send Net::HTTP.post(uri, body, headers)'
const DOTNET =
  'C#: var body = JsonSerializer.SerializeToUtf8Bytes(event); sign body and send new ByteArrayContent(body), not PostAsJsonAsync'
const JAVA = 'Java: byte[] body = mapper.writeValueAsBytes(event); sign body and send BodyPublishers.ofByteArray(body)'
const SHELL = 'shell: jq -c . > body.json; sign the file and send it with curl --data-binary @body.json'
const PERL = 'Perl: my $body = encode_json($event); sign $body and send it as the content of the request'

function profile(
  cost: number,
  writer: string,
  fix: string,
  spacing: Profile['spacing'],
  rest: Omit<Profile, 'cost' | 'writer' | 'fix' | 'spacing'>,
): Profile {
  return { cost, writer, fix, spacing, ...rest }
}

/** What serializers write by default, the most common first. A body that one of them has gone through is tried as such. */
const PROFILES: readonly Profile[] = [
  profile(2, "JavaScript's JSON.stringify", NODE, 'compact', {
    strings: 'raw',
    numbers: 'javascript',
    order: 'javascript',
  }),
  profile(2, "Python's json.dumps", PYTHON, 'spaced', { strings: 'ascii', numbers: 'python' }),
  profile(3, "PHP's json_encode", PHP, 'compact', { strings: 'php', numbers: 'php' }),
  profile(3, "Go's json.Marshal", GO, 'compact', { strings: 'html' }),
  profile(4, "Python's json.dumps with ensure_ascii=False", PYTHON, 'spaced', { strings: 'raw', numbers: 'python' }),
  profile(5, "Python's orjson", PYTHON, 'compact', { strings: 'raw', numbers: 'rust' }),
  profile(4, "Python's json.dumps with separators=(',', ':')", PYTHON, 'compact', {
    strings: 'ascii',
    numbers: 'python',
  }),
  profile(4, "Python's json.dumps with sort_keys=True", PYTHON, 'spaced', {
    strings: 'ascii',
    numbers: 'python',
    order: 'sorted',
  }),
  profile(4, "Python's json.dumps with sort_keys=True and separators=(',', ':')", PYTHON, 'compact', {
    strings: 'ascii',
    numbers: 'python',
    order: 'sorted',
  }),
  profile(4, "Go's json.Marshal of a map", GO, 'compact', { strings: 'html', numbers: 'javascript', order: 'sorted' }),
  profile(4, "JavaScript's JSON.stringify with 2 spaces", NODE, 'indent2', {
    strings: 'raw',
    numbers: 'javascript',
    order: 'javascript',
  }),
  profile(4, "JavaScript's JSON.stringify with 4 spaces", NODE, 'indent4', {
    strings: 'raw',
    numbers: 'javascript',
    order: 'javascript',
  }),
  profile(4, "JavaScript's JSON.stringify with sorted keys", NODE, 'compact', {
    strings: 'raw',
    numbers: 'javascript',
    order: 'sorted',
  }),
  profile(4, "Python's json.dumps with indent=2", PYTHON, 'indent2', { strings: 'ascii', numbers: 'python' }),
  profile(4, "Python's json.dumps with indent=4", PYTHON, 'indent4', { strings: 'ascii', numbers: 'python' }),
  profile(5, "Python's json.dumps with indent=2 and sort_keys=True", PYTHON, 'indent2', {
    strings: 'ascii',
    numbers: 'python',
    order: 'sorted',
  }),
  profile(5, "Python's json.dumps with indent=4 and sort_keys=True", PYTHON, 'indent4', {
    strings: 'ascii',
    numbers: 'python',
    order: 'sorted',
  }),
  profile(4, "PHP's json_encode with JSON_PRETTY_PRINT", PHP, 'indent4', { strings: 'php', numbers: 'php' }),
  profile(4, "PHP's json_encode with JSON_UNESCAPED_SLASHES", PHP, 'compact', {
    strings: 'asciiButDelete',
    numbers: 'php',
  }),
  profile(4, "PHP's json_encode with JSON_UNESCAPED_UNICODE", PHP, 'compact', { strings: 'slashes', numbers: 'php' }),
  profile(4, "PHP's json_encode with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE", PHP, 'compact', {
    strings: 'lines',
    numbers: 'php',
  }),
  profile(5, "Symfony's JsonResponse", PHP, 'compact', { strings: 'symfony', numbers: 'php' }),
  profile(4, "C#'s System.Text.Json", DOTNET, 'compact', { strings: 'systemTextJson' }),
  profile(5, "C#'s System.Text.Json without nulls", DOTNET, 'compact', {
    strings: 'systemTextJson',
    order: 'withoutNulls',
  }),
  profile(5, "C#'s System.Text.Json with WriteIndented", DOTNET, 'indent2', { strings: 'systemTextJson' }),
  profile(5, "C#'s Newtonsoft.Json", DOTNET, 'compact', { strings: 'newtonsoft' }),
  profile(4, "Ruby's JSON.generate", RUBY, 'compact', { strings: 'raw', numbers: 'ruby' }),
  profile(5, "Rails' to_json", RUBY, 'compact', { strings: 'html', numbers: 'ruby' }),
  profile(4, "Ruby's JSON.pretty_generate", RUBY, 'ruby', { strings: 'raw', numbers: 'ruby' }),
  profile(5, "Ruby's JSON.pretty_generate", RUBY, 'indent2', { strings: 'raw', numbers: 'ruby' }),
  profile(5, "Go's json.MarshalIndent", GO, 'indent2', { strings: 'html' }),
  profile(5, "Go's json.MarshalIndent of a map", GO, 'indent2', {
    strings: 'html',
    numbers: 'javascript',
    order: 'sorted',
  }),
  profile(4, "Java's Jackson", JAVA, 'compact', { strings: 'raw', numbers: 'java' }),
  profile(4, "Java's Gson", JAVA, 'compact', { strings: 'gson', order: 'withoutNulls' }),
  profile(5, "Java's Gson of a Map", JAVA, 'compact', { strings: 'gson', numbers: 'gson' }),
  profile(4, "Java's JSONObject (org.json) or Jackson of a HashMap", JAVA, 'compact', {
    strings: 'raw',
    order: 'hashMap',
  }),
  profile(5, "Java's Jackson with INDENT_OUTPUT", JAVA, 'jackson', { strings: 'raw' }),
  profile(5, 'jq', SHELL, 'indent2', { strings: 'raw' }),
  profile(5, 'jq -S', SHELL, 'indent2', { strings: 'raw', order: 'sorted' }),
  profile(5, "Perl's JSON with pretty", PERL, 'indent3', { strings: 'raw' }),
  profile(5, "Perl's JSON with pretty and canonical", PERL, 'indent3', { strings: 'raw', order: 'sorted' }),
  profile(5, "PostgreSQL's jsonb", 'read the column as text once, sign that text and send the same', 'spaced', {
    strings: 'raw',
    order: 'byLength',
  }),
]

/** How one language prints a parsed body that was never serialized. */
interface Printed {
  readonly cost: number
  readonly what: string
  readonly fix: string
  readonly style: JsonStyle
  /** Whether the keys are sorted. */
  readonly sorted?: boolean
}

/** Words in place of others; a map, for a body may hold the word `toString`. */
function word(...words: readonly (readonly [json: string, printed: string])[]): (written: string) => string {
  const printed = new Map(words)
  return (written) => printed.get(written) ?? written
}

const rubyString = (text: string) => STRINGS.lines.value(text).replace(/#(?=[{$@])/g, '\\#')

/** A symbol is written without quotes where Ruby reads it without them. */
const rubySymbol = (text: string) =>
  `:${/^(@@?|\$)?[\p{L}_][\p{L}\p{N}_]*[?!=]?$/u.test(text) ? text : rubyString(text)}`
const rubyLabel = (text: string) => (/^[\p{L}_][\p{L}\p{N}_]*[?!]?$/u.test(text) ? text : rubyString(text))

const PRINTED: readonly Printed[] = [
  {
    cost: 4,
    what: "the parsed body as Python's str() prints it",
    fix: PYTHON,
    style: {
      spacing: SPACINGS.spaced.value,
      string: pythonString,
      number: pythonNumber,
      word: word(['true', 'True'], ['false', 'False'], ['null', 'None']),
    },
  },
  ...(
    [
      [5, '', { spacing: { item: ', ', colon: '=>' } }],
      [5, ', its keys being symbols', { spacing: { item: ', ', colon: '=>' }, name: rubySymbol }],
      [6, ' since 3.4', { spacing: { item: ', ', colon: ' => ' } }],
      [6, ' since 3.4, its keys being symbols', { spacing: { item: ', ', colon: ': ' }, name: rubyLabel }],
    ] as const
  ).map(([cost, which, style]) => ({
    cost,
    what: `the parsed body as Ruby's inspect prints it${which}`,
    fix: RUBY,
    style: { ...style, string: rubyString, number: rubyNumber, word: word(['null', 'nil']) },
  })),
  {
    cost: 5,
    what: "the parsed body as Java's Map.toString prints it",
    fix: JAVA,
    style: { spacing: { item: ', ', colon: '=' }, string: (text) => text, number: javaNumber },
  },
  {
    cost: 6,
    what: "the parsed body as Go's fmt prints it",
    fix: GO,
    sorted: true,
    style: {
      spacing: { item: ' ', colon: ':', brackets: ['map[', ']', '[', ']'] },
      string: (text) => text,
      number: javascriptNumber,
      word: word(['null', '<nil>']),
    },
  },
]

/** The fewest characters of a string that may hold a body. */
const SHORTEST_PART = 8

const CASED =
  'C#: var body = JsonSerializer.SerializeToUtf8Bytes(event, options), with the options that send it; sign body and send new ByteArrayContent(body), not PostAsJsonAsync, which writes camelCase'
const LUA =
  'Lua: local body = cjson.encode(event); sign body and send the same body. PHP, if an empty object arrived as []: json_decode($body), not json_decode($body, true)'

const SIGN_WHAT_IS_SENT = "On the sender's side: serialize once, sign these bytes and send the very same."
const RECEIVE_BYTES =
  "On the receiver's side, if the body was put together again from what a parser made of it: pass the raw bytes (Express: express.raw({ type: () => true }), before express.json())."

/** Makes a body of a JSON text. */
export type Rewriting = (json: JsonText) => Buffer | undefined

const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T)[]

function writtenAt({ source, starts, ends }: JsonText, token: number): string {
  return source.toString('utf8', starts[token], ends[token])
}

/** The tokens of some kinds, rewritten and joined: two styles that give the same are one. */
function outcome(json: JsonText, kinds: readonly number[], rewrite: (token: number) => string): string {
  const parts: string[] = []
  for (let token = 0; token < json.count; token++) {
    if (kinds.includes(json.kinds[token] as number)) parts.push(rewrite(token))
  }
  return parts.join('\n')
}

/** A trait as it applies to one text. */
interface Applied<T> extends Trait<T> {
  /** The same number for traits that give the same text, 0 for one that changes nothing. */
  readonly outcome: number
}

type AppliedTraits<T, Name extends string> = { readonly [name in Name]: Applied<T> }

/** The traits of a table, with what each makes of a text beside it. */
function applied<From, To, Name extends string>(
  table: { readonly [name in Name]: Trait<From> },
  same: string,
  apply: (value: From) => readonly [outcome: string, value: To],
): AppliedTraits<To, Name> {
  const numbered = new Map([[same, 0]])
  const entries = keysOf(table).map((name) => {
    const { cost, what, value } = table[name]
    const [text, made] = apply(value)
    const outcome = numbered.get(text) ?? numbered.size
    numbered.set(text, outcome)
    return [name, { cost, what, value: made, outcome }]
  })
  return Object.fromEntries(entries)
}

/** The dearest combination of traits that is tried though no serializer is known for it. */
const DEAREST = 10

/** How many numbers are taken one by one, and how many integers are tried in the place of a rounded one. */
const MOST_NUMBERS = 64
const MOST_INTEGERS = 2048

/** What one combination of traits makes of a text, and the serializers that make the same. */
interface Outcome {
  cost: number
  readonly traits: string
  readonly profiles: Profile[]
  readonly style: JsonStyle
}

/** The ways to write a JSON text anew, each outcome once. */
export function jsonChoices(json: JsonText, isLarge: boolean): Choice<Rewriting>[] {
  if (isLarge) return largeChoices(json)
  const none = { cost: 0, what: '', outcome: 0, value: undefined }
  const spacings = applied(SPACINGS, json.source.toString('latin1'), (spacing) => [
    writeJson(json, { spacing })?.toString('latin1') ?? '',
    spacing,
  ])
  const written = (token: number) => writtenAt(json, token)
  const texts = [STRING, KEY]
  const strings = applied(STRINGS, outcome(json, texts, written), (string) => [
    outcome(json, texts, (token) => string(textOf(json, token))),
    string,
  ])
  const numbers = applied(NUMBERS, outcome(json, [NUMBER], written), (number) => [
    outcome(json, [NUMBER], (token) => number(written(token))),
    number,
  ])
  const asReceived = new Int32Array(json.count).map((_, token) => token)
  const orders = applied(ORDERS, asReceived.join(), (arrange) => {
    const order = reorder(json, arrange)
    return [order.join(), order]
  })

  const outcomes = new Map<string, Outcome>()
  const add = (
    cost: number,
    profile: Profile | undefined,
    spacing: Applied<Spacing | undefined>,
    string: Applied<StringStyle | undefined>,
    number: Applied<NumberStyle | undefined>,
    order: Applied<Int32Array | undefined>,
  ) => {
    const all = [spacing, string, number, order]
    if (all.every((trait) => trait.outcome === 0)) return
    const key = all.map((trait) => trait.outcome).join()
    const known = outcomes.get(key)
    if (known !== undefined) {
      known.cost = Math.min(known.cost, cost)
      if (profile !== undefined) known.profiles.push(profile)
      return
    }
    const used = <T>(trait: Applied<T>) => (trait.outcome === 0 ? undefined : trait.value)
    const style = {
      // An order has no spacing of its own: what stood between the tokens stood between others.
      spacing: used(spacing) ?? (used(order) && spacing.value),
      escape: used(string),
      number: used(number),
      order: used(order),
    }
    const profiles = profile === undefined ? [] : [profile]
    const said = Object.values(strings).find(({ outcome }) => outcome === string.outcome) ?? string
    const traits = [spacing, said, number, order].filter((trait) => trait.outcome !== 0)
    outcomes.set(key, { cost, traits: traits.map((trait) => trait.what).join(', '), profiles, style })
  }

  for (const profile of PROFILES) {
    const number = profile.numbers === undefined ? none : numbers[profile.numbers]
    const order = profile.order === undefined ? none : orders[profile.order]
    add(profile.cost, profile, spacings[profile.spacing], strings[profile.strings], number, order)
  }
  for (const spacing of [none, ...Object.values(spacings)]) {
    for (const string of [none, ...Object.values(strings)]) {
      for (const number of [none, ...Object.values(numbers)]) {
        for (const order of [none, ...Object.values(orders)]) {
          const cost = spacing.cost + string.cost + number.cost + order.cost
          if (cost > DEAREST || (spacing === none && order !== none)) continue
          add(Math.min(cost, RAREST), undefined, spacing, string, number, order)
        }
      }
    }
  }
  const printed = PRINTED.map(({ cost, what, fix, style, sorted }) =>
    rewritten(cost, what, fix, sorted ? { ...style, order: orders.sorted.value } : style),
  )
  const serialized = Array.from(outcomes.values(), ({ cost, traits, profiles, style }) => {
    // One of each language, for whoever reads it knows which of them is theirs.
    const named = profiles.filter(({ fix }, index) => profiles.findIndex((one) => one.fix === fix) === index)
    const writers = joinWords(
      named.map(({ writer }) => writer),
      'or',
    )
    const what = `the JSON written anew (${traits})${writers === '' ? '' : `, as for example ${writers} writes it`}`
    return rewritten(cost, what, named.map(({ fix }) => fix).join('; ') || NODE, style)
  })
  const received = Object.values(spacings).find((spacing) => spacing.outcome === 0)
  return [
    ...serialized,
    ...printed,
    ...restoredNumbers(json),
    ...reshaped(json, spacings, strings),
    ...(received === undefined ? [] : permuted(json, received.value)),
    ...parts(json, asReceived),
  ]
}

/** What becomes of a text that goes through the types of another language: its keys in another case, its empty ones another. */
const SHAPES: readonly (readonly [cost: number, what: string, fix: string, style: JsonStyle])[] = [
  [4, 'the keys in PascalCase', CASED, { key: (text) => words(text).map(capital).join('') }],
  [
    4,
    'the keys in camelCase',
    CASED,
    {
      key: (text) =>
        words(text)
          .map((word, index) => (index === 0 ? word : capital(word)))
          .join(''),
    },
  ],
  [4, 'the keys in snake_case', CASED, { key: (text) => words(text).join('_') }],
  [4, 'an empty array for each empty object, as PHP keeps it', PHP, { empty: ['[]', '[]'] }],
  [5, 'an empty object for each empty array, as Lua keeps it', LUA, { empty: ['{}', '{}'] }],
]

/** The words of a name, in lowercase. */
const words = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4')
    .split(/[_\s-]+/)
    .map((word) => word.toLowerCase())

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

/** The ways of writing that are tried with a shape: as received, and what the languages write from which the shapes come. */
const WRITINGS: readonly (readonly [cost: number, spacing?: keyof typeof SPACINGS, strings?: keyof typeof STRINGS])[] =
  [
    [0],
    [1, 'compact'],
    [1, 'compact', 'raw'],
    [0, 'compact', 'systemTextJson'],
    [0, 'compact', 'php'],
    [1, 'spaced', 'ascii'],
    [2, 'indent2', 'raw'],
    [2, 'indent2', 'systemTextJson'],
    [2, 'indent4', 'php'],
  ]

function* reshaped(
  json: JsonText,
  spacings: AppliedTraits<Spacing, keyof typeof SPACINGS>,
  strings: AppliedTraits<StringStyle, keyof typeof STRINGS>,
): Generator<Choice<Rewriting>> {
  for (const [cost, what, fix, shape] of SHAPES) {
    if (writeJson(json, shape)?.equals(json.source) !== false) continue
    const seen = new Set<string>()
    for (const [more, spacingName, stringsName] of WRITINGS) {
      const spacing = spacingName && spacings[spacingName]
      const string = stringsName && strings[stringsName]
      const key = [spacing?.outcome ?? 0, string?.outcome ?? 0].join()
      if (seen.has(key)) continue
      seen.add(key)
      const style = { ...shape, spacing: spacing?.value, escape: string?.value }
      const traits = [what, ...[spacing, string].filter((trait) => trait?.outcome).map((trait) => trait?.what)].join(
        ', ',
      )
      yield rewritten(cost + more, `the JSON written anew (${traits})`, fix, style)
    }
  }
}

/** The most outermost members of which every order is tried: 6 have 719 others. */
const MOST_PERMUTED = 6

/** The outermost members in every other order, as a template or a type of another language gives them. */
function permuted(json: JsonText, spacing: Spacing): Choice<Rewriting>[] {
  const count = json.kinds[0] === OPEN_OBJECT ? membersOf(json, 0).length : 0
  if (count < 3 || count > MOST_PERMUTED) return []
  const orders = permutations(count).slice(1)
  const what = 'the JSON with its outermost keys in another order'
  return orders.map((order) => ({
    ...rewritten(count < 5 ? 7 : 8, what, NODE, {}),
    value: (text) => {
      const arrange = (members: Member[], depth: number) =>
        depth === 0 ? order.map((index) => members[index] as Member) : members
      return writeJson(text, { spacing, order: reorder(text, arrange) })
    },
  }))
}

/** Every order of so many things, that of the numbers first. */
function permutations(count: number): number[][] {
  if (count === 0) return [[]]
  const last = count - 1
  return permutations(last).flatMap((one) => one.concat(last).map((_, index) => one.toSpliced(last - index, 0, last)))
}

/** The most parts of a body that are taken for what was signed. */
const MOST_PARTS = 32

/** The usual names of what an envelope holds. */
const HELD = /^(data|body|payload|event|message|detail|content|object|record)$/i

/** A part of the body received, which was signed before it was put into its envelope. */
function* parts(json: JsonText, asReceived: Int32Array): Generator<Choice<Rewriting>> {
  const { source, kinds, starts, ends, closes } = json
  let count = 0
  let name = ''
  for (let token = 1; token < json.count && count < MOST_PARTS; token++) {
    const kind = kinds[token]
    if (kind === KEY) name = textOf(json, token)
    const place = `\`${name.slice(0, 64)}\` in the body received`
    const cost = HELD.test(name) ? 5 : 6
    const part = (more: number, what: string, value: Rewriting): Choice<Rewriting> => ({
      cost: cost + more,
      deviation: { code: 'body_wrapped', what, fix: ENVELOPE },
      value,
    })
    if (kind === OPEN_OBJECT || kind === OPEN_ARRAY) {
      count++
      const close = closes[token] as number
      const order = asReceived.subarray(token, close + 1)
      yield part(0, `the value of ${place}`, () => source.subarray(starts[token], ends[close]))
      for (const { what: how, value: spacing } of [SPACINGS.compact, SPACINGS.spaced]) {
        yield part(1, `the value of ${place}, ${how}`, (text) => writeJson(text, { spacing, order }))
      }
    } else if (kind === STRING && (ends[token] as number) - (starts[token] as number) > SHORTEST_PART) {
      count++
      const text = textOf(json, token)
      yield part(0, `the text of ${place}`, () => Buffer.from(text))
      if (/^[A-Za-z0-9+/]+={0,2}$/.test(text))
        yield part(0, `the bytes for which the text of ${place}, as base64, stands`, () => Buffer.from(text, 'base64'))
    }
  }
}

/**
 * What the usual serializers make of a large body. It is written only when its turn comes, and what two of them make is
 * not compared before.
 */
function largeChoices(json: JsonText): Choice<Rewriting>[] {
  const isSpecial = json.special.includes(1)
  const isNumeric = json.kinds.includes(NUMBER)
  const choices = new Map<string, Choice<Rewriting>>()
  for (const { cost, writer, fix, spacing, ...rest } of PROFILES) {
    const strings = isSpecial ? rest.strings : undefined
    const numbers = isNumeric ? rest.numbers : undefined
    // Keys that are integers are rare, and looking for them is not cheap.
    const order = rest.order === 'javascript' ? undefined : rest.order
    const key = [spacing, strings, numbers, order].join()
    if (cost > 4 || choices.has(key)) continue
    const style = {
      spacing: SPACINGS[spacing].value,
      escape: strings && STRINGS[strings].value,
      number: numbers && NUMBERS[numbers].value,
    }
    const choice = rewritten(cost, `the JSON written anew, as for example ${writer} writes it`, fix, style)
    const value: Rewriting = (text) =>
      writeJson(text, order === undefined ? style : { ...style, order: reorder(text, ORDERS[order].value) })
    choices.set(key, { ...choice, value, work: order === undefined ? 16 : 48 })
  }
  return [...choices.values()]
}

function rewritten(cost: number, what: string, fix: string, style: JsonStyle): Choice<Rewriting> {
  const deviation = { code: 'body_json', what, fix: `${SIGN_WHAT_IS_SENT} ${fix}. ${RECEIVE_BYTES}` } as const
  return { cost, work: 8, deviation, value: (json) => writeJson(json, style) }
}

/** What a parser and a serializer on the way may have lost: the fraction of 10.0 or 0.50, digits of a large integer. */
function* restoredNumbers(json: JsonText): Generator<Choice<Rewriting>> {
  const tokens = Array.from(json.kinds.subarray(0, json.count).keys()).filter((token) => json.kinds[token] === NUMBER)
  const restored: [cost: number, changes: Map<number, string>][] = []
  const whole: number[] = []
  for (const token of tokens.slice(0, MOST_NUMBERS)) {
    const written = writtenAt(json, token)
    if (/^-?\d+$/.test(written)) {
      whole.push(token)
      restored.push([6, new Map([[token, `${written}.0`]])], [7, new Map([[token, `${written}.00`]])])
      if (Math.abs(Number(written)) > Number.MAX_SAFE_INTEGER) {
        for (const integer of unroundedIntegers(written, MOST_INTEGERS)) restored.push([7, new Map([[token, integer]])])
      }
    } else if (/^-?\d+\.\d$/.test(written)) restored.push([6, new Map([[token, `${written}0`]])])
  }
  for (const [index, one] of whole.slice(0, 16).entries()) {
    for (const other of whole.slice(0, index)) {
      restored.push([8, new Map([one, other].map((token) => [token, `${writtenAt(json, token)}.0`]))])
    }
  }
  for (const [cost, changes] of restored) {
    const numbers = joinWords([...changes.values()], 'and')
    const number = (written: string, token: number) => changes.get(token) ?? written
    const fix = RECEIVE_BYTES
    for (const [spacing, where] of [
      [undefined, ''],
      [SPACINGS.spaced.value, `, written ${SPACINGS.spaced.what}`],
    ] as const) {
      const what = `the JSON with ${numbers}, of which a parser on the way kept less${where}`
      const escaped = spacing === undefined ? undefined : STRINGS.ascii.value
      yield {
        cost: spacing === undefined ? cost : cost + 1,
        work: 8,
        deviation: { code: 'body_json', what, fix },
        value: (text) => writeJson(text, { spacing, escape: escaped, number }),
      }
    }
  }
}
