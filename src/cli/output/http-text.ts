import { Buffer } from 'node:buffer'

/** A header as it is written, name and value. */
export type HeaderLine = readonly [name: string, value: string]

/** A request as HTTP/1.1 writes it: head and body, the lines of the head ended by CRLF (RFC 9112, section 2.1). */
export function httpText(target: string, headers: readonly HeaderLine[], body: Uint8Array): readonly Uint8Array[] {
  const lines = [`POST ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', '']
  return [Buffer.from(lines.join('\r\n'), 'latin1'), body]
}
