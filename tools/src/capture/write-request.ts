import { latin1 } from '../bytes.js'
import type { Header } from './headers.js'

/** Matches the first line that `captureRequest` writes. This line contains the time of arrival, and the length of the body in bytes. */
export const MARK = /^# Received at (\S{20,30}) with a body of (\d{1,15}) bytes$/

export function markOf(milliseconds: number, length: number): string {
  return `# Received at ${new Date(milliseconds).toISOString()} with a body of ${length} bytes`
}

/** Returns a request as HTTP/1.1 (RFC 9112, section 2.1), in two parts: the head and the body. */
export function httpText(
  method: string,
  target: string,
  headers: readonly Header[],
  body: Uint8Array,
): readonly [head: Uint8Array, body: Uint8Array] {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', '']
  return [latin1(lines.join('\r\n')), body]
}
