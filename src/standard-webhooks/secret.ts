import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { invalidRange, invalidType } from '../arguments.js'
import { assertSecret } from '../request.js'

/**
 * A signing secret: base64 of 24 to 64 bytes, with or without `whsec_`. If your platform uses the text itself as the key, pass
 * `Buffer.from(secret)`. While you rotate the secret, pass a list of secrets.
 */
export type StandardSecret = string | Uint8Array | readonly (string | Uint8Array)[]

const MIN_BYTES = 24
const MAX_BYTES = 64

/** The prefix of an asymmetric key, which only signatures of version `v1a` use. */
const ASYMMETRIC = /^wh[sp]k_/

/** The advice if a secret is probably plain text. */
const TEXT_AS_KEY = 'If the platform uses the text as the key, pass Buffer.from(secret).'

/**
 * Returns the keys to try, in order. Bytes are copied, because the caller may change the bytes while the body arrives. Error messages call
 * the secret `secret` and `owner`.
 */
export function readKeys(secret: StandardSecret, owner = ''): readonly Uint8Array[] {
  if (!Array.isArray(secret)) return [readKey(secret, `secret${owner}`)]
  if (secret.length === 0) throw invalidType(`secret${owner} is an empty array. Pass a secret.`)
  return Array.from(secret, (one, index) => readKey(one, `secret[${index}]${owner}`))
}

function readKey(secret: unknown, name: string): Uint8Array {
  // `instanceof` does not recognise a Uint8Array from another realm, such as the realm of a test runner.
  if (types.isUint8Array(secret)) {
    if (secret.length === 0) throw invalidType(`${name} has no bytes. Pass the secret of the webhook.`)
    return Buffer.from(secret)
  }
  assertSecret(secret, name)
  if (ASYMMETRIC.test(secret)) {
    throw invalidRange(`${name} is an asymmetric key. Pass the secret for v1 signatures, which begins with whsec_.`)
  }
  const base64 = secret.replace(/^whsec_/, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    const fix = /\s/.test(secret) ? 'Remove the white space.' : TEXT_AS_KEY
    throw invalidRange(`${name} is not base64 with or without whsec_. ${fix}`)
  }
  if (base64.length % 4 !== 0) {
    throw invalidRange(`${name} is not base64 with its padding. If the = at the end is missing, add it. ${TEXT_AS_KEY}`)
  }
  const key = Buffer.from(base64, 'base64')
  if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
    throw invalidRange(`${name} is base64 of ${key.length} bytes, not of ${MIN_BYTES} to ${MAX_BYTES}. ${TEXT_AS_KEY}`)
  }
  if (key.toString('base64') !== base64) {
    throw invalidRange(`${name} is base64 whose last character has stray bits. Decode the secret and encode it again.`)
  }
  return key
}

/** Returns advice if the bytes of a key begin with `whsec_`, because most platforms decode a secret with this prefix. */
export function adviseOnKeys(keys: readonly Uint8Array[]): string | undefined {
  const index = keys.findIndex((key) => Buffer.from(key).toString('latin1', 0, 6) === 'whsec_')
  if (index === -1) return undefined
  const name = keys.length === 1 ? 'secret' : `secret[${index}]`
  return `${name} is bytes that begin with whsec_. Pass the secret as text.`
}
