import { randomBytes } from 'node:crypto'

/**
 * Generates a signing secret: 32 random bytes as 43 characters of base64url.
 *
 * Show it to the webhook's owner once. Store it where the service that verifies can read it.
 *
 * @example
 * ```ts
 * import { generateSecret } from 'inbound-webhook-auth'
 *
 * const secret = generateSecret()
 *
 * console.log(secret.length) // 43
 * ```
 */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url')
}
