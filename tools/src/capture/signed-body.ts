import type { HeaderValues } from '../../../src/rules/formats.js'
import { concat, fromBase64, hex, utf8 } from '../bytes.js'
import type { Primitives } from '../primitives.js'
import type { IsSigned } from './body.js'
import { type Header, valuesOf } from './headers.js'

/** Returns the signed message as received: `timestamp:nonce:body`. */
export const receivedMessage = ({ timestamp = '', nonce = '' }: Partial<HeaderValues>, body: Uint8Array): Uint8Array =>
  concat(utf8(`${timestamp}:${nonce}:`), body)

/** Returns a function that checks whether `X-Signature` is the right signature for a body and one of the secrets. */
export function signatureChecker(
  platform: Primitives,
  headers: readonly Header[],
  secrets: readonly string[],
): IsSigned {
  const [timestamp, nonce, signature] = ['x-timestamp', 'x-nonce', 'x-signature'].map(
    (name) => valuesOf(headers, name)[0],
  )
  const digest = digestOf(signature ?? '')
  if (timestamp === undefined || nonce === undefined || digest === undefined) return () => false
  const before = utf8(`${timestamp}:${nonce}:`)
  const keys = secrets.map(utf8)
  return (body) => keys.some((key) => platform.hmac('sha256', key, [before, body]) === digest)
}

/** Returns the digest in `X-Signature` as lowercase hex. The header can be in hex or base64. Returns `undefined` for other text. */
function digestOf(signature: string): string | undefined {
  const [, digits] = /(?:^|[=, ])([0-9a-f]{64})$/i.exec(signature) ?? []
  const bytes = digits === undefined ? fromBase64(signature) : undefined
  return digits?.toLowerCase() ?? (bytes?.length === 32 ? hex(bytes) : undefined)
}
