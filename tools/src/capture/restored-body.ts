import * as bytes from '../bytes.js'
import { fromHtml } from '../diagnose/encodings.js'
import { parseJson } from '../diagnose/json/parse.js'
import * as styles from '../diagnose/json/styles.js'
import { writeJson } from '../diagnose/json/write.js'
import type { PossibleBody } from './captured-request.js'
import { decodeEscapes, printedBytes } from './escapes.js'

const MAX_REWRITTEN = 2 ** 18

/** A change that a tool may have made to a body, and how to undo it. `what` ends a sentence that begins with "The capture". */
type Change = readonly [what: string, restore: (body: Uint8Array) => Uint8Array | undefined]

const inText = (what: string, restore: (text: string) => string): Change => [
  what,
  (body) => bytes.latin1(restore(bytes.fromLatin1(body))),
]

const NEWLINES: readonly Change[] = [
  inText('changed the newlines of the body', bytes.withCrlf),
  inText('changed the newlines of the body', (text) => text.replaceAll('\r\n', '\n')),
]

/** All other changes, the likeliest first. They are undone in bodies of up to `MAX_REWRITTEN` bytes. In Latin-1, `\xc2\xa0` is one no-break space. */
const CHANGES: readonly Change[] = [
  inText('has typographic quotes in the body', (text) =>
    text.replace(/\xe2\x80[\x9c-\x9f]/g, '"').replace(/\xe2\x80[\x98-\x9b]/g, "'"),
  ),
  inText('has no-break spaces in the body', (text) => text.replaceAll('\xc2\xa0', ' ')),
  inText('broke the body into lines', (text) => text.replace(/\r?\n/g, '')),
  inText('broke the body into lines', (text) => text.replace(/\r?\n(?=.)/g, ' ')),
  inText('has spaces in place of tabs', (text) => text.replace(/^ +/gm, (indent) => '\t'.repeat(indent.length))),
  inText('has tabs in place of spaces', (text) => text.replaceAll('\t', ' ')),
  inText('broke the body into lines', (text) => text.replaceAll('\n', ' ')),
  ['saved the body in another encoding', (body) => (bytes.isAscii(body) ? undefined : inOtherEncoding(body))],
  ['escaped the body', (body) => decodeEscapes(bytes.fromUtf8(body))],
  ['escaped the body for HTML', (body) => bytes.bytesOf(fromHtml(body) ?? '')],
  ['wrote the body between quotes', withoutQuotes],
  [
    'printed the bytes of the body',
    (body) => [...printedBytes(bytes.fromUtf8(body))].find(({ isWhole }) => isWhole)?.bytes,
  ],
  ['has the body in hex', (body) => bytes.fromHex(bytes.fromLatin1(body).replace(/^\\x|^0x|\s+/g, ''))],
  ['has the body in base64', (body) => bytes.fromBase64(bytes.fromLatin1(body).replace(/\s+/g, ''))],
]

const inOtherEncoding = (body: Uint8Array) =>
  bytes.isUtf8(body) ? bytes.windows1252(bytes.fromUtf8(body)) : bytes.utf8(bytes.fromWindows1252(body))

function withoutQuotes(body: Uint8Array): Uint8Array | undefined {
  const [, , quoted] = /^\s*b?(["'])([\s\S]*)\1\s*$/.exec(bytes.fromUtf8(body)) ?? []
  return quoted === undefined ? undefined : decodeEscapes(quoted)
}

const SPACINGS = [styles.COMPACT, styles.SPACED, styles.INDENT_2, styles.INDENT_4, styles.TABS, styles.SPACED_COLON]
const ESCAPINGS = [undefined, styles.asciiString, styles.rawString, styles.phpString, styles.htmlString]

/** Yields the JSON as serializers write it. */
function* rewriteJson(body: Uint8Array): Generator<Uint8Array> {
  const json = /^\s*[{[]/.test(bytes.fromLatin1(body.subarray(0, 100))) ? parseJson(bytes.fromUtf8(body)) : undefined
  if (json === undefined) return
  for (const spacing of SPACINGS) {
    for (const escaping of ESCAPINGS) {
      const text = writeJson(json, { spacing, escaping })
      if (text !== undefined) yield bytes.utf8(text)
    }
  }
}

/** A body that the sender may have sent, and the change that a tool made to this body. */
export interface RestoredBody extends PossibleBody {
  readonly what: string
}

/** Yields the bodies that the sender may have sent: with each change undone, and with and without a newline at the end. */
export function* undoneChanges(body: Uint8Array): Generator<RestoredBody> {
  yield* newlines('has a newline after the body', 'lost the newline of the body', body)
  for (const [what, restore] of body.length > MAX_REWRITTEN ? NEWLINES : [...NEWLINES, ...CHANGES]) {
    const restored = restore(body)
    if (restored === undefined || bytes.areEqual(restored, body)) continue
    yield { what, body: restored }
    yield* newlines(what, what, restored)
  }
}

/** Yields the same bodies, and the JSON as serializers write it. */
export function* restoredBodies(body: Uint8Array): Generator<RestoredBody> {
  yield* undoneChanges(body)
  if (body.length > MAX_REWRITTEN) return
  for (const text of rewriteJson(body)) {
    const what = 'wrote the JSON of the body again'
    for (const end of ['', '\n']) yield { what, body: bytes.concat(text, bytes.utf8(end)), certainty: 'rewritten' }
  }
}

/** Yields the body without its newline. If the body has no newline, yields the body with LF and with CRLF. */
function* newlines(has: string, lost: string, body: Uint8Array): Generator<RestoredBody> {
  const end = /\r?\n$/.exec(bytes.fromLatin1(body.subarray(-2)))?.[0].length ?? 0
  if (end > 0) yield { what: has, body: body.subarray(0, -end) }
  else
    for (const added of ['\n', '\r\n'])
      yield { what: lost, body: bytes.concat(body, bytes.utf8(added)), certainty: 'lossy' }
}
