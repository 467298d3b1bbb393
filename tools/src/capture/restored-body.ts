import {
  areEqual,
  concat,
  fromBase64,
  fromHex,
  fromLatin1,
  fromUtf8,
  fromWindows1252,
  isAscii,
  isUtf8,
  latin1,
  utf8,
  windows1252,
  withCrlf,
} from '../bytes.js'
import { parseJson } from '../diagnose/json/parse.js'
import * as styles from '../diagnose/json/styles.js'
import { writeJson } from '../diagnose/json/write.js'
import type { PossibleBody } from './captured-request.js'
import { decodeEscapes, printedBytes } from './escapes.js'

/** A change that a tool may have made to a body, and how to undo this change. */
interface Change {
  /** The change. The text ends a sentence that begins with "The capture". */
  readonly what: string
  /** Returns the bodies that the sender may have sent. */
  readonly restore: (body: Uint8Array) => Iterable<Uint8Array | undefined>
  /** Whether `restore` is slow, so that it is called only for bodies of up to `MAX_REWRITTEN` bytes. */
  readonly isSlow: boolean
}

const MAX_REWRITTEN = 2 ** 18

const rewritten = (what: string, restore: Change['restore']): Change => ({ what, restore, isSlow: true })
const inText = (what: string, restore: (text: string) => string): Change =>
  rewritten(what, (body) => [latin1(restore(fromLatin1(body)))])

const ENTITIES: { readonly [name: string]: string } = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' }

/** All changes, the likeliest first. The body is decoded as Latin-1, so `\xc2\xa0` is one no-break space in UTF-8. */
const CHANGES: readonly Change[] = [
  { ...inText('changed the newlines of the body', withCrlf), isSlow: false },
  { ...inText('changed the newlines of the body', (text) => text.replaceAll('\r\n', '\n')), isSlow: false },
  inText('has typographic quotes in the body', (text) =>
    text.replace(/\xe2\x80[\x9c-\x9f]/g, '"').replace(/\xe2\x80[\x98-\x9b]/g, "'"),
  ),
  inText('has no-break spaces in the body', (text) => text.replaceAll('\xc2\xa0', ' ')),
  inText('broke the body into lines', (text) => text.replace(/\r?\n/g, '')),
  inText('broke the body into lines', (text) => text.replace(/\r?\n(?=.)/g, ' ')),
  inText('has spaces in place of tabs', (text) => text.replace(/^ +/gm, (indent) => '\t'.repeat(indent.length))),
  inText('has tabs in place of spaces', (text) => text.replaceAll('\t', ' ')),
  inText('broke the body into lines', (text) => text.replaceAll('\n', ' ')),
  rewritten('saved the body in another encoding', (body) => [
    isAscii(body) ? undefined : isUtf8(body) ? windows1252(fromUtf8(body)) : utf8(fromWindows1252(body)),
  ]),
  rewritten('escaped the body', (body) => [decodeEscapes(fromUtf8(body))]),
  inText('escaped the body for HTML', (text) =>
    text.replace(/&(?:(quot|apos|amp|lt|gt)|#(\d{2}));/g, (_, name, code) => {
      return ENTITIES[name] ?? String.fromCharCode(Number(code))
    }),
  ),
  rewritten('wrote the body between quotes', (body) => {
    const [, , quoted] = /^\s*b?(["'])([\s\S]*)\1\s*$/.exec(fromUtf8(body)) ?? []
    return [quoted === undefined ? undefined : decodeEscapes(quoted)]
  }),
  rewritten('printed the bytes of the body', (body) => {
    return [...printedBytes(fromUtf8(body))].map(({ bytes, isWhole }) => (isWhole ? bytes : undefined))
  }),
  rewritten('has the body in hex', (body) => [fromHex(fromLatin1(body).replace(/^\\x|^0x|\s+/g, ''))]),
  rewritten('has the body in Base64', (body) => [fromBase64(fromLatin1(body).replace(/\s+/g, ''))]),
]

const SPACINGS = [styles.COMPACT, styles.SPACED, styles.INDENT_2, styles.INDENT_4, styles.TABS, styles.SPACED_COLON]
const ESCAPINGS = [undefined, styles.asciiString, styles.rawString, styles.phpString, styles.htmlString]

/** Yields the JSON as serializers write it. */
function* rewriteJson(body: Uint8Array): Generator<Uint8Array> {
  const json = /^\s*[{[]/.test(fromLatin1(body.subarray(0, 100))) ? parseJson(fromUtf8(body)) : undefined
  if (json === undefined) return
  for (const spacing of SPACINGS) {
    for (const escaping of ESCAPINGS) {
      const text = writeJson(json, { spacing, escaping })
      if (text !== undefined) yield utf8(text)
    }
  }
}

/** A body that the sender may have sent, and the change that a tool made to this body. */
export interface RestoredBody extends PossibleBody {
  readonly what: string
}

/** Yields the bodies that the sender may have sent: with each change undone, and with and without a newline at the end. */
export function* restoredBodies(body: Uint8Array): Generator<RestoredBody> {
  yield* newlines('has a newline after the body', 'lost the newline of the body', body)
  for (const { what, restore, isSlow } of CHANGES) {
    if (isSlow && body.length > MAX_REWRITTEN) continue
    for (const restored of restore(body)) {
      if (restored === undefined || areEqual(restored, body)) continue
      yield { what, body: restored }
      yield* newlines(what, what, restored)
    }
  }
  if (body.length > MAX_REWRITTEN) return
  for (const text of rewriteJson(body)) {
    const what = 'wrote the JSON of the body again'
    for (const end of ['', '\n']) yield { what, body: concat(text, utf8(end)), certainty: 'rewritten' }
  }
}

/** Yields the body without its newline. If the body has no newline, yields the body with LF and with CRLF. */
function* newlines(has: string, lost: string, body: Uint8Array): Generator<RestoredBody> {
  const end = /\r?\n$/.exec(fromLatin1(body.subarray(-2)))?.[0].length ?? 0
  if (end > 0) yield { what: has, body: body.subarray(0, -end) }
  else for (const added of ['\n', '\r\n']) yield { what: lost, body: concat(body, utf8(added)), certainty: 'lossy' }
}
