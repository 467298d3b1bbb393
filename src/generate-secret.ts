import { randomBytes } from 'node:crypto'

/**
 * Returns a new signing secret: 32 random bytes, as long as the hash (RFC 2104, section 3), as 43 characters of base64url (RFC 4648,
 * section 5).
 *
 * Show the secret to the webhook's owner once, and store the secret where the service that verifies requests can read it.
 *
 * @example
 * ```ts
 * import { generateSecret } from 'inbound-webhook-auth'
 *
 * console.log(generateSecret().length) // 43
 * ```
 */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url')
}
