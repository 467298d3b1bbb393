import { Buffer } from 'node:buffer'
import { countBytes } from '../../diagnose/text.js'
import { UsageError } from '../command.js'
import type { HeaderLine } from '../output/http.js'

/** A captured request, as read. */
export interface CapturedRequest {
  /** Method and target, if the capture has them. */
  readonly requestLine: string | undefined
  readonly headers: readonly HeaderLine[]
  /** `undefined` if the capture has no body, like the output of `curl -v`. */
  readonly body: Buffer | undefined
  /** The body without the line end after it, if nothing says whether the line end was sent. */
  readonly bodyWithoutLineEnd: Buffer | undefined
  /** The `Date` of the response, if the capture has it. In milliseconds since the Unix epoch. */
  readonly respondedAt: number | undefined
  /** Remarks on how the capture was read. */
  readonly notes: readonly string[]
}

const REQUEST_LINE = /^[A-Z]+ [!-~]+( HTTP\/\d(\.\d)?)?$/
const BEGINS_WITH_REQUEST_LINE = new RegExp(`^\\s*${REQUEST_LINE.source.slice(1, -1)}\r?(\n|$)`)
/** The first request in the output of `curl -v`. The progress meter may stand before it. */
const CURL_REQUEST = /(?:^|[\r\n])[ \d:.kMG-]*> (?=[A-Z]+ [!-~]+ HTTP\/[\d.]+\r?\n)/
/** The beginning of the output of `curl --trace` and `--trace-ascii`. */
const CURL_TRACE = /^\s*([\d:.]+ )?(== Info: |[=<]> ?(Send|Recv) (header|data|SSL data), )/
/** Lines of `curl -v` that may stand before the body: remarks, counts, the progress meter. */
const CURL_REMARK = /^(\* |[{}] \[\d+ bytes data\]|\r|\s*$| {2}% Total| {10})/
const CURL_AFTER_BODY = /^(\* |[{}] \[\d+ bytes data\]|< HTTP\/\d)/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** How many bytes are searched for the form of a capture. */
const MAX_SEARCHED_BYTES = 2 ** 18

/**
 * Parses a captured request: HTTP text, or the output of `curl -v`. Lines may end with CRLF or LF.
 * The first line may be a request line or a pseudo-header of HTTP/2. The bytes of the body stay unchanged.
 */
export function parseCapture(capture: Buffer): CapturedRequest {
  const hasByteOrderMark = capture.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf))
  const bytes = capture.subarray(hasByteOrderMark ? 3 : 0)
  const text = bytes.toString('latin1', 0, MAX_SEARCHED_BYTES)
  if (CURL_TRACE.test(text)) {
    throw new UsageError(
      'The capture is the output of curl --trace. Capture the request with curl -v, and pass the body that was sent with --body-file PATH.',
    )
  }
  const curl = BEGINS_WITH_REQUEST_LINE.test(text) ? null : CURL_REQUEST.exec(text)
  if (curl === null) {
    const { requestLine, headers, rest } = parseHead(bytes, '')
    return { requestLine, headers, respondedAt: undefined, ...extractBody(rest, headers) }
  }
  const { requestLine, headers, rest } = parseHead(bytes.subarray(curl.index + curl[0].length - '> '.length), '>')
  const body = extractBody(findCurlBody(rest, contentLengthOf(headers)), headers)
  const after = rest.toString('latin1', 0, MAX_SEARCHED_BYTES)
  const date = Date.parse(/^< date: (.*?)\r?$/im.exec(after)?.[1] ?? '')
  const notes = CURL_REQUEST.test(after) ? ['The capture has several requests. Only the first was read.'] : []
  return {
    requestLine,
    headers,
    respondedAt: Number.isNaN(date) ? undefined : date,
    ...body,
    notes: [...body.notes, ...notes],
  }
}

/** Finds the body in what follows the head. curl prints none, but the user may have added it. */
function findCurlBody(rest: Buffer, contentLength: number | undefined): Buffer | undefined {
  const first = findLine(rest, (text) => !CURL_REMARK.test(text))
  if (first === undefined || first.text.startsWith('<')) return undefined
  const body = rest.subarray(first.start)
  if (first.text.startsWith('> ')) return removePrefixes(body)

  // A line of the body may look like a remark of curl. Content-Length decides if it fits.
  if (contentLength !== undefined && contentLength <= body.length) {
    const after = body.toString('latin1', contentLength, contentLength + 100)
    if (/^\r?\n|^$/.test(after) || CURL_AFTER_BODY.test(after)) return body.subarray(0, contentLength)
  }
  const after = findLine(body, (text) => CURL_AFTER_BODY.test(text))
  if (after === undefined) return body
  const before = body.subarray(0, after.start)
  return before.subarray(0, before.length - lineEndLength(before))
}

/** Returns a body whose lines have the prefix of the head. */
function removePrefixes(bytes: Buffer): Buffer {
  const lines: string[] = []
  for (const { text } of linesOf(bytes)) {
    if (!text.startsWith('> ')) break
    lines.push(text.slice('> '.length))
  }
  return Buffer.from(lines.join('\n'), 'latin1')
}

interface Line {
  /** Without its line end. */
  readonly text: string
  readonly start: number
  readonly end: number
}

function* linesOf(bytes: Buffer): Iterable<Line> {
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf('\n', start)
    const end = lineFeed === -1 ? bytes.length : lineFeed + 1
    const line = bytes.subarray(start, end)
    yield { text: line.toString('latin1', 0, line.length - lineEndLength(line)), start, end }
    start = end
  }
}

function findLine(bytes: Buffer, matches: (text: string) => boolean): Line | undefined {
  for (const line of linesOf(bytes)) if (matches(line.text)) return line
  return undefined
}

/** Returns the length of the line end at the end of `bytes`: 2 for CRLF, 1 for LF, 0 for none. */
function lineEndLength(bytes: Uint8Array): number {
  if (bytes.at(-1) !== 0x0a) return 0
  return bytes.at(-2) === 0x0d ? 2 : 1
}

/** Parses the lines up to the first blank line, or up to the first line without the prefix. */
function parseHead(
  bytes: Buffer,
  prefix: '' | '>',
): Pick<CapturedRequest, 'requestLine' | 'headers'> & { readonly rest: Buffer } {
  const all: [name: string, value: string][] = []
  let requestLine: string | undefined
  let [number, end] = [0, 0]
  for (const line of linesOf(bytes)) {
    if (!line.text.startsWith(prefix)) break
    number++
    end = line.end
    const text = prefix === '' ? line.text : line.text.replace(/^> ?/, '')
    const isFirst = requestLine === undefined && all.length === 0
    const last = all.at(-1)
    const header = parseHeaderLine(text)
    if (text === '') {
      if (isFirst) continue
      break
    }
    if (isFirst && text.startsWith('HTTP/')) {
      throw new UsageError('The capture begins with a response. Pass the request.')
    }
    if (isFirst && REQUEST_LINE.test(text)) requestLine = text
    // A line that begins with white space continues the value before it (RFC 9112, section 5.2).
    else if (/^[ \t]/.test(text) && last !== undefined) last[1] += ` ${trimBlanks(text)}`
    else if (header !== undefined) all.push(header)
    else {
      throw new UsageError(
        `Line ${number} of the capture is not a header. Pass HTTP text with a blank line before the body, or use --header and --body-file.`,
      )
    }
  }
  if (requestLine === undefined && all.length === 0) {
    throw new UsageError('The capture is empty. Pass the request as HTTP text.')
  }
  const pseudo = new Map(all.filter(([name]) => name.startsWith(':')))
  const target = [pseudo.get(':method'), pseudo.get(':path')].filter((part) => part !== undefined)
  return {
    requestLine: requestLine ?? (target.join(' ') || undefined),
    headers: all.filter(([name]) => !name.startsWith(':')),
    rest: bytes.subarray(end),
  }
}

/** Parses `Name: value`. The name may begin with a colon, as a pseudo-header of HTTP/2 does. */
function parseHeaderLine(line: string): [name: string, value: string] | undefined {
  const colon = line.indexOf(':', 1)
  const name = line.slice(0, Math.max(colon, 0))
  return TOKEN.test(name.replace(/^:/, '')) ? [name, trimBlanks(line.slice(colon + 1))] : undefined
}

/** Parses the value of `--header`. */
export function parseHeaderOption(line: string): HeaderLine {
  const header = parseHeaderLine(line)
  if (header === undefined) throw new UsageError("--header needs a colon: --header 'Name: value'")
  return header
}

/** Removes the spaces and tabs around a header's value (RFC 9110, section 5.5). */
function trimBlanks(text: string): string {
  // The lookbehind keeps the time linear.
  return text.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
}

/** Returns the values of a header, whose name is lowercase. */
export function valuesOf(headers: readonly HeaderLine[], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

function contentLengthOf(headers: readonly HeaderLine[]): number | undefined {
  const [value, ...others] = new Set(valuesOf(headers, 'content-length'))
  return value === undefined || others.length > 0 || !/^\d{1,15}$/.test(value) ? undefined : Number(value)
}

type CapturedBody = Pick<CapturedRequest, 'body' | 'bodyWithoutLineEnd' | 'notes'>

/** Returns the body that was sent: joins its chunks, or cuts it at `Content-Length`, because editors add a line end. */
export function extractBody(bytes: Buffer | undefined, headers: readonly HeaderLine[]): CapturedBody {
  const result = (body: Buffer | undefined, ...notes: string[]) => ({ body, bodyWithoutLineEnd: undefined, notes })
  if (bytes === undefined) return result(undefined)
  if (valuesOf(headers, 'transfer-encoding').some((value) => /\bchunked$/i.test(value))) {
    const joined = joinChunks(bytes)
    return joined === undefined
      ? result(bytes, 'Transfer-Encoding is chunked, but the body has no chunks. It was read unchanged.')
      : result(joined, 'The body was sent in chunks. They were joined.')
  }

  const length = contentLengthOf(headers)
  if (length === undefined) {
    const lineEnd = lineEndLength(bytes)
    if (lineEnd === 0) return result(bytes)
    const problem = valuesOf(headers, 'content-length').length === 0 ? 'is missing' : 'is not one number'
    const note = `Content-Length ${problem}. The line end after the body was read as part of it.`
    return { body: bytes, bodyWithoutLineEnd: bytes.subarray(0, bytes.length - lineEnd), notes: [note] }
  }
  if (bytes.length === length) return result(bytes)
  if (bytes.length === 0) {
    return result(bytes, `Content-Length is ${length}, but there is no body. Pass it with --body-file PATH.`)
  }
  if (bytes.length < length) {
    return result(
      bytes,
      `Content-Length is ${length}, but the body has ${countBytes(bytes.length)}. It was changed (CRLF to LF, lost bytes, a missing part), or is another body.`,
    )
  }
  const rest = bytes.subarray(length)
  const ignored = lineEndLength(rest) === rest.length ? 'the line end' : countBytes(rest.length)
  return result(bytes.subarray(0, length), `Content-Length is ${length}, which excludes ${ignored} after the body.`)
}

/**
 * Joins the chunks of a body (RFC 9112, section 7.1). Lines may end with LF alone, as in captures.
 * Returns `undefined` if the body has no chunks, because many tools join them.
 */
function joinChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let start = 0; ; ) {
    const lineFeed = bytes.indexOf('\n', start)
    // The size of a chunk is short, even if an extension follows.
    const line = bytes.toString('latin1', start, Math.min(lineFeed, start + 1000))
    const size = /^([0-9a-f]{1,8})[ \t]*(;|\r?$)/i.exec(line)?.[1]
    if (lineFeed === -1 || size === undefined) return undefined
    const length = Number.parseInt(size, 16)
    if (length === 0) return Buffer.concat(chunks)
    const end = lineFeed + 1 + length
    const lineEnd = /^\r?\n/.exec(bytes.toString('latin1', end, end + 2))?.[0]
    if (lineEnd === undefined) return undefined
    chunks.push(bytes.subarray(lineFeed + 1, end))
    start = end + lineEnd.length
  }
}
