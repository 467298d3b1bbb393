import { randomBytes } from 'node:crypto'

/**
 * Returns a new signing secret: `whsec_` and 32 random bytes in base64 (RFC 4648, section 4).
 *
 * @example
 * ```ts
 * import { generateSecret } from 'inbound-webhook-auth/standard-webhooks'
 *
 * const secret = generateSecret()
 *
 * console.log(secret.length) // 50
 * ```
 */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
