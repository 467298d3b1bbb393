import { Buffer } from 'node:buffer'
import type { Clock } from '../../../../src/clock.js'
import { sign } from '../../../../src/index.js'
import type { Body } from '../../../../src/rules/body.js'
import { readKeys } from '../../../../src/standard-webhooks/secret.js'
import { splitSecret } from '../../../../src/standard-webhooks/secret-text.js'
import { sign as signStandard } from '../../../../src/standard-webhooks/sign.js'
import { type Header, valuesOf } from '../../capture/headers.js'
import { decodeStandardSecret, isPublicKey, schemeOf } from '../../schemes.js'
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

const isTextAsKey = (secret: string) => !/wh(sec|[ps]k)_/.test(secret) && decodeStandardSecret(secret) === undefined

/**
 * Returns the secret of Standard Webhooks to sign with, or the first one in a text such as `v1,whsec_A|v1,whsec_B`. A text that is not base64
 * is the key itself. Throws for a text with a mistake after its prefix, because platforms decode a secret with a prefix.
 */
export function standardSecret(secret: string): string | Uint8Array {
  if (isTextAsKey(secret)) return Buffer.from(secret)
  assertKeys(secret, 'sign')
  return splitSecret(secret)[0] as string
}

/** Returns all secrets in a text. Unlike `standardSecret`, allows base64 that is not canonical, which some platforms print. */
function standardSecrets(secret: string): readonly (string | Uint8Array)[] {
  const parts = splitSecret(secret)
  const keys = parts.flatMap((part) => decodeStandardSecret(part) ?? [])
  if (keys.length === parts.length) return keys
  const first = standardSecret(secret)
  return typeof first === 'string' ? parts : [first]
}

function assertKeys(...[secret, use]: [string | readonly string[], 'sign' | 'verify']): void {
  try {
    readKeys(secret, '', use)
  } catch (error) {
    // The advice on `Buffer.from` is for JavaScript programmers.
    const message = String(Object(error).message).replace(/ If [^.]*, pass Buffer\.from\(secret\)\.$/, '')
    throw new UsageError(message.replace(/^./, (letter) => letter.toUpperCase()))
  }
}

/** Throws if a public key is wrong, or if a secret is a private key, with which nothing is verified. */
export function assertPublicKeys(secrets: readonly string[]): void {
  const keys = secrets.filter(
    (secret) => isPublicKey(secret) || /^(v1a,)?whsk_([\w+/]{43}=|[\w+/]{86}==)$/.test(secret),
  )
  if (keys.length > 0) assertKeys(keys.length === 1 ? String(keys[0]) : keys, 'verify')
}

/** Returns a remark on what a public key can check. */
export function publicKeyNotes(secrets: readonly string[]): string[] {
  return secrets.some(isPublicKey)
    ? [
        'A public key verifies v1a signatures but cannot sign. If a signature is invalid, diagnose checks the headers and the time, but not what the sender signed instead.',
      ]
    : []
}

export function signWith(
  scheme: SchemeName | undefined,
  body: Body,
  secret: string,
  { nonce, ...options }: { nonce?: string | undefined; timestamp?: number | undefined; clock: Clock },
): { [name: string]: string } {
  if (scheme !== 'standard-webhooks') return sign(body, secret, { nonce, ...options })
  return signStandard(body, standardSecrets(secret), { messageId: nonce, ...options })
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
  const [, prefix] = /^(?:v1a?,)?(wh(?:sec|sk)_)/.exec(secret) ?? []
  if (scheme === undefined && prefix !== undefined) {
    return [
      `The secret begins with ${prefix}, as secrets of Standard Webhooks do. For that scheme, pass --scheme standard-webhooks.`,
    ]
  }
  if (scheme !== 'standard-webhooks' || !isTextAsKey(secret)) return []
  return ['The secret is not base64 of 24 to 64 bytes, so its text is the key.']
}
