import { Buffer } from 'node:buffer'
import { generateKeyPairSync } from 'node:crypto'

/**
 * Returns a new key pair of Ed25519 (RFC 8032), for signatures of version `v1a`. The sender signs with `privateKey`, which is `whsk_` and the
 * base64 of 64 bytes: the seed and the public key. The receivers verify with `publicKey`, which is `whpk_` and the base64 of 32 bytes.
 *
 * Keep `privateKey` secret, as it signs for every receiver. `publicKey` is not a secret.
 *
 * @example
 * ```ts
 * import { MemoryNonceStore } from 'inbound-webhook-auth'
 * import { generateKeyPair, sign, verify } from 'inbound-webhook-auth/standard-webhooks'
 *
 * const { privateKey, publicKey } = generateKeyPair()
 * const body = Buffer.from('{"type":"invoice.paid"}')
 * const request = { webhookId: '42', headers: sign(body, privateKey), body }
 *
 * const result = await verify(request, publicKey, new MemoryNonceStore())
 *
 * console.log(result.ok) // true
 * ```
 */
export function generateKeyPair(): { publicKey: string; privateKey: string } {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [seed, publicKey] = [Buffer.from(String(d), 'base64url'), Buffer.from(String(x), 'base64url')]
  return {
    publicKey: `whpk_${publicKey.toString('base64')}`,
    privateKey: `whsk_${Buffer.concat([seed, publicKey]).toString('base64')}`,
  }
}
