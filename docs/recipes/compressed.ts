import { gunzipSync } from 'node:zlib'

/** Recognises gzip by its first byte, because Content-Encoding is not signed. */
export function textOf(body: Uint8Array): string {
  return (body[0] === 0x1f ? gunzipSync(body, { maxOutputLength: 1_048_576 }) : Buffer.from(body)).toString()
}
