// The diagnosis uses this rule in a browser too. This file imports nothing, because a browser has no modules of Node.

/** The version of a signature: HMAC-SHA256 (`v1`) or Ed25519 (`v1a`). */
export type SignatureVersion = 'v1' | 'v1a'

/**
 * For each version, how many signatures to try per request, and the form of one: base64 of 32 or of 64 bytes. The unused bits of the last
 * character must be 0, so that only one form matches. While a sender rotates its secret, a request has two signatures. To check a signature
 * of Ed25519 takes ten times as long as an HMAC, so that a forged request may have only two of them checked.
 */
const VERSIONS = {
  v1: { maximum: 8, form: /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/ },
  v1a: { maximum: 2, form: /^v1a,([A-Za-z0-9+/]{85}[AQgw]==)$/ },
} as const

/**
 * Returns the signatures of a version in `webhook-signature`, which is a list with spaces between its entries. Entries of other versions are
 * ignored. If the header arrived twice, the values are joined with `, `, and no signature is returned.
 */
export function listSignatures(value: string, version: SignatureVersion): string[] {
  if (value.includes(', ')) return []
  const { maximum, form } = VERSIONS[version]
  const signatures = value.split(' ').map((entry) => form.exec(entry)?.[1])
  return signatures.filter((signature) => signature !== undefined).slice(0, maximum)
}
