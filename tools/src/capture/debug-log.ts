import { fromLatin1, fromUtf8, latin1 } from '../bytes.js'
import { decodeEscapes } from './escapes.js'

// This file reads logs of HTTP clients. Each line of these logs shows some of the sent bytes as quoted text.

/** How one HTTP client logs the bytes that it sends. */
interface DebugLog {
  /** Matches a line with sent bytes. The line is decoded as Latin-1. */
  readonly piece: RegExp
  readonly decode: (text: string) => Uint8Array
}

const escaped = (text: string) => decodeEscapes(fromUtf8(latin1(text)))

const DEBUG_LOGS: readonly DebugLog[] = [
  // Python's http.client
  { piece: /^.{0,200}?send: b(['"])(?<text>.*)\1$/, decode: escaped },
  // Ruby's Net::HTTP with set_debug_output
  { piece: /^<- "(?<text>.*)"$/, decode: escaped },
  // Apache HttpClient. It writes `[0xc3]` for a byte, and does not escape quotes and backslashes.
  {
    piece: /^.{0,300}?\bhttp-outgoing-\d+ >> "(?<text>.*)"$/,
    decode: (text) =>
      latin1(
        text.replace(/\[(?:\\r|\\n|0x([0-9a-f]{2}))\]/gi, (mark, digits?: string) =>
          digits === undefined ? (/r/.test(mark) ? '\r' : '\n') : String.fromCharCode(Number.parseInt(digits, 16)),
        ),
      ),
  },
]

/** Returns the bytes of the first request in the log of a client, or `undefined` for other text. */
export function readDebugLog(bytes: Uint8Array, beginning: string): Uint8Array | undefined {
  const log = DEBUG_LOGS.find(({ piece }) => new RegExp(piece.source, 'm').test(beginning))
  if (log === undefined) return undefined
  let sent = ''
  for (const line of fromLatin1(bytes).split(/\r?\n/)) {
    const text = log.piece.exec(line)?.groups?.['text']
    if (text !== undefined) sent += fromLatin1(log.decode(text))
    // The request ends at the first line that does not show sent bytes.
    else if (sent !== '') break
  }
  return latin1(sent)
}
