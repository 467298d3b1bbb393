import { fromLatin1 } from '../bytes.js'
import { unreadable } from './capture-error.js'

// This file reads dumps of bytes from xxd, hexdump -C, od and curl --trace.

/** Matches a line of a dump: an offset, and up to 16 bytes in hex. The same bytes often follow as text. */
const LINE =
  /^[ \t]{0,9}(?:0x)?([0-9a-f]{4,8}):? {1,3}((?:[0-9a-f]{2}(?:[0-9a-f]{2})? {1,2}){0,15}[0-9a-f]{2}(?:[0-9a-f]{2})?$|(?:[0-9a-f]{2}(?:[0-9a-f]{2})? {1,2}){1,16})/i

/** Matches a line of `curl --trace` that says whether the next bytes were sent or received. */
const SECTION = /^(?:[\d:.]+ )?(=>|<=|==) /

/** The number of the protocol TCP in the header of an IP packet. */
const TCP = 6

const MAX_LINES = 1000

/** Returns the bytes of a dump, or `undefined` if the text has no dump. */
export function readHexDump(beginning: string, whole: Uint8Array): Uint8Array | undefined {
  if (!beginning.split(/\r?\n/, MAX_LINES).some((line) => bytesOf(line)?.offset === 0)) return undefined
  const bytes: number[] = []
  let isSent = true
  let start = 0
  for (const line of fromLatin1(whole).split(/\r?\n/)) {
    const [, direction] = SECTION.exec(line) ?? []
    if (direction !== undefined) {
      // Only the first request is read, although another request can follow the response.
      if (direction === '<=' && bytes.length > 0) break
      isSent = direction === '=>'
      start = bytes.length
      continue
    }
    const read = isSent ? bytesOf(line) : undefined
    if (read === undefined) continue
    if (read.offset !== bytes.length - start) break
    for (const byte of read.bytes) bytes.push(byte)
  }
  // tcpdump and Wireshark write packets with their IP headers (RFC 791, RFC 8200).
  const version = Number(bytes[0]) >> 4
  if ((version === 4 && bytes[9] === TCP) || (version === 6 && bytes[6] === TCP)) {
    throw unreadable('is a dump of packets with their IP headers. Use Follow > TCP Stream of Wireshark, or tcpflow')
  }
  return Uint8Array.from(bytes)
}

function bytesOf(line: string): { offset: number; bytes: number[] } | undefined {
  const [, offset, digits] = LINE.exec(line) ?? []
  if (digits === undefined) return undefined
  const pairs = digits.match(/[0-9a-f]{2}/gi) as string[]
  return {
    offset: Number.parseInt(String(offset), 16),
    bytes: pairs.slice(0, 16).map((pair) => Number.parseInt(pair, 16)),
  }
}
