import { Buffer } from 'node:buffer'
import type { Clock } from '../../../../src/clock.js'
import { sign } from '../../../../src/index.js'
import type { Body } from '../../../../src/rules/body.js'
import { sign as signStandard } from '../../../../src/standard-webhooks/sign.js'
import { decodeStandardSecret } from '../../schemes.js'
import type { SchemeName } from '../../testing/endpoint/scheme.js'
import { type Options, unknownWord } from '../command.js'

const SCHEMES: readonly SchemeName[] = ['x-signature', 'standard-webhooks']

export const SCHEME_OPTION = {
  scheme: {
    value: 'NAME',
    help: 'x-signature (the default) or standard-webhooks, which has the headers webhook-id, webhook-timestamp and webhook-signature',
  },
} as const satisfies Options

export function parseScheme(text?: string): SchemeName | undefined {
  const scheme = SCHEMES.find((one) => one === text)
  if (text !== undefined && scheme === undefined) throw unknownWord('--scheme', text, SCHEMES)
  return scheme
}

/** Returns a secret of Standard Webhooks: the text if it is base64, or else its bytes, which some platforms use as the key. */
export function standardSecret(secret: string): string | Uint8Array {
  return decodeStandardSecret(secret) === undefined ? Buffer.from(secret) : secret
}

export function signWith(
  scheme: SchemeName | undefined,
  body: Body,
  secret: string,
  { nonce, ...options }: { nonce?: string | undefined; timestamp?: number | undefined; clock: Clock },
): { [name: string]: string } {
  if (scheme !== 'standard-webhooks') return sign(body, secret, { nonce, ...options })
  return signStandard(body, standardSecret(secret), { messageId: nonce, ...options })
}

/** Returns remarks on a secret that does not have the usual form of the scheme. */
export function schemeNotes(scheme: SchemeName | undefined, secret: string): string[] {
  if (scheme === undefined && secret.startsWith('whsec_')) {
    return [
      'The secret begins with whsec_, as secrets of Standard Webhooks do. For that scheme, pass --scheme standard-webhooks.',
    ]
  }
  if (scheme !== 'standard-webhooks' || typeof standardSecret(secret) === 'string') return []
  return ['The secret is not base64 of 24 to 64 bytes, so its text is the key.']
}
