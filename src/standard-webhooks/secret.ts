import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { invalidRange, invalidType } from '../arguments.js'
import { assertSecret } from '../request.js'
import { parseSecret, splitSecret } from './secret-text.js'

/**
 * A signing secret as the platform prints it: base64 of 24 to 64 bytes, with or without `whsec_` or `v1,whsec_`. If your platform uses the
 * text itself as the key, pass `Buffer.from(secret)`. While you rotate the secret, pass a list of secrets. A text `v1,whsec_A|v1,whsec_B`
 * counts as two secrets.
 */
export type StandardSecret = string | Uint8Array | readonly (string | Uint8Array)[]

/** The key of an HMAC. */
export interface StandardKey {
  readonly bytes: Uint8Array
  /** Whether the secret was text without a prefix, which some platforms do not decode. */
  readonly mayBeText: boolean
}

const MIN_BYTES = 24
const MAX_BYTES = 64

/** The advice if a secret is probably plain text. Platforms decode a secret with `whsec_`, so such a secret never gets this advice. */
const TEXT_AS_KEY = 'If the platform uses the text as the key, pass Buffer.from(secret).'

/**
 * Returns the keys to try, in order. Bytes are copied, because the caller may change the bytes while the body arrives. Error messages call
 * the secret `secret` and `owner`.
 */
export function readKeys(secret: StandardSecret, owner = ''): readonly StandardKey[] {
  if (!Array.isArray(secret)) return readSecret(secret, `secret${owner}`)
  if (secret.length === 0) throw invalidType(`secret${owner} is an empty array. Pass a secret.`)
  // Unlike `flatMap` alone, `Array.from` also visits the holes of a sparse array.
  return Array.from(secret).flatMap((one, index) => readSecret(one, `secret[${index}]${owner}`))
}

function readSecret(secret: unknown, name: string): StandardKey[] {
  // `instanceof` does not recognise a Uint8Array from another realm, such as the realm of a test runner.
  if (types.isUint8Array(secret)) {
    if (secret.length === 0) throw invalidType(`${name} has no bytes. Pass the secret of the webhook.`)
    return [{ bytes: Buffer.from(secret), mayBeText: false }]
  }
  assertSecret(secret, name)
  const parts = splitSecret(secret)
  const mayBeText = !secret.includes('whsec_')
  return parts.map((part, index) =>
    readKey(part, parts.length === 1 ? name : `part ${index + 1} of ${name}`, mayBeText),
  )
}

function readKey(text: string, name: string, mayBeText: boolean): StandardKey {
  if (/^wh[sp]k_/.test(text)) {
    throw invalidRange(`${name} is an asymmetric key. Pass the secret for v1 signatures, which begins with whsec_.`)
  }
  const [, base64] = parseSecret(text)
  const fix = mayBeText ? TEXT_AS_KEY : 'Copy the whole secret again.'
  const bytes = decode(text, base64, name, fix)
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
    throw invalidRange(`${name} is base64 of ${bytes.length} bytes, not of ${MIN_BYTES} to ${MAX_BYTES}. ${fix}`)
  }
  return { bytes, mayBeText }
}

/**
 * Returns the bytes of base64, which must be canonical, so that a key has only one spelling.
 *
 * @param fix - the advice for a text that is not base64 at all.
 */
function decode(text: string, base64: string, name: string, fix: string): Buffer {
  const fault = (what: string) => invalidRange(`${name} ${what}`)
  if (/^["'`]|["'`]$/.test(text)) throw fault('is in quotes. Remove the quotes.')
  if (/\s/.test(text)) throw fault('has white space. Remove the white space.')
  if (base64.includes('whsec_')) throw fault('has text before whsec_. Remove this text.')
  if (/^[\w-]*[_-][\w-]*={0,2}$/.test(base64)) {
    throw fault(`has - or _, as base64url has. Replace - with + and _ with /.${fix === TEXT_AS_KEY ? ` ${fix}` : ''}`)
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw fault(`is not base64 with or without whsec_. ${fix}`)
  if (base64.length % 4 !== 0) {
    throw fault(`is not base64 with its padding. If the = at the end is missing, add it. ${fix}`)
  }
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') === base64) return bytes
  throw fault('is base64 whose last character has stray bits. Decode the secret and encode it again.')
}

/** Returns advice if the bytes of a key begin with `whsec_`, because most platforms decode a secret with this prefix. */
export function adviseOnKeys(keys: readonly StandardKey[]): string | undefined {
  const index = keys.findIndex(({ bytes }) => Buffer.from(bytes).toString('latin1', 0, 6) === 'whsec_')
  if (index === -1) return keys.some(({ mayBeText }) => mayBeText) ? MAY_BE_TEXT : undefined
  const name = keys.length === 1 ? 'secret' : `secret[${index}]`
  return `${name} is bytes that begin with whsec_. Pass the secret as text.`
}

const MAY_BE_TEXT = 'Compare secrets and bodies. For a text key, pass Buffer.from(secret).'
