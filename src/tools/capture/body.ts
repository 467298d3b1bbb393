import { fromLatin1, latin1, withoutLineBreaks } from '../bytes.js'
import { countBytes } from '../text.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { contentLengthOf, type Header, isChunked } from './headers.js'

/** The body of a request, as read. */
export interface BodyRead {
  readonly body: Uint8Array
  /** The sender's file, if the sent body differs from it, for example because `curl -d` removed line breaks. */
  readonly original?: Uint8Array
  readonly notes: readonly string[]
  /** Why these may not be the bytes that were sent. */
  readonly warning?: string
}

const LF = 0x0a

/** Returns the body of a capture. */
export function bodyOf(captured: CapturedRequest, headers: readonly Header[]): BodyRead {
  const { body, bodyLength, isHttpText, whyNoBody = 'has no body' } = captured
  // Many logs have only the headers.
  const isLeftOut = isHttpText && body?.length === 0 && Number(contentLengthOf(headers)) > 0
  if (body === undefined || isLeftOut) {
    throw new CaptureError(`The capture ${whyNoBody}. Pass the file that was sent with --body-file PATH.`)
  }
  if (bodyLength !== undefined) return cutBody(body, bodyLength)
  return isHttpText ? extractBody(body, headers) : readWhole(body, headers)
}

/**
 * Returns the body that was sent from the file of `--body-file`. If curl removed line breaks, the sender may have
 * signed the whole file.
 */
export function bodyOfFile(file: Uint8Array, headers: readonly Header[], isJoined = false): BodyRead {
  const length = contentLengthOf(headers)
  const joined = withoutLineBreaks(file)
  if (joined.length !== file.length && (isJoined || length === joined.length)) {
    const note = `curl -d sent ${countBytes(joined.length)}: the file without its line breaks. The file has ${countBytes(file.length)}.`
    return { body: joined, original: file, notes: [note] }
  }
  return readWhole(file, headers)
}

/** Returns the body that `captureRequest` wrote, without a line end that an editor added. */
function cutBody(bytes: Uint8Array, length: number): BodyRead {
  const missing = length - bytes.length
  const warning = `The capture lost ${countBytes(missing)} of its body, which had ${countBytes(length)}.`
  return { body: bytes.subarray(0, length), notes: [], ...(missing > 0 ? { warning } : {}) }
}

/**
 * Returns the body that was sent, and a note. It joins chunks, or cuts the body at `Content-Length`, because editors
 * add a line end.
 */
export function extractBody(bytes: Uint8Array, headers: readonly Header[]): BodyRead {
  if (isChunked(headers)) {
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
  if (bytes.length < length) {
    const restored = [bytes, withoutLineEnd(bytes)].map(withCrlf).find((body) => body.length === length)
    const note = `The line ends of the body were restored as CRLF, because it then has the ${countBytes(length)} of Content-Length.`
    return restored === undefined ? readWhole(bytes, headers) : { body: restored, notes: [note] }
  }
  if (bytes.length === length) return { body: bytes, notes: [] }
  const straight = withStraightQuotes(bytes)
  const straightened = [straight, withoutLineEnd(straight)].find((body) => body.length === length)
  if (straight.length < bytes.length && straightened !== undefined) {
    const note = `Typographic quotes in the body were replaced by " and ', because it then has the ${countBytes(length)} of Content-Length.`
    return { body: straightened, notes: [note] }
  }
  const ignored = countBytes(bytes.length - length)
  const note = `Content-Length is ${length}, which excludes ${ignored} after the body.`
  const isBlank = fromLatin1(bytes.subarray(length)).trim() === ''
  return { body: bytes.subarray(0, length), ...(isBlank ? { notes: [note] } : { notes: [], warning: note }) }
}

function withoutLineEnd(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === LF ? bytes.subarray(0, -1) : bytes
}

/** Returns the bytes with CRLF instead of each LF. Editors and chats write LF. */
function withCrlf(bytes: Uint8Array): Uint8Array {
  return latin1(fromLatin1(bytes).replace(/\r?\n/g, '\r\n'))
}

/** Returns the bytes with the quotes of a keyboard. A chat or an editor writes others, which have three bytes in UTF-8. */
function withStraightQuotes(bytes: Uint8Array): Uint8Array {
  const text = fromLatin1(bytes).replace(/\xe2\x80[\x9c-\x9f]/g, '"')
  return latin1(text.replace(/\xe2\x80[\x98-\x9b]/g, "'"))
}

/** Returns all bytes as the body, with a warning if `Content-Length` is another number. */
function readWhole(body: Uint8Array, headers: readonly Header[]): BodyRead {
  const length = contentLengthOf(headers)
  if (length === undefined || length === body.length) return { body, notes: [] }
  const warning = `Content-Length is ${length}, but the body has ${countBytes(body.length)}. It was changed (CRLF to LF, lost bytes, a missing part), or is another body.`
  return { body, notes: [], warning }
}

/**
 * Joins the chunks of a body (RFC 9112, section 7.1). Lines may end with LF alone, as in captures.
 * Returns `undefined` if the body has no chunks, because many tools join them.
 */
function joinChunks(bytes: Uint8Array): Uint8Array | undefined {
  const joined = new Uint8Array(bytes.length)
  let size = 0
  for (let start = 0; ; ) {
    // The line with the size of a chunk is short, even if an extension follows the size.
    const lineLength = bytes.subarray(start, start + 1000).indexOf(LF) + 1
    const line = /^([0-9a-f]{1,8})[ \t]*(;.*)?\r?\n/i.exec(fromLatin1(bytes.subarray(start, start + lineLength)))
    if (line === null) return undefined
    const length = Number.parseInt(line[1] as string, 16)
    if (length === 0) return joined.subarray(0, size)
    const begin = start + line[0].length
    const lineEnd = /^\r?\n/.exec(fromLatin1(bytes.subarray(begin + length, begin + length + 2)))
    if (lineEnd === null) return undefined
    joined.set(bytes.subarray(begin, begin + length), size)
    size += length
    start = begin + length + lineEnd[0].length
  }
}
