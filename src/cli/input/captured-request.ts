import { concat, fromLatin1, fromUtf8 } from '../../diagnose/bytes.js'
import { countBytes } from '../../diagnose/text.js'
import type { HeaderLine } from '../output/http.js'
import { UsageError } from '../usage-error.js'
import { isCommand, parseCommand } from './captured-command.js'
import { parseJsonCapture } from './captured-json.js'

// No module of Node, so that this runs in a browser too.

/** A time, and where it comes from: `from the Date of the response`. */
export type Arrival = readonly [milliseconds: number, source: string]

/** A captured request, as read. */
export interface CapturedRequest {
  /** Method and target are the pseudo-headers `:method` and `:path`, as in HTTP/2. A sender may have signed them. */
  readonly headers: readonly HeaderLine[]
  /** The body, or `undefined` if the capture has none, such as the output of `curl -v`. */
  readonly body: Uint8Array | undefined
  /** Whether the body was copied from HTTP text. Then it may be in chunks, or an editor may have added a line end. */
  readonly isHttpText?: boolean
  /** Whether the sender removed the line breaks of a file, as `curl -d @file` does. */
  readonly isFileJoined?: boolean
  readonly arrival?: Arrival | undefined
  /** Remarks on how it was read. */
  readonly notes?: readonly string[]
}

/** How many bytes are searched for the head of a capture. */
const MAX_HEAD_BYTES = 2 ** 18

const LF = 0x0a

const REQUEST_LINE = /^([A-Z]+) ([!-~]+)( HTTP\/\d(\.\d)?)?$/
/** The head in the output of `curl -v`. curl may print its progress before it, on the same line. */
const CURL_HEAD = /(?:^|[\r\n])[ \d:.kMG-]*(> [A-Z]+ [!-~]+ HTTP\/[\d.]+(?:\r?\n> ?\S.*)*)/

/** Parses a captured request: HTTP text, the output of `curl -v`, JSON, or a command copied from a browser. */
export function parseCapture(capture: Uint8Array): CapturedRequest {
  const text = fromLatin1(capture.subarray(0, MAX_HEAD_BYTES))
  // Blank lines or a byte order mark may come before the head.
  const start = Math.max(0, text.search(/[^\s\xef\xbb\xbf]/))
  const begin = text.slice(start, start + 80)
  if (begin.trim() === '') {
    throw new UsageError('The captured request is empty. Pass its file, pipe it in, or use --header and --body-file.')
  }
  if (/^[{[]/.test(begin)) return parseJsonCapture(fromUtf8(capture.subarray(start)))
  if (isCommand(begin)) return parseCommand(fromUtf8(capture.subarray(start)))

  // Lines may end with CRLF or LF.
  const [head = '', blankLine = ''] = text.slice(start).split(/(\r?\n(?:\r?\n|$))/, 2)
  const [, curlHead] = CURL_HEAD.exec(head) ?? []
  if (curlHead !== undefined) {
    const [, date] = /^< date: (.*?)\r?$/im.exec(text) ?? []
    const headers = parseHead(curlHead.replaceAll(/^> ?/gm, ''))
    return { headers, body: undefined, arrival: arrivalOf(date, 'from the Date of the response') }
  }
  const body = capture.subarray(start + head.length + blankLine.length)
  return { headers: parseHead(head), body, isHttpText: true }
}

/** Returns a time that is a date as text, or Unix time in seconds or milliseconds. */
export function arrivalOf(time: unknown, source: string): Arrival | undefined {
  const isUnixTime = /^\d{9,13}(\.\d+)?$/.test(String(time))
  const number = Number(time) * (Number(time) < 1e11 ? 1000 : 1)
  const milliseconds = isUnixTime ? Math.floor(number) : typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : [milliseconds, source]
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
        `Line ${index + 1} of the request is not a header. Pass HTTP text with a blank line before the body, JSON with headers and body, or a curl command.`,
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
  const length = contentLengthOf(headers)
  if (length === undefined) {
    const note = 'Without Content-Length, the line end after the body was read as part of it.'
    return { body: bytes, notes: bytes.at(-1) === LF ? [note] : [] }
  }
  if (bytes.length <= length) return { body: bytes, notes: noteOnLength(bytes, headers) }
  const ignored = countBytes(bytes.length - length)
  const note = `Content-Length is ${length}, which excludes ${ignored} after the body.`
  return { body: bytes.subarray(0, length), notes: [note] }
}

/** Returns `Content-Length`, or `undefined` if there is none or several disagree. */
export function contentLengthOf(headers: readonly HeaderLine[]): number | undefined {
  const [text = '', ...others] = new Set(valuesOf(headers, 'content-length'))
  return /^\d{1,15}$/.test(text) && others.length === 0 ? Number(text) : undefined
}

/** Returns a remark if a body has another length than `Content-Length` says. */
export function noteOnLength(body: Uint8Array, headers: readonly HeaderLine[]): string[] {
  const length = contentLengthOf(headers)
  if (length === undefined || length === body.length) return []
  return [
    `Content-Length is ${length}, but the body has ${countBytes(body.length)}. It was changed (CRLF to LF, lost bytes, a missing part), or is another body.`,
  ]
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
