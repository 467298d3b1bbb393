import { Buffer } from 'node:buffer'
import { invalidRange, invalidType, kindOf } from '../arguments.js'

/**
 * A signing secret: base64 of 24 to 64 bytes, with or without `whsec_`. If your platform uses the text itself as the key, pass its
 * bytes: `Buffer.from(secret)`. Pass several secrets while one replaces another.
 */
export type StandardSecret = string | Uint8Array | readonly (string | Uint8Array)[]

const MIN_BYTES = 24
const MAX_BYTES = 64

/** The start of an asymmetric key. Only signatures of version `v1a` need one. */
const ASYMMETRIC = /^wh[sp]k_/

/** Returns the keys to try, in order. Bytes are copied, because the caller may change them while the body arrives. */
export function readKeys(secret: StandardSecret): readonly Uint8Array[] {
  if (!Array.isArray(secret)) return [readKey(secret, 'secret')]
  if (secret.length === 0) throw invalidType('secret is an empty array. Pass a secret.')
  return Array.from(secret, (one, index) => readKey(one, `secret[${index}]`))
}

function readKey(secret: unknown, name: string): Uint8Array {
  if (secret instanceof Uint8Array) {
    if (secret.length === 0) throw invalidType(`${name} has no bytes. Pass the secret of the webhook.`)
    return Buffer.from(secret)
  }
  if (typeof secret !== 'string' || secret === '') {
    throw invalidType(`${name} is ${kindOf(secret)}. Pass the secret as the platform shows it, such as whsec_….`)
  }
  if (ASYMMETRIC.test(secret)) {
    throw invalidRange(`${name} is an asymmetric key. Pass the secret for v1 signatures, which begins with whsec_.`)
  }
  const base64 = secret.replace(/^whsec_/, '')
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) {
    const fix = /\s/.test(secret)
      ? 'Remove the white space.'
      : 'If the platform uses its text as the key, pass Buffer.from(secret).'
    throw invalidRange(`${name} is not base64 with or without whsec_. ${fix}`)
  }
  const key = Buffer.from(base64, 'base64')
  if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
    throw invalidRange(
      `${name} is base64 of ${key.length} bytes, not of ${MIN_BYTES} to ${MAX_BYTES}. If the platform uses its text as the key, pass Buffer.from(secret).`,
    )
  }
  return key
}
