import { fromLatin1, fromUtf8, latin1, utf8 } from '../bytes.js'
import { jsonValue } from '../diagnose/json/parse.js'
import { CaptureError, unreadable } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { findCurlCommand, isCurlCommand, parseCurlCommand } from './curl-command.js'
import { parseCurlOutput } from './curl-output.js'
import { readDebugLog } from './debug-log.js'
import { decodeEscapes } from './escapes.js'
import { anyNameOf, hasSignature } from './headers.js'
import { readHexDump } from './hex-dump.js'
import { beginsAsHttpText, beginsAsRequest, joinNamesAndValues, parseHttpText } from './http-text.js'
import { findDocuments, logLinesOf, parseDocuments, readDocuments } from './json.js'
import { decodeWhole, readLooseText } from './loose-text.js'
import { readNetworkDump } from './network-dump.js'
import { readBurp, readContainerLog, readTable } from './wrapped-text.js'

// This file also runs in a browser, so it imports no module of Node.

const MAX_HEAD_BYTES = 2 ** 18

/** Matches the output of tshark or tcpdump. In this output, a dot can stand for any other byte. */
const LOSSY = /^(?:[\d:.]+ IP6? .* Flags \[|Follow: \w+,ascii)/m

/** Formats that are refused, because bytes of the body are lost or hard to find. `what` is the end of the error, and says what to do. */
const REFUSED: readonly (readonly [format: RegExp, what: string])[] = [
  [
    /^[^\S\n]*Hypertext Transfer Protocol\s*$/m,
    'is a tree of tshark -V, which has no body. Use Follow > TCP Stream of Wireshark',
  ],
  [
    /^(?:x-signature: [0-9a-f]+=|(?:webhook|svix)-signature: v1,[\w+/]{43}=3D)\r?$/im,
    'is quoted-printable, as mails are sent. Save the text as the mail program shows it',
  ],
  [/^<pdml\b/m, 'is the PDML of tshark, which has no body as text. Use Follow > TCP Stream of Wireshark'],
  [/^---request begin---/m, 'is the output of wget -d. Send the same request with curl -v'],
  [/^(?![\s\S]*")[\s\S]*&(?:quot|#34|#x22);/, 'has HTML entities such as &quot;. Copy the text as the page shows it'],
]

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

/** Reads text with at most `layers` other texts around the request. Without this limit, a capture could take too long. */
function readText(bytes: Uint8Array, layers: number): CapturedRequest {
  if (layers === 0) throw unreadable('has too many texts around the request')
  const readInside = (inside: Uint8Array) => readText(inside, layers - 1)
  const beginning = fromLatin1(bytes.subarray(0, MAX_HEAD_BYTES))
  // Blank lines before the request are skipped. The indentation of the first line is kept, because all lines may be indented.
  const blank = beginning.lastIndexOf('\n', beginning.search(/\S|$/)) + 1
  const rest = bytes.subarray(blank)
  const text = beginning.slice(blank)
  const trimmed = text.trimStart()
  if (trimmed === '') {
    throw new CaptureError(
      'The captured request is empty. Pass a file, pipe the request in, or use --header and --body-file.',
    )
  }
  if (/^HTTP\/\d/.test(trimmed)) {
    // A program may have printed the response before the request.
    const index = text.search(/^[A-Z]+ \S+ HTTP\/\d(?:\.\d)?\r?$/m)
    if (index === -1) throw unreadable('is a response, not a request')
    return readInside(rest.subarray(index))
  }
  const isRequest = beginsAsRequest(text)
  const whole = isRequest ? tryHttpText(rest, text) : undefined
  // The body of a complete request can have any words, so other formats are searched only in other text. In a mail, `=` can be `=3D`.
  if (isSigned(whole) && !whole.headers.some(([name, value]) => hasSignature(name) && value.endsWith('=3D')))
    return whole
  const refused = REFUSED.find(([pattern]) => pattern.test(text))
  if (refused !== undefined) throw unreadable(refused[1])
  const decoded = isRequest ? undefined : decodeText(rest, text)
  if (decoded !== undefined) return { ...readInside(decoded), isExact: true }
  const dump = isRequest ? undefined : readNetworkDump(text)
  if (dump !== undefined)
    return { ...readInside(dump.bytes), isExact: dump.isLossy !== true, isLossy: dump.isLossy === true }
  const unmarked = isRequest ? undefined : (readContainerLog(rest) ?? removeTerminalMarks(rest, text))
  if (unmarked !== undefined) return readInside(unmarked)
  const request = readFormats(rest, text, trimmed, readInside)
  return LOSSY.test(text) ? { ...request, isLossy: true } : request
}

function readFormats(
  rest: Uint8Array,
  text: string,
  trimmed: string,
  readInside: (inside: Uint8Array) => CapturedRequest,
): CapturedRequest {
  const isJson = /^[{[]/.test(trimmed)
  const documents = isJson ? parseDocuments(fromUtf8(rest)) : undefined
  if (documents !== undefined) {
    const lines = logLinesOf(documents)
    const inLog = () => lines && readInside(utf8(lines.join('')))
    const found =
      readDocuments(documents) ?? inLog() ?? readInner(textsOf(documents), readInside) ?? readLooseText(rest)
    if (found === undefined) throw unreadable('is JSON, but has no headers of a request')
    return found
  }
  if (isCurlCommand(trimmed)) {
    const command = parseCurlCommand(fromLatin1(rest))
    // If the output of the command follows, its headers are used, because curl sent them.
    return { ...command, ...headOf(parseCurlOutput(text, false)) }
  }
  const row = readDocuments(readTable(fromUtf8(rest)))
  if (row !== undefined) return row
  const isHttpText = beginsAsHttpText(text)
  const fenced = isHttpText ? undefined : findFenced(rest, text)
  // The fenced block is the capture. But if only the text outside the block contains the headers, the whole text is the capture.
  if (fenced !== undefined && (hasSignature(fromLatin1(fenced)) || !hasSignature(text))) return readInside(fenced)
  if (/^(?:[\d:.]+ )?=> Send header/m.test(text)) {
    throw unreadable('is the output of curl --trace-ascii, which writes a dot for many bytes. Use --trace')
  }
  const command = isHttpText ? -1 : findCurlCommand(text)
  if (command > 0) return readInside(rest.subarray(command))
  const joined = joinNamesAndValues(fromLatin1(rest))
  if (joined !== undefined) return readInside(latin1(joined))
  const request = parseCurlOutput(text, isHttpText) ?? tryHttpText(rest, text)
  if (isSigned(request)) return request
  const isHttp = request !== undefined && !(request instanceof CaptureError)
  const logLine = isHttp ? undefined : readDocuments(findDocuments(fromUtf8(rest)))
  const loose = logLine?.body === undefined ? readLooseText(rest) : undefined
  const read = (loose?.body === undefined ? logLine : undefined) ?? loose ?? request
  const inner =
    read === undefined || read instanceof CaptureError ? readInner(encodedTextsOf(text), readInside) : undefined
  if (inner !== undefined) return inner
  if (read instanceof CaptureError) throw read
  if (read !== undefined) return read
  if (trimmed.startsWith('"')) throw unreadable('begins with a quote, but is not a JSON string')
  throw unreadable(isJson ? 'begins as JSON, but is not valid JSON' : 'is not a request')
}

function isSigned(request: CapturedRequest | CaptureError | undefined): request is CapturedRequest {
  const isRequest = request !== undefined && !(request instanceof CaptureError)
  return isRequest && request.headers.some(([name]) => hasSignature(name))
}

/** Returns the request in HTTP text. Returns an error instead of throwing it, because the text may have another format. */
function tryHttpText(bytes: Uint8Array, text: string): CapturedRequest | CaptureError | undefined {
  try {
    return parseHttpText(bytes, text)
  } catch (error) {
    return error as CaptureError
  }
}

/** Decodes a JSON string, the log of an HTTP client, base64 or a dump of bytes, which lose no byte. Returns `undefined` for other text. */
function decodeText(bytes: Uint8Array, text: string): Uint8Array | undefined {
  // Go's %q and many logs write HTTP text as a JSON string.
  const quoted = text.trimStart().startsWith('"') ? jsonValue(fromUtf8(bytes)) : undefined
  if (quoted !== undefined) return utf8(String(quoted))
  return readDebugLog(bytes, text) ?? readBurp(bytes) ?? decodeWhole(text, bytes) ?? readHexDump(text, bytes)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal begins a colour with the character ESC.
const COLOUR = /\x1b\[[\d;]*[mK]/g
const SIGNATURE_LINE = new RegExp(`^[ \\t>*-]{0,20}${anyNameOf('signature')}:(.*)$`, 'im')

/** Removes colour codes, or else a visible `^M` or `\r\n` at the end of each line. Returns `undefined` if the text contains neither. */
function removeTerminalMarks(bytes: Uint8Array, text: string): Uint8Array | undefined {
  if (text.search(COLOUR) !== -1) return latin1(fromLatin1(bytes).replace(COLOUR, ''))
  const signature = SIGNATURE_LINE.exec(text)?.[1] ?? ''
  const [mark] = /(?:\^M\$?|\\r\\n)$/.exec(signature) ?? []
  if (mark === undefined) return undefined
  const lines = fromLatin1(bytes).split('\n')
  return latin1(lines.map((line) => (line.endsWith(mark) ? line.slice(0, -mark.length) : line)).join('\n'))
}

function headOf(output: CapturedRequest | undefined): Pick<CapturedRequest, 'headers' | 'arrival'> | undefined {
  return output && { headers: output.headers, arrival: output.arrival }
}

const [HAS_TIMESTAMP, HAS_NONCE] = [new RegExp(anyNameOf('timestamp'), 'i'), new RegExp(anyNameOf('nonce'), 'i')]

/** Returns the request in the first text that has all three headers, or `undefined` if no text has all three. */
function readInner(
  texts: Iterable<Uint8Array>,
  readInside: (inside: Uint8Array) => CapturedRequest,
): CapturedRequest | undefined {
  for (const bytes of texts) {
    const text = fromLatin1(bytes)
    if (HAS_TIMESTAMP.test(text) && HAS_NONCE.test(text) && hasSignature(text)) return readInside(bytes)
  }
  return undefined
}

/** Yields all strings with X-Signature in a parsed JSON document. */
function* textsOf(value: unknown): Generator<Uint8Array> {
  // There is no recursion, because deep nesting would overflow the stack.
  const pending = [value]
  for (const one of pending) {
    if (typeof one === 'string' && hasSignature(one)) yield utf8(one)
    else if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) pending.push(inner)
  }
}

/** Yields each text between double quotes. For example, k6 writes a request between quotes. */
function* encodedTextsOf(text: string): Generator<Uint8Array> {
  // The pattern needs no closing quote, because the search would otherwise take quadratic time.
  for (const [, quoted] of text.matchAll(/"((?:[^"\\]|\\[\s\S]?)*)/g)) {
    yield decodeEscapes(fromUtf8(latin1(String(quoted))))
  }
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
function findFenced(bytes: Uint8Array, text: string): Uint8Array | undefined {
  FENCE.lastIndex = 0
  const opening = FENCE.exec(text)
  if (opening === null) return undefined
  const start = opening.index + opening[0].length + 1
  const inside = bytes.subarray(start)
  const whole = fromLatin1(inside)
  FENCE.lastIndex = 0
  const closing = FENCE.exec(whole)
  const end = closing === null ? whole.length : whole.slice(0, closing.index).replace(/\r?\n$/, '').length
  return inside.subarray(0, end)
}
