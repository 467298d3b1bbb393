import { concat, fromLatin1 } from '../../diagnose/bytes.js'
import { countBytes } from '../../diagnose/text.js'
import type { HeaderLine } from '../output/http.js'
import { UsageError } from '../usage-error.js'
import { parseCurlCommand, parseJsonCapture } from './capture-formats.js'

// No module of Node, so that this runs in a browser too.

/** A captured request, as read. */
export interface CapturedRequest {
  /** Method and target are the pseudo-headers `:method` and `:path`, as in HTTP/2. A sender may have signed them. */
  readonly headers: readonly HeaderLine[]
  /** What follows the head, or `undefined` if the capture has no body, as in the output of `curl -v`. */
  readonly body: Uint8Array | undefined
  /** When it was sent or answered, if the capture says so. In milliseconds since the Unix epoch, or NaN. */
  readonly respondedAt: number
}

/** How many bytes are searched for the head of a capture. */
const MAX_HEAD_BYTES = 2 ** 18

const LF = 0x0a

const REQUEST_LINE = /^([A-Z]+) ([!-~]+)( HTTP\/\d(\.\d)?)?$/
/** The head in the output of `curl -v`. curl's progress meter may stand before it on its line. */
const CURL_HEAD = /(?:^|[\r\n])[ \d:.kMG-]*(> [A-Z]+ [!-~]+ HTTP\/[\d.]+(?:\r?\n> ?\S.*)*)/

/**
 * Parses a captured request: HTTP text, the output of `curl -v`, a curl command, a HAR file, or JSON with headers and body.
 * Lines may end with CRLF or LF.
 */
export function parseCapture(capture: Uint8Array): CapturedRequest {
  const text = fromLatin1(capture.subarray(0, MAX_HEAD_BYTES))
  const other = /^(\xef\xbb\xbf)?\s*\{/.test(text) ? parseJsonCapture(capture) : parseCurlCommand(capture)
  if (other !== undefined) return other
  // Blank lines or a byte order mark may stand before the head.
  const start = Math.max(0, text.search(/[^\r\n\xef\xbb\xbf]/))
  const [head = '', blankLine = ''] = text.slice(start).split(/(\r?\n(?:\r?\n|$))/, 2)
  const [, curlHead] = CURL_HEAD.exec(head) ?? []
  if (curlHead !== undefined) {
    const [, date = ''] = /^< date: (.*?)\r?$/im.exec(text) ?? []
    return { headers: parseHead(curlHead.replaceAll(/^> ?/gm, '')), body: undefined, respondedAt: Date.parse(date) }
  }
  const body = capture.subarray(start + head.length + blankLine.length)
  return { headers: parseHead(head), body, respondedAt: Number.NaN }
}

function parseHead(head: string): readonly HeaderLine[] {
  const headers: HeaderLine[] = []
  for (const [index, line] of head.split(/\r?\n/).entries()) {
    const [, method, target] = (index === 0 && REQUEST_LINE.exec(line)) || []
    const header = parseHeader(line)
    if (method && target) headers.push([':method', method], [':path', target])
    else if (header !== undefined) headers.push(header)
    else {
      throw new UsageError(
        `Line ${index + 1} of the request is not a header. Pass HTTP text with a blank line before the body, or use --header and --body-file.`,
      )
    }
  }
  return headers
}

/** Parses `Name: value`. The name may begin with a colon, as a pseudo-header of HTTP/2 does. */
export function parseHeader(line: string): HeaderLine | undefined {
  const [, name, value] = /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(line) ?? []
  // White space around the value does not belong to it (RFC 9110, section 5.5). The lookbehind keeps the time linear.
  return name && value !== undefined ? [name, value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')] : undefined
}

/** Returns the values of a header, whose name is lowercase. */
export function valuesOf(headers: readonly HeaderLine[], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

/** Returns the body that was sent, and a note: joins its chunks, or cuts it at `Content-Length`, because editors add a line end. */
export function extractBody(bytes: Uint8Array, headers: readonly HeaderLine[]): { body: Uint8Array; notes: string[] } {
  if (valuesOf(headers, 'transfer-encoding').some((value) => /\bchunked$/i.test(value))) {
    const body = joinChunks(bytes)
    return body === undefined
      ? { body: bytes, notes: ['Transfer-Encoding is chunked, but the body has no chunks. It was read unchanged.'] }
      : { body, notes: ['The body was sent in chunks. They were joined.'] }
  }
  const [text = '', ...others] = new Set(valuesOf(headers, 'content-length'))
  if (!/^\d{1,15}$/.test(text) || others.length > 0) {
    const note = 'Without Content-Length, the line end after the body was read as part of it.'
    return { body: bytes, notes: bytes.at(-1) === LF ? [note] : [] }
  }
  const length = Number(text)
  const body = bytes.subarray(0, length)
  if (bytes.length > length) {
    const ignored = countBytes(bytes.length - length)
    return { body, notes: [`Content-Length is ${length}, which excludes ${ignored} after the body.`] }
  }
  const note = `Content-Length is ${length}, but the body has ${countBytes(body.length)}. It was changed (CRLF to LF, lost bytes, a missing part), or is another body.`
  return { body, notes: body.length < length ? [note] : [] }
}

/**
 * Joins the chunks of a body (RFC 9112, section 7.1). Lines may end with LF alone, as in captures.
 * Returns `undefined` if the body has no chunks, because many tools join them.
 */
function joinChunks(bytes: Uint8Array): Uint8Array | undefined {
  const chunks: Uint8Array[] = []
  for (let start = 0; ; ) {
    // The line with the size of a chunk is short, even if an extension follows the size.
    const lineLength = bytes.subarray(start, start + 1000).indexOf(LF) + 1
    const line = /^([0-9a-f]{1,8})[ \t]*(;.*)?\r?\n/i.exec(fromLatin1(bytes.subarray(start, start + lineLength)))
    if (line === null) return undefined
    const length = Number.parseInt(line[1] as string, 16)
    if (length === 0) return concat(...chunks)
    const begin = start + line[0].length
    const lineEnd = /^\r?\n/.exec(fromLatin1(bytes.subarray(begin + length, begin + length + 2)))
    if (lineEnd === null) return undefined
    chunks.push(bytes.subarray(begin, begin + length))
    start = begin + length + lineEnd[0].length
  }
}
