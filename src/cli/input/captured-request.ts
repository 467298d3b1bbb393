import { Buffer } from 'node:buffer'
import { countBytes } from '../../diagnose/text.js'
import type { HeaderLine } from '../output/http-text.js'
import { quoted } from '../output/printable.js'
import { UsageError } from '../usage-error.js'
import { dechunk } from './chunked.js'

/** A request as somebody captured it. */
export interface CapturedRequest {
  /** Method and target, if the capture shows them. */
  readonly requestLine: string | undefined
  readonly headers: readonly HeaderLine[]
  /** The bytes of the body; `undefined` where the capture leaves them out, as `curl -v` does. */
  readonly body: Buffer | undefined
  /** The body without the line end after it, where nothing says whether that was sent or added by an editor. */
  readonly bodyWithoutLineEnd: Buffer | undefined
  /** When the request was answered, in milliseconds since the Unix epoch, if the capture shows the answer's `Date`. */
  readonly answeredAt: number | undefined
  /** What a reader should know about how the capture was read. */
  readonly notes: readonly string[]
}

const REQUEST_LINE = /^[A-Z]+ [!-~]+( HTTP\/\d(\.\d)?)?$/
const BEGINS_WITH_REQUEST_LINE = new RegExp(`^\\s*${REQUEST_LINE.source.slice(1, -1)}\r?(\n|$)`)
/** Where `curl -v` begins to show a request, perhaps behind what is left of its progress meter. */
const CURL_REQUEST = /(?:^|[\r\n])[ \d:.kMG-]*> (?=[A-Z]+ [!-~]+ HTTP\/[\d.]+\r?\n)/
/** How `curl --trace` and `--trace-ascii` begin, perhaps each line with the time. */
const CURL_TRACE = /^\s*([\d:.]+ )?(== Info: |[=<]> ?(Send|Recv) (header|data|SSL data), )/
/** Lines of `curl -v` that stand before the body and belong to nothing: remarks, counts, the progress meter. */
const CURL_REMARK = /^(\* |[{}] \[\d+ bytes data\]|\r|\s*$| {2}% Total| {10})/
/** What follows the body there. */
const CURL_AFTER_BODY = /^(\* |[{}] \[\d+ bytes data\]|< HTTP\/\d)/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** How much of a capture is looked at to find out what it is, in bytes. */
const LOOK = 2 ** 18

/**
 * Reads a captured request: HTTP text as a proxy or `curl -v` shows it, its lines ended by CRLF or LF, with a request line,
 * HTTP/2's pseudo-headers or neither. Only the head is text; the body stays the bytes that it is.
 */
export function parseCapture(capture: Buffer): CapturedRequest {
  const bytes = capture.subarray(hasByteOrderMark(capture) ? 3 : 0)
  const text = bytes.toString('latin1', 0, LOOK)
  if (CURL_TRACE.test(text)) {
    throw new UsageError(
      'the capture is what curl --trace or --trace-ascii prints, which is not read: capture it with curl -v, and pass the body that was sent with --body-file PATH',
    )
  }
  const curl = CURL_REQUEST.exec(text)
  return curl === null || BEGINS_WITH_REQUEST_LINE.test(text)
    ? parseHttpText(bytes)
    : parseCurl(bytes.subarray(curl.index + curl[0].length - '> '.length))
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

function parseHttpText(bytes: Buffer): CapturedRequest {
  const head: HeadLine[] = []
  let end = 0
  for (const line of linesOf(bytes)) {
    end = line.end
    if (line.text !== '') head.push(line)
    else if (head.length > 0) break
  }
  const { requestLine, headers } = parseHead(head)
  return { requestLine, headers, answeredAt: undefined, ...framed(bytes.subarray(end), headers) }
}

function parseCurl(bytes: Buffer): CapturedRequest {
  const head: HeadLine[] = []
  let end = 0
  for (const line of linesOf(bytes)) {
    if (!line.text.startsWith('>')) break
    end = line.end
    const text = line.text.replace(/^> ?/, '')
    if (text === '') break
    head.push({ ...line, text })
  }
  const { requestLine, headers } = parseHead(head)
  const rest = bytes.subarray(end)
  const { body, bodyWithoutLineEnd, notes } = framed(curlBody(rest, contentLengthOf(headers)), headers)
  const text = rest.toString('latin1', 0, LOOK)
  const answeredAt = Date.parse(/^< date: (.*?)\r?$/im.exec(text)?.[1] ?? '')
  return {
    requestLine,
    headers,
    body,
    bodyWithoutLineEnd,
    answeredAt: Number.isNaN(answeredAt) ? undefined : answeredAt,
    notes: CURL_REQUEST.test(text) ? [...notes, 'The capture shows several requests: the first was read.'] : notes,
  }
}

/** The body in what follows the head: curl shows none, but whoever saved the capture may have put it there. */
function curlBody(rest: Buffer, contentLength: number | undefined): Buffer | undefined {
  const first = lineOf(rest, (text) => !CURL_REMARK.test(text))
  if (first === undefined || first.text.startsWith('<')) return undefined
  const body = rest.subarray(first.start)
  if (first.text.startsWith('> ')) return unprefixed(body)

  // A line of a body may look like one of curl's: the length decides, if it fits.
  if (contentLength !== undefined && contentLength <= body.length) {
    const after = body.toString('latin1', contentLength, contentLength + 100)
    if (/^\r?\n|^$/.test(after) || CURL_AFTER_BODY.test(after)) return body.subarray(0, contentLength)
  }
  const after = lineOf(body, (text) => CURL_AFTER_BODY.test(text))
  return after === undefined ? body : body.subarray(0, after.start - lineEndOf(body.subarray(0, after.start)))
}

/** A body that was prefixed as the head is, up to the first line that is not. */
function unprefixed(bytes: Buffer): Buffer {
  const lines: string[] = []
  for (const { text } of linesOf(bytes)) {
    if (!text.startsWith('> ')) break
    lines.push(text.slice('> '.length))
  }
  return Buffer.from(lines.join('\n'), 'latin1')
}

interface Line {
  readonly number: number
  /** Without its end. */
  readonly text: string
  readonly start: number
  readonly end: number
}

type HeadLine = Pick<Line, 'number' | 'text'>

function* linesOf(bytes: Buffer): Iterable<Line> {
  for (let start = 0, number = 1; start < bytes.length; number++) {
    const lineFeed = bytes.indexOf('\n', start)
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1
    const ended = bytes.subarray(start, end)
    yield { number, text: ended.toString('latin1', 0, ended.length - lineEndOf(ended)), start, end }
    start = end
  }
}

function lineOf(bytes: Buffer, isIt: (text: string) => boolean): Line | undefined {
  for (const line of linesOf(bytes)) if (isIt(line.text)) return line
  return undefined
}

/** How many bytes of a line end `bytes` has at its end: 2 for CRLF, 1 for LF, 0 for none. */
function lineEndOf(bytes: Uint8Array): number {
  if (bytes.at(-1) !== 0x0a) return 0
  return bytes.at(-2) === 0x0d ? 2 : 1
}

function parseHead(lines: readonly HeadLine[]): { requestLine: string | undefined; headers: HeaderLine[] } {
  const [first, ...others] = lines
  if (first === undefined) throw new UsageError('the capture is empty: pass the request as HTTP text')
  if (first.text.startsWith('HTTP/')) {
    throw new UsageError('the capture begins with an answer: pass the request that was answered')
  }
  const hasRequestLine = REQUEST_LINE.test(first.text)
  const all: [name: string, value: string][] = []
  for (const { number, text } of hasRequestLine ? others : lines) {
    const last = all.at(-1)
    // A long value may go on in the next line, which then begins with white space (RFC 9112, section 5.2).
    if (/^[ \t]/.test(text) && last !== undefined) last[1] += ` ${trimmed(text)}`
    else all.push(parseHeaderLine(text, () => notHeader(number, text)))
  }
  const pseudo = new Map(all.filter(([name]) => name.startsWith(':')))
  const target = [pseudo.get(':method'), pseudo.get(':path')].filter((part) => part !== undefined)
  return {
    requestLine: hasRequestLine ? first.text : target.length === 0 ? undefined : target.join(' '),
    headers: all.filter(([name]) => !name.startsWith(':')),
  }
}

/**
 * The name and value of `Name: value`.
 *
 * @param fault - what to throw for anything else.
 */
export function parseHeaderLine(line: string, fault: () => UsageError): [name: string, value: string] {
  // The name of a pseudo-header of HTTP/2 begins with a colon.
  const colon = line.indexOf(':', 1)
  const name = line.slice(0, Math.max(colon, 0))
  if (!TOKEN.test(name.replace(/^:/, ''))) throw fault()
  return [name, trimmed(line.slice(colon + 1))]
}

function notHeader(number: number, text: string): UsageError {
  return new UsageError(
    `line ${number} of the capture, ${quoted(text.slice(0, 40))}, is no header: pass HTTP text, with a blank line between head and body, or the parts with --header and --body-file`,
  )
}

/** Without the spaces and tabs around, which do not belong to a header's value (RFC 9110, section 5.5). */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text[start])) start++
  while (start < end && isBlank(text[end - 1])) end--
  return text.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function valuesOf(headers: readonly HeaderLine[], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

function contentLengthOf(headers: readonly HeaderLine[]): number | undefined {
  const [value, ...others] = new Set(valuesOf(headers, 'content-length'))
  return value === undefined || others.length > 0 || !/^\d{1,15}$/.test(value) ? undefined : Number(value)
}

/**
 * The body as it was sent, of what stands after the head: its chunks joined, and cut where `Content-Length` says that it
 * ends, for editors end a file with a line end.
 */
export function framed(
  body: Buffer | undefined,
  headers: readonly HeaderLine[],
): Pick<CapturedRequest, 'body' | 'bodyWithoutLineEnd' | 'notes'> {
  const whole = (framed: Buffer | undefined, ...notes: string[]) => ({
    body: framed,
    bodyWithoutLineEnd: undefined,
    notes,
  })
  if (body === undefined) return whole(body)
  if (valuesOf(headers, 'transfer-encoding').some((value) => /\bchunked$/i.test(value))) {
    const joined = dechunk(body)
    return joined === undefined
      ? whole(body, 'Transfer-Encoding is chunked, but the body is not cut into chunks: it was taken as it is.')
      : whole(joined, 'The body was sent in chunks: they were joined.')
  }

  const contentLength = contentLengthOf(headers)
  if (contentLength === undefined) {
    const unknown = valuesOf(headers, 'content-length').length === 0 ? 'is missing' : 'is not one number'
    const doubt = `Content-Length ${unknown}, so the line end at the end of the body was taken as a part of it.`
    const lineEnd = lineEndOf(body)
    return lineEnd === 0
      ? whole(body)
      : { body, bodyWithoutLineEnd: body.subarray(0, body.length - lineEnd), notes: [doubt] }
  }
  const more = body.length - contentLength
  if (more === 0) return whole(body)
  if (more < 0) {
    const changed = `a body of ${countBytes(body.length)}: it was changed on its way here (CRLF made LF, bytes lost that are no text, a part left out), or is another.`
    const note = body.length === 0 ? 'no body: pass it with --body-file PATH.' : changed
    return whole(body, `Content-Length is ${contentLength}, but there is ${note}`)
  }
  const cut = body.subarray(0, contentLength)
  const rest = body.subarray(contentLength)
  return whole(
    cut,
    lineEndOf(rest) === rest.length
      ? `The line end after the body was left out, for Content-Length is ${contentLength}.`
      : `Content-Length is ${contentLength}, and ${more === 1 ? '1 more byte follows in the capture: it was' : `${more} more bytes follow in the capture: they were`} left out.`,
  )
}
