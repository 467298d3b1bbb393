import { Buffer } from 'node:buffer'
import { types } from 'node:util'
import { invalidRange, invalidType } from '../arguments.js'
import { assertSecret } from '../request.js'
import { hasSmallOrder, publicKeyOf } from './ed25519.js'
import { parseSecret, splitSecret } from './secret-text.js'
import { listSignatures, type SignatureVersion } from './signature-list.js'

/**
 * A signing secret as the platform prints it: base64 of 24 to 64 bytes, with or without `whsec_` or `v1,whsec_`. If your platform uses the
 * text itself as the key, pass `Buffer.from(secret)`. While you rotate the secret, pass a list of secrets. A text `v1,whsec_A|v1,whsec_B`
 * counts as two secrets.
 *
 * For signatures of version `v1a`, which are Ed25519, the receiver passes the public key, `whpk_…`, in place of a secret, and the sender
 * passes the private key, `whsk_…`. A list can have both secrets and keys, but at most two keys.
 */
export type StandardSecret = string | Uint8Array | readonly (string | Uint8Array)[]

/** A key that checks or makes signatures of one version. */
export interface StandardKey {
  readonly version: SignatureVersion
  /** The key of the HMAC, the public key of Ed25519 or, to sign with Ed25519, the seed of the private key. */
  readonly bytes: Uint8Array
  /** Whether the secret was text without a prefix, which some platforms do not decode. */
  readonly mayBeText: boolean
}

type KeyUse = 'verify' | 'sign'

const MIN_BYTES = 24
const MAX_BYTES = 64

/** The maximum number of keys of Ed25519: the new and the old one of a rotation. More keys would make forged requests expensive. */
const MAX_ED25519_KEYS = 2
const ED25519_BYTES = 32

/** The advice if a secret is probably plain text. Platforms decode a secret with `whsec_`, so such a secret never gets this advice. */
const TEXT_AS_KEY = 'If the platform uses the text as the key, pass Buffer.from(secret).'

/**
 * Returns the keys to try, in order. Bytes are copied, because the caller may change the bytes while the body arrives.
 *
 * @param owner - what error messages call the owner of the secret: nothing, or ` of the function's result`.
 * @param use - what a key of Ed25519 is for: a public key verifies, and a private key signs.
 */
export function readKeys(secret: StandardSecret, owner = '', use: KeyUse = 'verify'): readonly StandardKey[] {
  const keys = Array.isArray(secret)
    ? // Unlike `flatMap` alone, `Array.from` also visits the holes of a sparse array.
      Array.from(secret).flatMap((one, index) => readSecret(one, `secret[${index}]${owner}`, use))
    : readSecret(secret, `secret${owner}`, use)
  if (keys.length === 0) throw invalidType(`secret${owner} is an empty array. Pass a secret.`)
  if (keys.length <= MAX_ED25519_KEYS) return keys
  const { length } = keys.filter(({ version }) => version === 'v1a')
  if (length <= MAX_ED25519_KEYS) return keys
  throw invalidRange(`secret${owner} has ${length} Ed25519 keys. Pass at most two: the new key and the old one.`)
}

function readSecret(secret: unknown, name: string, use: KeyUse): StandardKey[] {
  // `instanceof` does not recognise a Uint8Array from another realm, such as the realm of a test runner.
  if (types.isUint8Array(secret)) {
    if (secret.length === 0) throw invalidType(`${name} has no bytes. Pass the secret of the webhook.`)
    return [{ version: 'v1', bytes: Buffer.from(secret), mayBeText: false }]
  }
  assertSecret(secret, name)
  const mayBeText = !secret.includes('whsec_')
  const parts = splitSecret(secret)
  if (parts.length === 1) return [readKey(secret, name, mayBeText, use)]
  return parts.map((part, index) => readKey(part, `part ${index + 1} of ${name}`, mayBeText, use))
}

function readKey(text: string, name: string, mayBeText: boolean, use: KeyUse): StandardKey {
  const { prefix, base64 } = parseSecret(text)
  const bytes = Buffer.from(base64, 'base64')
  // Base64 must be canonical, so that a key has only one spelling.
  const isBase64 = bytes.toString('base64') === base64
  const isEd25519 = prefix === 'whpk_' || prefix === 'whsk_'
  if (!isEd25519 && isBase64 && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) {
    return { version: 'v1', bytes, mayBeText }
  }
  const fault = isEd25519
    ? describeEd25519Fault(prefix, bytes, isBase64, use)
    : `is base64 of ${bytes.length} bytes, not of ${MIN_BYTES} to ${MAX_BYTES}. ${mayBeText ? TEXT_AS_KEY : COPY}`
  if (fault === undefined) return { version: 'v1a', bytes: bytes.subarray(0, ED25519_BYTES), mayBeText: false }
  const fix = mayBeText && prefix === '' ? TEXT_AS_KEY : COPY
  throw invalidRange(`${name} ${describeForm(text, prefix, base64, isBase64, fix) ?? fault}`)
}

const COPY = 'Copy the whole text again.'

/** Returns what is wrong with a key of Ed25519. A private key has 32 bytes, the seed, or 64 with the public key at the end, as Svix prints it. */
function describeEd25519Fault(prefix: string, bytes: Buffer, isBase64: boolean, use: KeyUse): string | undefined {
  const [seed, publicKey] = [bytes.subarray(0, ED25519_BYTES), bytes.subarray(ED25519_BYTES)]
  if (prefix === 'whpk_') {
    if (use === 'sign') return 'is a public key, which cannot sign. Pass the private key: whsk_….'
    if (!isBase64 || bytes.length !== ED25519_BYTES) return `is base64 of ${bytes.length} bytes, not of 32. ${COPY}`
    return hasSmallOrder(bytes)
      ? 'is unsafe, because anybody can forge its signatures. Ask the sender for another key.'
      : undefined
  }
  if (!isBase64 || (bytes.length !== ED25519_BYTES && bytes.length !== 2 * ED25519_BYTES)) {
    return "begins with whsk_ but is not an Ed25519 key (base64 of 32 or 64 bytes). If it is an HMAC secret, like PayMongo's, pass Buffer.from(secret)."
  }
  if (use === 'verify') return 'is a private key, which only the sender may have. Pass the public key: whpk_….'
  return publicKey.length === 0 || publicKey.equals(publicKeyOf(seed))
    ? undefined
    : 'is a private key whose public half does not match. Copy it again or create a new key pair.'
}

/** Returns what is wrong with the form of a text, or `undefined` if it is base64 after its prefix. */
function describeForm(text: string, prefix: string, base64: string, isBase64: boolean, fix: string) {
  const [inner] = /wh(?:sec|[ps]k)_/.exec(base64) ?? []
  if (/^["'`]|["'`]$/.test(text)) return 'is in quotes. Remove the quotes.'
  if (/\s/.test(text)) return 'contains white space. Remove the white space.'
  if (base64.includes(':wh')) return 'contains two keys. Pass one of them: whpk_… to verify, or whsk_… to sign.'
  if (prefix === 'whsk_' || (isBase64 && base64 !== '')) return undefined
  if (inner !== undefined) return `has text before ${inner}. Remove this text.`
  if (/^[\w-]*[_-][\w-]*={0,2}$/.test(base64)) {
    return `contains - or _, so it is base64url. Replace - with + and _ with /.${fix === TEXT_AS_KEY ? ` ${fix}` : ''}`
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return `is not base64, even without a prefix such as whsec_. ${fix}`
  if (base64.length % 4 === 0) {
    return 'is base64 with stray bits in the last character. Decode the secret and encode it again.'
  }
  return `is not base64 with the right padding. If the = at the end is missing, add it. ${fix}`
}

/** Returns advice on a signature that does not match. */
export function adviseOnKeys(keys: readonly StandardKey[], signature: string): string | undefined {
  const has = (version: SignatureVersion) => keys.some((key) => key.version === version)
  const isIn = (version: SignatureVersion) => listSignatures(signature, version).length > 0
  if (isIn('v1a') && !isIn('v1') && !has('v1a')) return 'It has only v1a signatures. Pass the public key: whpk_….'
  if (isIn('v1') && !isIn('v1a') && !has('v1')) return 'It has only v1 signatures. Pass the secret: whsec_….'
  // Most platforms decode a secret with this prefix.
  const index = keys.findIndex(({ bytes }) => Buffer.from(bytes).toString('latin1', 0, 6) === 'whsec_')
  if (index === -1) return keys.some(({ mayBeText }) => mayBeText) ? MAY_BE_TEXT : undefined
  const name = keys.length === 1 ? 'secret' : `secret[${index}]`
  return `${name} is bytes that begin with whsec_. Pass the secret as text.`
}

const MAY_BE_TEXT = 'Compare secrets and bodies. For a text key, pass Buffer.from(secret).'
