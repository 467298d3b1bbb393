import { Buffer } from 'node:buffer'

/**
 * Joins the chunks of a body (RFC 9112, section 7.1); line ends may be LF alone, as captures have them. `undefined` if the
 * bytes are no such body, as when whoever captured them has joined the chunks already.
 */
export function dechunk(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let start = 0; ; ) {
    const lineFeed = bytes.indexOf('\n', start)
    // A chunk's size is short, whatever extension follows it.
    const line = bytes.toString('latin1', start, Math.min(lineFeed, start + 1000))
    const size = /^([0-9a-f]{1,8})[ \t]*(;|\r?$)/i.exec(line)?.[1]
    if (lineFeed === -1 || size === undefined) return undefined
    const length = Number.parseInt(size, 16)
    if (length === 0) return Buffer.concat(chunks)
    const chunk = bytes.subarray(lineFeed + 1, lineFeed + 1 + length)
    const lineEnd = /^\r?\n/.exec(bytes.toString('latin1', lineFeed + 1 + length, lineFeed + 3 + length))?.[0]
    if (lineEnd === undefined) return undefined
    chunks.push(chunk)
    start = lineFeed + 1 + length + lineEnd.length
  }
}
