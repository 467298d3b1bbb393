import { fromLatin1 } from '../bytes.js'

// Dumps of bytes, as xxd, hexdump -C, od, curl --trace, tcpdump and Wireshark write them.

/** A line of a dump: its offset, up to 16 bytes, and often the same bytes as text. */
const LINE =
  /^[ \t]{0,9}(?:0x)?([0-9a-f]{4,8}):? {1,3}((?:[0-9a-f]{2}(?:[0-9a-f]{2})? {1,2}){0,15}[0-9a-f]{2}(?:[0-9a-f]{2})?$|(?:[0-9a-f]{2}(?:[0-9a-f]{2})? {1,2}){1,16})/i

/** A line of curl's trace that says whether data was sent or received. */
const SECTION = /^(?:[\d:.]+ )?(=>|<=|==) /

/** How many lines are searched for a dump. */
const MAX_LINES = 1000

/** Returns the bytes of a dump that begins in the first lines, or `undefined` for other text. */
export function readHexDump(beginning: string, whole: Uint8Array): Uint8Array | undefined {
  if (!beginning.split(/\r?\n/, MAX_LINES).some((line) => bytesOf(line)?.offset === 0)) return undefined
  const bytes: number[] = []
  const starts = [0]
  let isSent = true
  let start = 0
  for (const line of fromLatin1(whole).split(/\r?\n/)) {
    const [, direction] = SECTION.exec(line) ?? []
    if (direction !== undefined) {
      // The response ends the request. Another request may follow the response.
      if (direction === '<=' && bytes.length > 0) break
      isSent = direction === '=>'
      start = bytes.length
      continue
    }
    const read = isSent ? bytesOf(line) : undefined
    if (read === undefined) continue
    // tcpdump begins each packet at 0.
    if (read.offset === 0 && payloadOf(bytes.slice(start)) !== undefined) {
      start = bytes.length
      starts.push(start)
    }
    if (read.offset !== bytes.length - start) break
    for (const byte of read.bytes) bytes.push(byte)
  }
  return Uint8Array.from(joinPackets(bytes, starts) ?? bytes)
}

/** Returns what the TCP packets from the sender carry, or `undefined` for other bytes. */
function joinPackets(bytes: readonly number[], starts: readonly number[]): number[] | undefined {
  const packets = starts.flatMap((from, index) => payloadOf(bytes.slice(from, starts[index + 1])) ?? [])
  const first = packets.find(({ payload }) => payload.length > 0)
  return first && packets.filter(({ ports }) => ports === first.ports).flatMap(({ payload }) => payload)
}

/** Returns what a TCP packet carries, and its ports as text, or `undefined` for other bytes (RFC 791, RFC 8200 and RFC 9293). */
function payloadOf(bytes: readonly number[]): { ports: string; payload: number[] } | undefined {
  const byte = (index: number) => bytes[index] ?? 0
  const version = byte(0) >> 4
  if (!(version === 4 && byte(9) === 6) && !(version === 6 && byte(6) === 6)) return undefined
  const tcp = version === 4 ? 4 * (byte(0) & 15) : 40
  // Padding may follow the packet.
  const end = version === 4 ? 256 * byte(2) + byte(3) : tcp + 256 * byte(4) + byte(5)
  return { ports: bytes.slice(tcp, tcp + 4).join(), payload: bytes.slice(tcp + 4 * (byte(tcp + 12) >> 4), end) }
}

function bytesOf(line: string): { offset: number; bytes: number[] } | undefined {
  const [, offset, digits] = LINE.exec(line) ?? []
  if (offset === undefined || digits === undefined) return undefined
  const pairs = digits.match(/[0-9a-f]{2}/gi) as string[]
  return { offset: Number.parseInt(offset, 16), bytes: pairs.slice(0, 16).map((pair) => Number.parseInt(pair, 16)) }
}
