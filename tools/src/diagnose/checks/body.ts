import { fromLatin1, fromUtf8, hex, isUtf8, utf8 } from '../../bytes.js'
import { contentLengthOf, type Header, isChunked, passedProxy, valuesOf } from '../../capture/headers.js'
import { COMPRESSION_FORMATS, type Primitives } from '../../primitives.js'
import { countBytes } from '../../text.js'
import type { Draft, EvidenceLine } from '../draft.js'
import { jsonValue } from '../json/parse.js'
import type { Mask } from '../mask-secrets.js'

/** Matches the text of an object or a missing value in JavaScript: `[object Object]` or `undefined`. */
const NOT_A_BODY = /^(undefined|\[object \w{1,40}\])$/

const headerValue = (headers: readonly Header[], name: string) => valuesOf(headers, name)[0]?.trim() ?? ''

/** Returns a finding if the body was lost before it was verified, or if it is a string such as `[object Object]`. */
export function checkLostBody(body: Uint8Array, headers: readonly Header[], mask: Mask): Draft[] {
  const announced = contentLengthOf(headers)
  const evidence: EvidenceLine[] = announced === undefined ? [] : [['Content-Length', String(announced)]]
  const text = fromLatin1(body.subarray(0, 64))
  if (NOT_A_BODY.test(text)) {
    const message = `The body is the text \`${mask(text)}\`, which JavaScript writes for ${text === 'undefined' ? 'a missing value' : 'an object'}.`
    const isKnown = announced !== undefined && (announced !== body.length || !passedProxy(headers))
    const side = !isKnown ? 'unknown' : announced === body.length ? 'sender' : 'receiver'
    return [{ code: 'body_changed', message, fix: 'pass_raw_body', side, evidence }]
  }
  if (body.length > 0 || (!announced && !isChunked(headers))) return []
  const message = 'The body is empty, but the headers announce a body, so other code read it before it was verified.'
  return [{ code: 'body_changed', message, fix: 'pass_raw_body', side: 'receiver', evidence }]
}

const MAX_INFLATED = 2 ** 26

/** The maximum length of a body that is read as JSON or searched for question marks, in bytes. A longer one would take 100 ms. */
const MAX_SEARCHED = 2 ** 18

/** Returns a finding if the body does not fit the headers. This check runs only if nothing else explains the signature. */
export function suspectBody(
  body: Uint8Array,
  headers: readonly Header[],
  mask: Mask,
  { inflate }: Primitives,
): Draft[] {
  const announced = contentLengthOf(headers)
  if (body.length === 0) {
    const method = headerValue(headers, ':method')
    const evidence = method === '' || method === 'POST' ? [] : [['Method', mask(method)] as const]
    const message =
      'The body is empty: the sender sent no body, a redirect turned the POST into a GET, or other code already read the body.'
    return [{ code: 'body_changed', message, fix: 'send_body', evidence }]
  }
  const isChanged = announced !== undefined && announced !== body.length
  const encoding = headerValue(headers, 'content-encoding').toLowerCase()
  // The last encoding in the list is the outermost.
  const [compression] = /(?<![^\s,])(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|snappy|lz4)$/.exec(encoding) ?? []
  // Compressed bytes are not UTF-8, so this body is not compressed.
  if (compression !== undefined && isUtf8(body)) {
    const message = `Content-Encoding is ${encoding}, but the body is text: it was decompressed before it was verified, or was never compressed.`
    const side = isChanged ? 'receiver' : 'unknown'
    return [{ code: 'body_compressed', message, fix: 'sign_compressed', side }]
  }
  if (isChanged) {
    const message = `Content-Length is ${announced}, but the body has ${countBytes(body.length)}: the body was changed after it was received.`
    return [{ code: 'body_changed', message, fix: 'pass_raw_body', side: 'receiver' }]
  }
  const isZstd = encoding === '' && hex(body.subarray(0, 4)) === '28b52ffd'
  const isCompressed = isZstd || compression !== undefined
  if (isCompressed && !COMPRESSION_FORMATS.some((format) => inflate(format, body, MAX_INFLATED))) {
    const what = isZstd ? 'The body looks like zstd' : `Content-Encoding is ${compression}`
    const message = `${what}, but diagnose could not decompress the body. The sender may have signed it before it was compressed.`
    return [{ code: 'body_compressed', message, fix: 'sign_compressed' }]
  }
  if (encoding === '' && announced !== undefined) {
    const found = suspectContent(body, headerValue(headers, 'content-type'))
    if (found !== undefined) return [found]
  }
  const position = isUtf8(body) ? fromUtf8(body).indexOf('\ufffd') : -1
  if (position === -1) return []
  const message = `The body has U+FFFD at character ${position}: bytes that are not UTF-8 were decoded as UTF-8, so these bytes are lost.`
  return [{ code: 'body_encoding', message, fix: 'encode_once' }]
}

/** Matches text in question marks alone. */
const QUESTION_MARKS = /(?<=["'>])\?{2,}(?=["'<]| \?)|(?<=(?:^|&)[^=&]{1,40}=)\?{2,}(?=&|$)/

/** Returns what anybody can see without the secret: that an encoding lost characters. */
export function describeLoss(body: Uint8Array): string | undefined {
  const [marks] = (body.length <= MAX_SEARCHED && isUtf8(body) && QUESTION_MARKS.exec(fromUtf8(body))) || []
  return marks === undefined
    ? undefined
    : `The body has \`${marks.slice(0, 9)}\` where text is expected. The sender's program may have encoded it in a charset without these characters.`
}

function suspectContent(body: Uint8Array, type: string): Draft | undefined {
  if (/^multipart\//i.test(type)) {
    const message = 'The body is multipart. Its boundary is random, and differs each time the body is encoded.'
    return { code: 'body_wrapped', message, fix: 'sign_multipart' }
  }
  const isJson = /[/+]json *(;|$)/i.test(type)
  const text = fromUtf8(body)
  if ((isJson || /^text\/|xml|urlencoded/i.test(type)) && !isUtf8(body)) {
    const position = findInvalidByte(body, utf8(text))
    const byte = hex(body.subarray(position, position + 1)).toUpperCase()
    const message = `The body is not UTF-8: its byte ${position} is 0x${byte}. It is in another encoding, such as Latin-1, or was compressed or cut.`
    return { code: 'body_encoding', message, fix: 'encode_once' }
  }
  if (!isJson || body.length > MAX_SEARCHED || jsonValue(text) !== undefined) return undefined
  const message = isStartOfJson(text)
    ? 'The body begins as JSON and ends before its last bracket, so it was cut. Content-Length may count characters instead of bytes.'
    : 'Content-Type says that the body is JSON, but the body is not JSON.'
  return { code: 'body_changed', message, fix: 'send_whole_json' }
}

/** Returns the index of the first byte that is not UTF-8. `decoded` is the body with U+FFFD in place of bytes that are not UTF-8. */
function findInvalidByte(body: Uint8Array, decoded: Uint8Array): number {
  let index = 0
  while (body[index] === decoded[index]) index++
  // The body's byte can equal the first byte of U+FFFD, so this loop goes back to the start of the character.
  while (((decoded[index] as number) & 0xc0) === 0x80) index--
  return index
}

/** Returns whether a text begins as JSON, and ends before the last of its brackets is closed. */
function isStartOfJson(text: string): boolean {
  if (!/^\s*(?:\{\s*(?:"|$)|\[)/.test(text)) return false
  const brackets = text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[^{}[\]"]+/gs, '')
  let open = 0
  for (const bracket of brackets) open += '{['.includes(bracket) ? 1 : -1
  return open > 0
}
