import { readHeaders } from '../../../src/rules/headers.js'
import { fromBase64, hex, utf8 } from '../bytes.js'
import type { Platform } from '../primitives.js'
import { isSignedBy, schemeOf, startOf } from '../schemes.js'
import type { IsSigned } from './body.js'
import type { Header } from './headers.js'

/** Returns a function that checks whether the signature of a request is right for a body and one of the secrets. */
export function signatureChecker(platform: Platform, headers: readonly Header[], secrets: readonly string[]): IsSigned {
  const scheme = schemeOf(headers)
  const values = readHeaders(headers, [scheme.headers])
  const { signature = '' } = values
  const lenient = scheme.isStandard ? scheme : { ...scheme, digestsIn: digestOf }
  const before = utf8(startOf(scheme, values))
  return (body) => isSignedBy(platform, lenient, signature, [before, body], secrets)
}

/** Returns the digest in `X-Signature` as lowercase hex. The header can be in hex or base64. */
function digestOf(signature: string): readonly string[] {
  const [, digits] = /(?:^|[=, ])([0-9a-f]{64})$/i.exec(signature) ?? []
  if (digits !== undefined) return [digits.toLowerCase()]
  const bytes = fromBase64(signature)
  return bytes === undefined ? [] : [hex(bytes)]
}
