import { fromLatin1, fromUtf8, latin1, utf8 } from '../bytes.js'
import { jsonValue } from '../diagnose/json/parse.js'
import { CaptureError, unreadable } from './capture-error.js'
import type { CapturedRequest, Certainty, PossibleBody } from './captured-request.js'
import { findCurlCommand, isCurlCommand, parseCurlCommand } from './curl-command.js'
import { parseCurlOutput } from './curl-output.js'
import { readDebugLog } from './debug-log.js'
import { decodeEscapes } from './escapes.js'
import { anyNameOf, type Header, hasSignature } from './headers.js'
import { readHexDump } from './hex-dump.js'
import { beginsAsHttpText, beginsAsRequest, joinNamesAndValues, parseHttpText } from './http-text.js'
import { findDocuments, logLinesOf, parseDocuments, readDocuments } from './json.js'
import { decodeWhole, readLooseText } from './loose-text.js'
import { readNetworkDump } from './network-dump.js'
import { readBurp, readTable } from './wrapped-text.js'

// This file also runs in a browser, so it imports no module of Node.

const MAX_HEAD_BYTES = 2 ** 18

/** Matches the output of tshark or tcpdump. In this output, a dot can stand for any other byte. */
const LOSSY = /^(?:[\d:.]+ IP6? .* Flags \[|Follow: \w+,ascii)/m

/** The maximum number of layers around a request, such as JSON in base64 in the lines of a log. */
const MAX_LAYERS = 8

export function readCapture(capture: Uint8Array): CapturedRequest {
  return withoutMarks(readText(toUtf8(capture), MAX_LAYERS))
}

const TIMESTAMP = new RegExp(`^${anyNameOf('timestamp')}$`, 'i')

/** Removes text around values, such as quotes, if it is around the value of every header. Then a log added this text, not the sender. */
function withoutMarks(request: CapturedRequest): CapturedRequest {
  const { headers } = request
  const timestamp = headers.find(([name]) => TIMESTAMP.test(name))?.[1] ?? ''
  const [, before = '', after = ''] = /^(\D*)\d+(\D.*)?$/.exec(timestamp) ?? []
  const hasMarks = (value: string) => value.startsWith(before) && value.endsWith(after)
  const values = headers.filter(([name]) => !name.startsWith(':')).map(([, value]) => value)
  // In a list with commas, the last value has no comma.
  if (before + after === '' || values.length < 5 || !values.slice(0, -1).every(hasMarks)) return request
  const strip = (value: string) => value.slice(before.length, value.length - after.length)
  return {
    ...request,
    headers: headers.map(([name, value]) => [name, hasMarks(value) && !name.startsWith(':') ? strip(value) : value]),
    notes: ['The same text was around the value of each header, so this text was removed.', ...(request.notes ?? [])],
  }
}

/** The text of a capture, or of a part of it. */
interface Source {
  readonly bytes: Uint8Array
  /** The beginning of the text, as Latin-1. */
  readonly text: string
  readonly trimmed: string
  /** Whether only a request begins as the text does. Its body can have any words, so formats around a request are not searched. */
  readonly isRequest: boolean
  readonly isHttpText: boolean
}

/** One format. `read` returns a request, or bytes that contain a request. It returns `undefined` if the text has another format. */
interface Reader {
  readonly matches: (source: Source) => boolean
  readonly read: (source: Source) => CapturedRequest | PossibleBody | Uint8Array | undefined
  /** What confirms a body in the bytes that `read` returns. */
  readonly certainty?: Certainty
}

const STREAM = 'Use Follow > TCP Stream of Wireshark'

const any = () => true
const isOther = ({ isRequest }: Source) => !isRequest
const isJson = ({ trimmed }: Source) => /^[{[]/.test(trimmed)
const isCommand = ({ trimmed }: Source) => isCurlCommand(trimmed)

/** Refuses a format, because bytes of the body are lost or hard to find. `what` is the end of the error, and says what to do. */
const refuse = (pattern: RegExp, what: string): Reader => ({
  matches: ({ text }) => pattern.test(text),
  read() {
    throw unreadable(what)
  },
})

/** The formats, in the order in which they are tried. */
const READERS: readonly Reader[] = [
  { matches: ({ trimmed }) => /^HTTP\/\d/.test(trimmed), read: readAfterResponse },
  { matches: ({ isRequest }) => isRequest, read: readWhole },
  refuse(/^[^\S\n]*Hypertext Transfer Protocol\s*$/m, `is a tree of tshark -V, which has no body. ${STREAM}`),
  refuse(
    /^(?:x-signature: [0-9a-f]+=|(?:webhook|svix)-signature: v1,[\w+/]{43}=3D)\r?$/im,
    'is quoted-printable, as mails are sent. Save the text as the mail program shows it',
  ),
  refuse(/^<pdml\b/m, `is the PDML of tshark, which has no body as text. ${STREAM}`),
  refuse(/^---request begin---/m, 'is the output of wget -d. Send the same request with curl -v'),
  refuse(
    /^(?![\s\S]*")[\s\S]*&(?:quot|#34|#x22);/,
    'has HTML entities such as &quot;. Copy the text as the page shows it',
  ),
  { matches: isOther, read: readQuoted, certainty: 'exact' },
  { matches: isOther, read: ({ bytes, text }) => readDebugLog(bytes, text), certainty: 'exact' },
  { matches: isOther, read: ({ bytes }) => readBurp(bytes), certainty: 'exact' },
  { matches: isOther, read: ({ bytes, text }) => decodeWhole(text, bytes), certainty: 'exact' },
  { matches: isOther, read: ({ bytes, text }) => readHexDump(text, bytes), certainty: 'exact' },
  { matches: isOther, read: ({ text }) => readNetworkDump(text) },
  { matches: isOther, read: removeColours },
  { matches: isJson, read: readJson },
  // If the output of the command follows, its headers are used, because curl sent them.
  { matches: isCommand, read: ({ bytes, text }) => ({ ...parseCurlCommand(fromLatin1(bytes)), ...headOf(text) }) },
  { matches: any, read: ({ bytes }) => readDocuments(readTable(fromUtf8(bytes))) },
  { matches: ({ isHttpText }) => !isHttpText, read: findFenced },
  refuse(/^(?:[\d:.]+ )?=> Send header/m, 'is the output of curl --trace-ascii, which has dots for bytes. Use --trace'),
  { matches: ({ isHttpText }) => !isHttpText, read: readAfterProse },
  { matches: any, read: ({ bytes }) => joinNamesAndValues(bytes) },
  { matches: any, read: readPrinted },
]

/** Reads text with at most `layers` other texts around the request. Without this limit, a capture could take too long. */
function readText(bytes: Uint8Array, layers: number): CapturedRequest {
  if (layers === 0) throw unreadable('has too many texts around the request')
  const beginning = fromLatin1(bytes.subarray(0, MAX_HEAD_BYTES))
  // Blank lines before the request are skipped. The indentation of the first line is kept, because all lines may be indented.
  const blank = beginning.lastIndexOf('\n', beginning.search(/\S|$/)) + 1
  const text = beginning.slice(blank)
  const trimmed = text.trimStart()
  if (trimmed === '') {
    throw new CaptureError(
      'The captured request is empty. Pass a file, pipe the request in, or use --header and --body-file.',
    )
  }
  const [isRequest, isHttpText] = [beginsAsRequest(text), beginsAsHttpText(text)]
  const source = { bytes: bytes.subarray(blank), text, trimmed, isRequest, isHttpText }
  for (const { matches, read, certainty } of READERS) {
    const found = matches(source) ? read(source) : undefined
    if (found === undefined) continue
    if ('headers' in found) return found
    const inside = found instanceof Uint8Array ? { body: found, certainty } : found
    return withCertainty(readText(inside.body, layers - 1), inside.certainty)
  }
  if (trimmed.startsWith('"')) throw unreadable('begins with a quote, but is not a JSON string')
  throw unreadable(isJson(source) ? 'begins as JSON, but is not valid JSON' : 'is not a request')
}

function withCertainty(request: CapturedRequest, certainty: Certainty | undefined): CapturedRequest {
  return certainty === undefined || request.certainty === 'rewritten' ? request : { ...request, certainty }
}

/** A program may have printed the response before the request. */
function readAfterResponse({ bytes, text }: Source): Uint8Array {
  const index = text.search(/^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?\r?$/m)
  if (index === -1) throw unreadable('is a response, not a request')
  return bytes.subarray(index)
}

/** Returns the request in complete HTTP text. */
function readWhole(source: Source): CapturedRequest | undefined {
  const whole = tryHttpText(source)
  // In a mail, `=` can be `=3D`.
  const isOfMail = ([name, value]: Header) => hasSignature(name) && value.endsWith('=3D')
  return isSigned(whole) && !whole.headers.some(isOfMail) ? whole : undefined
}

/** Returns the text in a JSON string. Go's %q and many logs write HTTP text in this form. */
function readQuoted({ bytes, trimmed }: Source): Uint8Array | undefined {
  const quoted = trimmed.startsWith('"') ? jsonValue(fromUtf8(bytes)) : undefined
  return quoted === undefined ? undefined : utf8(String(quoted))
}

function readJson({ bytes, text }: Source): CapturedRequest | Uint8Array | undefined {
  const documents = parseDocuments(fromUtf8(bytes))
  if (documents === undefined) return undefined
  const request = readDocuments(documents)
  if (request !== undefined) return request
  const lines = logLinesOf(documents)
  const found = lines === undefined ? (findInner(text) ?? readLooseText(bytes)) : utf8(lines.join(''))
  if (found === undefined) throw unreadable('is JSON, but has no headers of a request')
  return found
}

/** Returns the curl command after other text. */
function readAfterProse({ bytes, text }: Source): Uint8Array | undefined {
  const index = findCurlCommand(text)
  return index > 0 ? bytes.subarray(index) : undefined
}

/** Returns the request in HTTP text, in the output of `curl -v`, in a line of a log, or in any other text that contains the headers. */
function readPrinted(source: Source): CapturedRequest | Uint8Array | undefined {
  const { bytes, text, isHttpText } = source
  const certainty = LOSSY.test(text) ? 'lossy' : undefined
  const request = parseCurlOutput(text, isHttpText) ?? tryHttpText(source)
  if (isSigned(request)) return withCertainty(request, certainty)
  const isHttp = request !== undefined && !(request instanceof CaptureError)
  const logLine = isHttp ? undefined : readDocuments(findDocuments(fromUtf8(bytes)))
  const loose = logLine?.body === undefined ? readLooseText(bytes) : undefined
  const read = (loose?.body === undefined ? logLine : undefined) ?? loose ?? request
  if (read !== undefined && !(read instanceof CaptureError)) return withCertainty(read, certainty)
  const inner = findInner(text)
  if (inner === undefined && read !== undefined) throw read
  return inner
}

function isSigned(request: CapturedRequest | CaptureError | undefined): request is CapturedRequest {
  const isRequest = request !== undefined && !(request instanceof CaptureError)
  return isRequest && request.headers.some(([name]) => hasSignature(name))
}

/** Returns the request in HTTP text. Returns an error instead of throwing it, because the text may have another format. */
function tryHttpText({ bytes, text }: Source): CapturedRequest | CaptureError | undefined {
  try {
    return parseHttpText(bytes, text)
  } catch (error) {
    return error as CaptureError
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal begins a colour with the character ESC.
const COLOUR = /\x1b\[[\d;]*[mK]/g

/** Removes the colour codes of a terminal. Returns `undefined` if the text contains none. */
function removeColours({ bytes, text }: Source): Uint8Array | undefined {
  return text.search(COLOUR) === -1 ? undefined : latin1(fromLatin1(bytes).replace(COLOUR, ''))
}

function headOf(text: string): Pick<CapturedRequest, 'headers' | 'arrival'> | undefined {
  const output = parseCurlOutput(text, false)
  return output && { headers: output.headers, arrival: output.arrival }
}

const [HAS_TIMESTAMP, HAS_NONCE] = [new RegExp(anyNameOf('timestamp'), 'i'), new RegExp(anyNameOf('nonce'), 'i')]

/** Returns the first text in double quotes that has all three headers. For example, k6 writes a request between quotes. */
function findInner(text: string): Uint8Array | undefined {
  // The pattern needs no closing quote, because the search would otherwise take quadratic time.
  for (const [, quoted = ''] of text.matchAll(/"((?:[^"\\]|\\[\s\S]?)*)/g)) {
    if (HAS_TIMESTAMP.test(quoted) && HAS_NONCE.test(quoted) && hasSignature(quoted)) {
      return decodeEscapes(fromUtf8(latin1(quoted)))
    }
  }
  return undefined
}

/** Returns the text in UTF-8, without a byte order mark. PowerShell and Notepad can write text in UTF-16. */
function toUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second] = bytes
  if (fromLatin1(bytes.subarray(0, 3)) === '\xef\xbb\xbf') return bytes.subarray(3)
  // Without a mark, the first character is in ASCII, so one of its two bytes is 0.
  const isLittle = (first === 0xff && second === 0xfe) || second === 0
  const isBig = (first === 0xfe && second === 0xff) || first === 0
  if (!isLittle && !isBig) return bytes
  return utf8(new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes))
}

const FENCE = /^[ \t]*(?:```|~~~|\{(?:code|noformat)\b)[^\n`]*$/gm

/** Returns the text between the first two fences, such as lines of three backticks. The newline before the second fence is left out. */
function findFenced({ bytes, text }: Source): Uint8Array | undefined {
  FENCE.lastIndex = 0
  const opening = FENCE.exec(text)
  if (opening === null) return undefined
  const whole = fromLatin1(bytes.subarray(opening.index + opening[0].length + 1))
  FENCE.lastIndex = 0
  const closing = FENCE.exec(whole)
  const fenced = closing === null ? whole : whole.slice(0, closing.index).replace(/\r?\n$/, '')
  // The fenced block is the capture. But if only the text outside the block contains the headers, the whole text is the capture.
  return hasSignature(fenced) || !hasSignature(text) ? latin1(fenced) : undefined
}
