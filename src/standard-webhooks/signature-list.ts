// The diagnosis uses this rule in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The maximum number of signatures to try per request. While a sender rotates its secret, a request has two signatures. */
const MAX_SIGNATURES = 8

/** One signature of version 1: base64 of 32 bytes. The last two bits of the 43rd character must be 0, so that only one form matches. */
const SIGNATURE = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/

/**
 * Returns the signatures of version 1 in `webhook-signature`, which is a list with spaces between its entries. Other versions, such as the
 * asymmetric `v1a`, are ignored. If the header arrived twice, the values are joined with `, `, and no signature is returned.
 */
export function listSignatures(value: string): string[] {
  if (value.includes(', ')) return []
  const signatures = value.split(' ').map((entry) => SIGNATURE.exec(entry)?.[1])
  return signatures.filter((signature) => signature !== undefined).slice(0, MAX_SIGNATURES)
}
