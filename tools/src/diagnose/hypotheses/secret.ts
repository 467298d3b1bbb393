import { base64, fromBase64, fromHex, fromLatin1, fromUtf8, hex, latin1, utf8, windows1252 } from '../../bytes.js'
import { describeOddSpace, removeOddSpace } from '../../text.js'
import { javaNumber, javascriptNumber, pythonNumber } from '../json/numbers.js'
import { jsonValue } from '../json/parse.js'
import { type Bytes, type Hypothesis, hypothesesOf, type RequestContext, several, type Variant } from './hypothesis.js'
import { placeholdersFor } from './placeholders.js'
import { changesOf, encodingsOf } from './text-changes.js'

// This file lists the mistakes in the secret that was used as the key.

type SecretHypothesis = Hypothesis<string, Bytes>

/** Matches a prefix such as `whsec_`, `sk_live_` or `v1,whsec_`. */
const PREFIX = /^([A-Za-z][A-Za-z0-9]{0,15}[_:.,-]){1,2}(?=.)/
/** Matches a line of a configuration: `WEBHOOK_SECRET=…`, `export SECRET="…"` or `secret: …`. */
const ASSIGNED = /^\s*(?:export\s+|set\s+)?["']?[A-Za-z_][\w.-]*["']?(?:\s*=\s*|:\s+)(["']?)(.{6,}?)\1;?\s*$/s
const withoutPrefix = (secret: string) => (PREFIX.test(secret) ? secret.replace(PREFIX, '') : undefined)
const ifPossible = <From, To>(value: From | undefined, change: (value: From) => To) =>
  value === undefined ? undefined : change(value)
const sha256 = (secret: string, { primitives }: RequestContext) => primitives.hash('sha256', [utf8(secret)])

const kind = hypothesesOf<string, Bytes>
const trimHere = kind({ code: 'secret_whitespace', fix: 'trim_secret', side: 'receiver' })
const AS_TEXT = { code: 'secret_encoding', fix: 'secret_as_text' } as const
const asText = kind(AS_TEXT)
const sameText = kind({ code: 'secret_encoding', fix: 'same_secret_text' })
const prefixedAsText = kind({ code: 'secret_prefix', fix: 'secret_as_text' })
const unprefixed = kind({ code: 'secret_prefix', fix: 'whole_secret' })
const ownPrefix = kind({ code: 'secret_prefix', fix: 'own_prefix' })
const valueAlone = kind({ code: 'secret_prefix', fix: 'value_alone', side: 'receiver' })
const unhashed = kind({ code: 'secret_hashed', fix: 'secret_as_text' })
const unchanged = kind({ code: 'secret_changed', fix: 'unchanged_secret' })
const insideJson = kind({ code: 'secret_changed', fix: 'value_of_secret' })

const NAMES = 'WEBHOOK_SECRET webhook_secret webhookSecret SIGNING_SECRET signing_secret SECRET secret key'.split(' ')
/** The keys under which a secrets manager may store the secret in JSON. */
const JSON_KEYS = [...NAMES, 'value', 'password']
/** Returns the forms of this JSON: compact, with spaces, indented, and as Python prints it. */
const jsonForms = (key: string, value: string) => [
  `{"${key}":"${value}"}`,
  `{"${key}": "${value}"}`,
  `{\n  "${key}": "${value}"\n}`,
  `{'${key}': '${value}'}`,
]
const inJson = (secret: string) => ({
  variants: JSON_KEYS.flatMap((detail) => jsonForms(detail, secret).map((value) => ({ detail, value }))),
})
const valuesInJson = (secret: string) => {
  const json = secret.startsWith('{') ? jsonValue(secret) : undefined
  return several(Object.values(json ?? {}).filter((value) => typeof value === 'string'))
}
/** All lengths up to 64, and common lengths of fields. Longer keys cost one more hash each. */
const ANY_LENGTHS = [...Array.from({ length: 64 }, (_, index) => index + 1), 80, 96, 100, 128, 255]
const anyCut = (secret: string) => ({
  variants: ANY_LENGTHS.filter((length) => length < secret.length).flatMap((length) => [
    { detail: `the first ${length} characters`, value: secret.slice(0, length) },
    { detail: `the last ${length} characters`, value: secret.slice(-length) },
  ]),
})
/** Returns base64 and hex of the secret after another step: kubectl shows base64 of a file that `echo` wrote, for example. */
function* inTwoSteps(secret: string): Iterable<Variant<string>> {
  const texts = {
    'a line feed (LF) after it': `${secret}\n`,
    'a CRLF after it': `${secret}\r\n`,
    'quotes around it': `"${secret}"`,
  }
  const inBase64 = base64(utf8(secret))
  yield { detail: 'the secret in base64 twice', value: base64(utf8(inBase64)) }
  yield { detail: 'the secret in base64 twice, with a line feed (LF) in between', value: base64(utf8(`${inBase64}\n`)) }
  for (const [how, text] of Object.entries(texts)) {
    yield { detail: `the base64 of the secret with ${how}`, value: base64(utf8(text)) }
    yield { detail: `the hex of the secret with ${how}`, value: hex(utf8(text)) }
  }
}

/** Returns what programs print for a secret that looks like a number. */
function* asNumber(secret: string): Iterable<Variant<string>> {
  if (!/^\d{6,}(?:e\d{1,3})?$/i.test(secret) || !Number.isFinite(Number(secret))) return
  const digits = secret.replace(/^0+(?=\d)/, '')
  const isInteger = /^\d+$/.test(secret)
  const inCell = (decimals: number) =>
    Number(secret)
      .toExponential(decimals)
      .replace(/\.?0*e/, 'E')
  yield { detail: 'without its leading zeros', value: digits }
  yield { detail: 'as a spreadsheet shows it, such as 1.23457E+19', value: inCell(5) }
  yield { detail: 'as a spreadsheet shows it, such as 1.23E+19', value: inCell(2) }
  if (isInteger) {
    const rounded = Number(secret)
      .toExponential(14)
      .replace(/e.*|\./g, '')
    yield { detail: 'with zeros after its first 15 digits', value: digits.slice(0, 15).padEnd(digits.length, '0') }
    yield { detail: 'rounded to 15 digits', value: rounded.slice(0, digits.length).padEnd(digits.length, '0') }
  }
  yield { detail: 'as JavaScript prints it', value: javascriptNumber(secret) }
  yield { detail: 'as Python prints it', value: pythonNumber(isInteger ? `${secret}.0` : secret) }
  yield { detail: 'as Java prints it', value: javaNumber(isInteger ? `${secret}.0` : secret) }
}

/** Matches at least 6 visible characters in UTF-8, because a few random bytes can be visible characters by chance. */
const READABLE = /^[^\p{Cc}\ufffd]{6,}\n?$/u
/** Decodes bytes that are readable text. One side probably has this text as the secret, and the other side has its base64 or hex. */
const readable = (bytes: Uint8Array | undefined) =>
  ifPossible(bytes, (encoded) => READABLE.exec(fromUtf8(encoded))?.[0])
const withoutLineFeed = (text: string) => (text.endsWith('\n') ? text.slice(0, -1) : undefined)

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
/** Other texts that a sender may use instead of the secret, because a placeholder was not replaced by its value. */
const UNFILLED = [
  'secret | SECRET | webhook_secret | process.env.WEBHOOK_SECRET | process.env.SECRET',
  '#{ENV["WEBHOOK_SECRET"]} | $env:WEBHOOK_SECRET | $(WEBHOOK_SECRET) | ${{ secrets.WEBHOOK_SECRET }} | <secret>',
  'YOUR_SECRET | your_secret | your-secret | your-webhook-secret | changeme | change-me',
].flatMap((line) => line.split(' | '))

const placeholder = kind({ code: 'secret_placeholder', fix: 'read_secret', side: 'sender' })
const VARIABLES = ['WEBHOOK_SECRET', '$WEBHOOK_SECRET', '${WEBHOOK_SECRET}']

export const SECRET_HYPOTHESES: readonly SecretHypothesis[] = [
  trimHere('common', 'the secret without <detail>', (secret) => ({
    variants: [{ detail: describeOddSpace(secret), value: removeOddSpace(secret) }],
  })),
  sameText('common', 'the text whose base64 is the secret', (secret) => readable(fromBase64(secret))),
  sameText('common', 'the text whose hex is the secret', (secret) => readable(fromHex(secret))),
  sameText('uncommon', 'the text whose base64 is the secret, without the line feed (LF) at its end', (secret) =>
    ifPossible(readable(fromBase64(secret)), withoutLineFeed),
  ),
  asText('uncommon', 'the secret decoded from base64 without its `-` and `_`, which a decoder skipped', (secret) =>
    several(
      [...new Set([secret, secret.replace(/^whsec_/, '')])].flatMap((text) =>
        /[-_]/.test(text) ? (fromBase64(text.replace(/[-_]/g, '').replace(/^((?:....)*).$/, '$1')) ?? []) : [],
      ),
    ),
  ),
  sameText('uncommon', '<detail>', (secret) => ({ variants: inTwoSteps(secret) })),
  unchanged('uncommon', 'the secret printed as a number, <detail>', (secret) => ({ variants: asNumber(secret) })),
  asText('uncommon', 'the start of the secret decoded from base64, where a decoder stopped at `-` or `_`', (secret) =>
    /[-_]/.test(secret) ? fromBase64(secret.replace(/^((?:[A-Za-z0-9+/]{4})*).*/s, '$1')) : undefined,
  ),
  asText('rare', 'the secret decoded from base64 to text', (secret) => ifPossible(fromBase64(secret), fromLatin1)),
  prefixedAsText('common', 'the secret without its prefix, decoded from base64', (secret) =>
    ifPossible(withoutPrefix(secret), fromBase64),
  ),

  unprefixed('uncommon', 'the secret without its prefix', withoutPrefix),
  ownPrefix('uncommon', 'the secret prefixed with `<detail>`', (secret) => ({
    variants: ['whsec_', 'v1,whsec_', 'v1,', 'sk_', 'Bearer '].map((detail) => ({ detail, value: detail + secret })),
  })),
  valueAlone('common', 'the value after `NAME=` in the secret', (secret) => ASSIGNED.exec(secret)?.[2]),

  asText('uncommon', 'the secret in Latin-1 or Windows-1252', (secret) => windows1252(secret) ?? latin1(secret)),

  unhashed('uncommon', "the bytes of the secret's SHA-256", sha256),
  unhashed('uncommon', "the secret's SHA-256 in hex", (secret, context) => ifPossible(sha256(secret, context), hex)),

  unchanged('uncommon', 'the secret without the `=` at its end', (secret) => secret.replace(/=+$/, '')),
  unchanged('rare', 'the secret with `+` and `/` for its `-` and `_`, and with `=` at its end', (secret) => {
    const standard = secret.replaceAll('-', '+').replaceAll('_', '/')
    return standard.padEnd(Math.ceil(secret.length / 4) * 4, '=')
  }),
  unchanged('uncommon', 'the secret up to a `#`, which begins a comment in a .env file', (secret) =>
    secret.replace(/\s*#.*/s, ''),
  ),
  unchanged('uncommon', 'the secret without the part that a shell reads as a variable (`$…`)', (secret) =>
    secret.replace(/\$(\w+|\{[^}]*\}|[@*#?$!-])/g, ''),
  ),
  unchanged('last', 'the secret with one `$` for each `$$`, as Docker Compose reads it', (secret) =>
    secret.replaceAll('$$', () => '$'),
  ),
  unchanged('last', 'the secret with `$$` for each `$`', (secret) => secret.replaceAll('$', () => '$$')),
  unchanged('last', 'the secret without its hyphens', (secret) => secret.replaceAll('-', '')),
  unchanged('last', 'the secret with the hyphens of a UUID', (secret) =>
    secret.replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i, '$1-$2-$3-$4-$5'),
  ),
  unchanged('uncommon', 'the secret without its last character', (secret) => secret.slice(0, -1)),
  unchanged('uncommon', 'the secret without its first character', (secret) => secret.slice(1)),
  unchanged('many', '<detail> of the secret', anyCut),
  unchanged('rare', 'the whole line `WEBHOOK_SECRET=…`', (secret) => `WEBHOOK_SECRET=${secret}`),
  insideJson('rare', 'the whole JSON object that has the secret as its `<detail>`', inJson),
  insideJson('uncommon', 'a value inside the JSON secret', valuesInJson),

  ...VARIABLES.map((text) => placeholder('uncommon', `the text \`${text}\` as the secret`, () => text)),
  placeholder('many', 'the text `<detail>` as the secret', () => placeholdersFor(...NAMES, 'SECRET_KEY', 'KEY')),
  placeholder('last', 'the placeholder `<detail>` as the secret', () => ({
    variants: UNFILLED.map((text) => ({ detail: text, value: text })),
  })),
  ...changesOf<string>(
    'the secret',
    {
      'space added': { code: 'secret_whitespace', fix: 'trim_secret', side: 'sender' },
      'quotes added': { code: 'secret_quotes', fix: 'unquote_secret', side: 'sender' },
      'quotes removed': { code: 'secret_quotes', fix: 'unquote_secret', side: 'receiver' },
      case: { code: 'secret_changed', fix: 'unchanged_secret' },
      replaced: { code: 'secret_placeholder', fix: 'read_secret', side: 'sender' },
    },
    (change) => change,
  ),
  ...encodingsOf(
    'the secret',
    {
      encoded: { code: 'secret_encoding', fix: 'same_secret_text' },
      escaped: { code: 'secret_changed', fix: 'unchanged_secret' },
      ...{ printed: AS_TEXT, charset: AS_TEXT, normalized: AS_TEXT, decoded: AS_TEXT },
    },
    utf8,
  ),
]
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
