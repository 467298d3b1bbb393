import { Buffer } from 'node:buffer'
import type { Clock } from '../../../../src/clock.js'
import { sign } from '../../../../src/index.js'
import type { Body } from '../../../../src/rules/body.js'
import { readKeys } from '../../../../src/standard-webhooks/secret.js'
import { splitSecret } from '../../../../src/standard-webhooks/secret-text.js'
import { sign as signStandard } from '../../../../src/standard-webhooks/sign.js'
import { type Header, valuesOf } from '../../capture/headers.js'
import { decodeStandardSecret, schemeOf } from '../../schemes.js'
import type { SchemeName } from '../../testing/endpoint/scheme.js'
import { type Options, UsageError, unknownWord } from '../command.js'
import { replaceHeaders } from './received.js'

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

const isTextAsKey = (secret: string) => !secret.includes('whsec_') && decodeStandardSecret(secret) === undefined

/**
 * Returns a secret of Standard Webhooks: the text if it is base64, or else its bytes, which some platforms use as the key. Throws for a text
 * with a mistake after `whsec_`, because platforms decode a secret with this prefix.
 */
export function standardSecret(secret: string): string | Uint8Array {
  if (isTextAsKey(secret)) return Buffer.from(secret)
  try {
    readKeys(secret)
  } catch (error) {
    const message = String(Object(error).message)
    throw new UsageError(message.replace(/^./, (letter) => letter.toUpperCase()))
  }
  return secret
}

export function signWith(
  scheme: SchemeName | undefined,
  body: Body,
  secret: string,
  { nonce, ...options }: { nonce?: string | undefined; timestamp?: number | undefined; clock: Clock },
): { [name: string]: string } {
  if (scheme !== 'standard-webhooks') return sign(body, secret, { nonce, ...options })
  // Base64 that is not canonical is allowed, because some platforms print it.
  const keys = splitSecret(secret).map(decodeStandardSecret)
  const decoded = keys.filter((key) => key !== undefined)
  return signStandard(body, decoded.length === keys.length ? decoded : standardSecret(secret), {
    messageId: nonce,
    ...options,
  })
}

/**
 * Returns the headers of a request with a new signature. An ID of Standard Webhooks stays, because it is the ID of the event. Names such as
 * `svix-id` stay, because some verifiers know only these names.
 */
export function signAgain(
  scheme: SchemeName | undefined,
  { headers, body }: { readonly headers: readonly Header[]; readonly body: Body },
  secret: string,
  clock: Clock,
): readonly Header[] {
  const before = schemeOf(headers)
  const [id] = before.isStandard && scheme === 'standard-webhooks' ? valuesOf(headers, before.headers.nonce) : []
  const nonce = id !== undefined && before.isNonce(id) ? id : undefined
  const signed: Header[] = Object.entries(signWith(scheme, body, secret, { nonce, clock }))
  const hasOldNames = before.headers.nonce === 'svix-id'
  const named = hasOldNames
    ? signed.map(([name, value]) => [name.replace('webhook-', 'svix-'), value] as const)
    : signed
  return replaceHeaders(headers, named)
}

/** Returns the scheme of a request, by its headers. */
export function schemeNameOf(headers: readonly Header[]): SchemeName | undefined {
  return schemeOf(headers).isStandard ? 'standard-webhooks' : undefined
}

/** Returns remarks on a secret that does not have the usual form of the scheme. */
export function schemeNotes(scheme: SchemeName | undefined, secret: string): string[] {
  if (scheme === undefined && /^(v1,)?whsec_/.test(secret)) {
    return [
      'The secret begins with whsec_, as secrets of Standard Webhooks do. For that scheme, pass --scheme standard-webhooks.',
    ]
  }
  if (scheme !== 'standard-webhooks' || !isTextAsKey(secret)) return []
  return ['The secret is not base64 of 24 to 64 bytes, so its text is the key.']
}
