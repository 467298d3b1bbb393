import { Buffer } from 'node:buffer'

interface ParserRefusal {
  readonly status: string
  readonly detail: string
}

const CAUSES: { readonly [code: string]: string } = {
  HPE_PAUSED_H2_UPGRADE: 'The sender uses HTTP/2 without TLS, but listen uses HTTP/1.1. Set the client to HTTP/1.1.',
  HPE_INVALID_METHOD: 'The first line is not a request line. Send a line such as "POST /hooks HTTP/1.1".',
  HPE_INVALID_CONSTANT: 'The request line is not valid. Percent-encode spaces in the path: "POST /a%20b HTTP/1.1".',
  HPE_INVALID_URL: 'The path is not valid. Percent-encode every character that is not ASCII.',
  HPE_INVALID_TRANSFER_ENCODING: 'Content-Length and Transfer-Encoding are both set. Set only one of them.',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length is set twice, or together with Transfer-Encoding. Set it once.',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a number. Set it to the number of bytes of the body.',
  HPE_INVALID_CHUNK_SIZE: 'Transfer-Encoding is chunked, but the body is not in chunks. Remove Transfer-Encoding.',
  HPE_HEADER_OVERFLOW: 'The headers have more than 16 KiB. Send fewer or shorter headers.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive completely in time. Send the whole request at once.',
}

const STATUSES: { readonly [code: string]: string } = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/** The first byte of TLS, which is the type of a handshake. */
const TLS_HANDSHAKE = 22

export function explainParserError(error: Error): ParserRefusal {
  const { code, rawPacket, bytesParsed } = Object(error)
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0)
  const status = STATUSES[code] ?? '400 Bad Request'
  if (bytes[0] === TLS_HANDSHAKE) {
    return { status, detail: 'The sender uses TLS, but this port does not. Send to http://, or through a tunnel.' }
  }
  const detail = CAUSES[code] ?? explainLine(bytes.toString('latin1'), Number(bytesParsed))
  return { status, detail: detail ?? error.message }
}

/** Returns what is wrong with the header at an index, or `undefined` if the line there is not in the packet. */
function explainLine(text: string, index: number): string | undefined {
  const end = text.lastIndexOf('\n', index - 1)
  const start = text.lastIndexOf('\n', end - 1) + 1
  const line = String(text.slice(end + 1).split('\n', 1)[0])
  const before = text.slice(start, Math.max(start, end))
  if (end === -1 || line === '') return undefined
  const nameOf = (header: string) => /^[\w-]{1,60}/.exec(header)?.[0] ?? 'A header'
  const [, name, rest = ''] = /^([\w-]{1,60})[ \t]*:(.*)$/s.exec(line) ?? []
  if (/^[ \t]/.test(line)) {
    return `${nameOf(before)} has a newline in its value. Remove the newlines, which base64 and openssl often add.`
  }
  if (/^[\w-]{1,60}[ \t]+:/.test(line)) return `${name} has a space before the colon. Write "${name}: value".`
  if (name === undefined) return `The line after ${nameOf(before)} is not a header. Write "Name: value".`
  const control = /(?![\t\r])\p{Cc}/u.exec(rest)?.[0]
  if (control === undefined) return `${name} has a newline in its value or after it. Remove the newline from the value.`
  const code = control.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()
  return `${name} has the control character 0x${code}. Send only visible characters.`
}
