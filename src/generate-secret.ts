import { randomBytes } from 'node:crypto'
import { assertText } from './errors.js'

/**
 * A webhook's signing secret as text, encoded to UTF-8 for the HMAC's key; several, tried in order, while one is being
 * replaced by the next.
 */
export type Secret = string | readonly string[]

/**
 * Makes a signing secret: 32 random bytes, base64url, 43 characters.
 *
 * Show it to the webhook's owner once, and store it where the service that verifies can read it.
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

/** @internal */
export function assertSecret(secret: unknown, name: string): asserts secret is string {
  assertText(secret, name, "pass the webhook's secret as text. Is the environment variable set, the record found?")
}

/**
 * The secrets to try, in order.
 *
 * @internal
 */
export function secretList(secret: Secret): readonly string[] {
  if (!Array.isArray(secret)) {
    assertSecret(secret, 'secret')
    return [secret]
  }
  // An empty list lacks its first secret.
  for (let index = 0; index < Math.max(1, secret.length); index++) assertSecret(secret[index], `secret[${index}]`)
  return secret
}
