import type { HeaderName } from '../rules/headers.js'
import { WINDOW_SECONDS } from '../rules/timestamp.js'
import type { Finding, FindingCode, Language, Side } from './finding.js'
import { FIXES, type Fix, type FixId } from './fixes.js'

// All text of the findings is written here, from structured values.

/** The messages, one per kind of finding. */
const MESSAGES = {
  headerMissing: ({ missing, isChecked }: { missing: readonly HeaderName[]; isChecked: boolean }) => {
    const are = `${joinWords(missing.map(spell), 'and')} ${missing.length === 1 ? 'is' : 'are'} missing`
    if (isChecked) return `${are}.`
    if (missing.includes('x-signature')) return `${are}: there is no signature to check.`
    return `${are}: without ${missing.length === 1 ? 'it' : 'them'} the signature cannot be checked.`
  },
  headerName: ({ renamed }: { renamed: readonly (readonly [HeaderName, string])[] }) =>
    `${renamed.map(([name, other]) => `${spell(name)} is missing, but there is ${quote(other)}`).join('; ')}.`,
  headerRepeated: ({ name, count, areEqual }: { name: HeaderName; count: number; areEqual: boolean }) =>
    `${spell(name)} arrived ${count === 2 ? 'twice' : `${count} times`}, with ${areEqual ? 'the same value' : 'different values'}.`,
  headerSwapped: ({ name }: { name: HeaderName }) => `${spell(name)} and X-Nonce have each other's values.`,

  timestampFormat: ({ form }: { form: string }) =>
    `X-Timestamp is ${form}, not Unix time in seconds as decimal digits.`,
  timestampScale: ({ what }: { what: string }) => `X-Timestamp is ${what}.`,
  timestampUnset: ({ seconds }: { seconds: number }) =>
    `X-Timestamp is ${seconds}, which is not a Unix time of today: it was not set, or counts from the start of a machine.`,
  clockTimeZone: ({ zone, offset }: { zone: number; offset: number }) =>
    `X-Timestamp is ${zone} h ${direction(offset)} server time: a local time was used as UTC.`,
  clockOff: ({ offset }: { offset: number }) =>
    `X-Timestamp is ${describeDuration(offset)} ${direction(offset)} server time, which is more than ${WINDOW_SECONDS} s.`,
  clockUnreadable: (_: object) => 'clock.now() returned no number, so every timestamp is outside the window.',

  nonceLength: ({ length }: { length: number }) =>
    length === 0
      ? 'X-Nonce is empty: a nonce has 1 to 128 characters.'
      : `X-Nonce has ${length} characters: at most 128 are allowed.`,
  nonceCharacters: ({ count, tooLong }: { count: number; tooLong: number | undefined }) => {
    const characters = count === 1 ? 'a character' : `${count} characters`
    const length = tooLong === undefined ? '' : ` It has ${tooLong} characters, and at most 128 are allowed.`
    return `X-Nonce has ${characters} other than visible ASCII (0x21 to 0x7E).${length}`
  },

  signatureForm: ({ form }: { form: string }) => `X-Signature is not 64 lowercase hex digits: ${form}.`,
  provedForm: ({ form }: { form: string }) => `X-Signature is the right digest in another form: ${form}.`,
  provedDigest: ({ what, form }: { what: string; form: string }) =>
    `X-Signature is ${what}${form === '' ? '' : `, sent in another form: ${form}`}.`,
  provedSecret: ({ what }: { what: string }) => `X-Signature was made with ${what}, not with the secret as it is.`,
  provedPlaceholder: ({ what }: { what: string }) => `X-Signature was made with ${what}.`,
  provedLayout: ({ what, values }: { what: string; values: readonly string[] }) =>
    `The sender signed ${what}${values.length === 0 ? '' : ` with ${joinWords(values, 'and')}`}, not \`timestamp:nonce:body\`.`,
  provedValues: ({ values }: { values: readonly string[] }) =>
    `The message was signed with ${joinWords(values, 'and')}, not with the ${values.length === 1 ? 'value of the header' : 'values of the headers'}.`,
  provedBody: ({ what }: { what: string }) => `The sender signed ${what}, not the bytes received.`,
  provedConstant: ({ what }: { what: string }) => `The sender signed ${what}.`,

  bodyIsObject: ({ text }: { text: string }) =>
    `The body is the text \`${text}\`, which is JavaScript's text for ${text === 'undefined' ? 'nothing' : 'an object'}.`,
  bodyLost: (_: object) => 'The body is empty, but the headers announce one: something read it before it was verified.',
  bodyInflated: ({ encoding }: { encoding: string }) =>
    `Content-Encoding is ${encoding}, but the body is text: something inflated it before it was verified.`,
  bodyLength: ({ announced, length }: { announced: number; length: number }) =>
    `Content-Length is ${announced}, but the body has ${countBytes(length)}: it was changed after it was received.`,
  bodyReplaced: ({ position }: { position: number }) =>
    `The body has U+FFFD at character ${position}: something decoded bytes that are not UTF-8, which cannot be undone.`,
  secretOdd: ({ name, what }: { name: string; what: string }) => `${name} ${what}.`,
  mismatch: (_: object) =>
    'No known way of signing gives this signature: the secrets differ, or other bytes were signed than received.',
}

type Kind = keyof typeof MESSAGES

/** One line of evidence: a label with a value, or a sentence. */
export type EvidenceLine = string | readonly [label: string, value: string]

/** A finding before its text is written. */
export type Draft = {
  [K in Kind]: {
    readonly code: FindingCode
    readonly kind: K
    readonly params: Parameters<(typeof MESSAGES)[K]>[0]
    readonly fix: FixId
    /** Who must act, if the request shows it more exactly than the fix. */
    readonly side?: Side
    /** The languages that this finding points to. */
    readonly languages?: readonly Language[]
    readonly evidence?: readonly EvidenceLine[]
  }
}[Kind]

export function writeFinding(draft: Draft): Finding {
  const fix: Fix = FIXES[draft.fix]
  const side = sideOf(fix) === 'unknown' ? (draft.side ?? 'unknown') : sideOf(fix)
  const { languages = [], evidence = [] } = draft
  const message = MESSAGES[draft.kind] as (params: Draft['params']) => string
  return {
    code: draft.code,
    side,
    message: message(draft.params),
    fix: generalFix(fix, side),
    fixes: inOrder(fix.lines ?? {}, languages),
    ...(evidence.length === 0 ? {} : { evidence: evidence.map(writeEvidence).join('\n') }),
  }
}

const sideOf = ({ sender, receiver }: Fix): Side =>
  receiver === undefined ? 'sender' : sender === undefined ? 'receiver' : 'unknown'

function generalFix(fix: Fix, side: Side): string {
  const { sender = '', receiver = '' } = fix
  if (side === 'unknown') return `On the sender's side: ${sender}\nOn the receiver's side: ${receiver}`
  return fix[side] as string
}

function inOrder(lines: NonNullable<Fix['lines']>, first: readonly Language[]): Finding['fixes'] {
  const languages = [...new Set([...first, ...(Object.keys(lines) as Language[])])]
  return Object.fromEntries(
    languages.filter((language) => language in lines).map((language) => [language, lines[language]]),
  )
}

const writeEvidence = (line: EvidenceLine) => (typeof line === 'string' ? line : `${line[0]}: ${line[1]}`)

/** A value between quotes. Invisible characters are escaped, and long values are shortened. */
export function quote(value: string): string {
  const short = value.length > 160 ? `${value.slice(0, 160)}…` : value
  const escaped = JSON.stringify(short).replace(
    /[^ -~…]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return value.length > 160 ? `${escaped} (${value.length} characters)` : escaped
}

/** Returns the usual spelling of a header's name: `X-Nonce`. */
export function spell(name: HeaderName): string {
  return { 'x-timestamp': 'X-Timestamp', 'x-nonce': 'X-Nonce', 'x-signature': 'X-Signature' }[name]
}

/** Names of headers, each once. */
export function listNames(names: readonly string[]): string {
  const all = [...new Set(names)]
  return all.length === 0 ? 'none' : quote(all.slice(0, 40).join(' ')).slice(1, -1)
}

const direction = (offset: number) => (offset < 0 ? 'behind' : 'ahead of')

/** A number of seconds in the unit that fits: `301 s`, `26.5 h`, `40 d`. Short times can be compared with the window. */
function describeDuration(seconds: number): string {
  const length = Math.abs(seconds)
  const rounded = (unit: number) => Math.round((length / unit) * 10) / 10
  if (length < 3600) return `${length} s`
  if (length < 2 * 86_400) return `${rounded(3600)} h`
  return length < 2 * 31_536_000 ? `${rounded(86_400)} d` : `${rounded(31_536_000)} years`
}

/** Names of characters that nobody sees, or that look like others. */
const CHARACTER_NAMES: { readonly [character: string]: string } = {
  ' ': 'space',
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  '\0': 'NUL',
  '\x7f': 'delete',
  '\xa0': 'no-break space',
  '\xad': 'soft hyphen',
  '\u200b': 'zero-width space',
  '\u2060': 'word joiner',
  '\ufeff': 'byte order mark',
  '\u2013': 'en dash',
  '\u2014': 'em dash',
  '\u2018': 'left single quotation mark',
  '\u2019': 'right single quotation mark',
  '\u201c': 'left double quotation mark',
  '\u201d': 'right double quotation mark',
  '\ufffd': 'replacement character',
}

/** Characters that nobody sees in a line of text. The space is not one of them: it is often meant. */
const INVISIBLE = /[\p{Cc}\p{Cf}]|(?! )\p{Z}/gu

/** Joins words to a list: `a`, `a and b`, `a, b and c`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  const all = [...words]
  const last = all.splice(-2).join(` ${conjunction} `)
  return [...all, last].join(', ')
}

/** Returns a number of bytes as text: `1 byte`, `2 bytes`. */
export function countBytes(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`
}

/** Returns a character as text: `U+200B (zero-width space)`. */
export function describeCharacter(character: string): string {
  const number = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
  const name = CHARACTER_NAMES[character]
  return name === undefined ? `U+${number}` : `U+${number} (${name})`
}

/** Returns the white space around a text: `U+0020 (space) before it and U+000A (line feed) after it`, or nothing. */
export function describeSpaceAround(text: string): string {
  const rest = text.trimStart()
  const before = text.slice(0, text.length - rest.length)
  const after = rest.slice(rest.trimEnd().length)
  const places = [before && `${listCharacters(before)} before it`, after && `${listCharacters(after)} after it`]
  return joinWords(
    places.filter((place) => place !== ''),
    'and',
  )
}

/** Returns the invisible characters of a text: `U+200B (zero-width space)`, or nothing. */
export function describeInvisible(text: string): string {
  return listCharacters(text.match(INVISIBLE) ?? [])
}

/** Removes the invisible characters of a text. */
export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Each character once, at most eight of them. */
function listCharacters(characters: Iterable<string>): string {
  return joinWords([...new Set(characters)].slice(0, 8).map(describeCharacter), 'and')
}
