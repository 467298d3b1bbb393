import { type HeaderNames, type HeaderValues, isSignature } from '../../src/rules/formats.js'
import { isNonce } from '../../src/rules/nonce.js'
import { isMessageId } from '../../src/standard-webhooks/message-id.js'
import { parseSecret } from '../../src/standard-webhooks/secret-text.js'
import { listSignatures } from '../../src/standard-webhooks/signature-list.js'
import { concat, fromBase64, hex, utf8 } from './bytes.js'
import { type Header, SCHEME_HEADERS } from './capture/headers.js'
import type { Platform } from './primitives.js'

/** What the tools need to know about a signing scheme. In all of them, `nonce` is the value of `X-Nonce` or of `webhook-id`. */
export interface ToolScheme {
  readonly isStandard: boolean
  readonly headers: HeaderNames
  readonly layout: readonly string[]
  isNonce(value: string): boolean
  keyOf(secret: string): Uint8Array
  /** Returns the public key of Ed25519 in a secret, or `undefined` for a secret that is none. */
  publicKeyOf(secret: string): Uint8Array | undefined
  /** Returns each digest of a signature header with the right form, in lowercase hex. */
  digestsIn(signature: string): readonly string[]
  /** Returns each Ed25519 signature of a signature header with the right form, in base64. */
  ed25519In(signature: string): readonly string[]
  /** Returns a text about the scheme of `X-Signature`, in the words of this scheme. */
  inWords(text: string): string
}

const [X_HEADERS, ...STANDARD_HEADERS] = SCHEME_HEADERS as [HeaderNames, ...HeaderNames[]]

export const X_SIGNATURE: ToolScheme = {
  isStandard: false,
  headers: X_HEADERS,
  layout: ['<timestamp>', ':', '<nonce>', ':', '<body>'],
  isNonce,
  keyOf: utf8,
  publicKeyOf: () => undefined,
  digestsIn: (signature) => (isSignature(signature) ? [signature] : []),
  ed25519In: () => [],
  inWords: (text) => text,
}

/** Returns the key in a secret of Standard Webhooks: base64 of 24 to 64 bytes or, with `isAnyLength`, any base64 after `whsec_`. */
export function decodeStandardSecret(secret: string, isAnyLength = false): Uint8Array | undefined {
  const { prefix, base64: text } = parseSecret(secret)
  if (prefix !== '' && prefix !== 'whsec_') return undefined
  const key = /^([\w+/]{4})*([\w+/]{3}=|[\w+/]{2}==)?$/.test(text) && !text.includes('_') ? fromBase64(text) : undefined
  if (key === undefined || (isAnyLength && prefix !== '')) return key
  return key.length >= 24 && key.length <= 64 ? key : undefined
}

export const isPublicKey = (secret: string): boolean => parseSecret(secret).prefix === 'whpk_'

function publicKeyOf(secret: string): Uint8Array | undefined {
  const { prefix, base64: text } = parseSecret(secret)
  const key = prefix === 'whpk_' ? fromBase64(text) : undefined
  return key?.length === 32 ? key : undefined
}

/** Returns whether the signature of a message is right under one of the secrets. */
export function isSignedBy(
  platform: Platform,
  { digestsIn, ed25519In, keyOf, publicKeyOf }: ToolScheme,
  signature: string,
  message: readonly Uint8Array[],
  secrets: readonly string[],
): boolean {
  const [digests, signatures] = [digestsIn(signature), ed25519In(signature)]
  return secrets.some((secret) => {
    const publicKey = publicKeyOf(secret)
    return publicKey === undefined
      ? digests.includes(String(platform.hmac('sha256', keyOf(secret), message)))
      : platform.verify(publicKey, message, signatures)
  })
}

/** Quoted values, which are never changed, and code, which is changed only if it is a layout. */
const PARTS = /("(?:[^"\\]|\\.)*")|(`[^`]*`)|[^"`]+/g

function standardScheme(headers: HeaderNames): ToolScheme {
  const rename = (text: string) =>
    text
      .replace(/X-Timestamp/gi, headers.timestamp)
      .replace(/X-Nonce/gi, headers.nonce)
      .replace(/X-Signature/gi, headers.signature)
      .replaceAll('A nonce', 'An ID')
      .replaceAll('a nonce', 'an ID')
      .replace(/\bnonce(s?)\b/g, 'ID$1')
  return {
    isStandard: true,
    headers,
    layout: ['<nonce>', '.', '<timestamp>', '.', '<body>'],
    isNonce: isMessageId,
    keyOf: (secret) => decodeStandardSecret(secret, true) ?? utf8(secret),
    publicKeyOf,
    ed25519In: (signature) => listSignatures(signature, 'v1a'),
    digestsIn: (signature) => listSignatures(signature, 'v1').map((digest) => hex(fromBase64(digest) as Uint8Array)),
    inWords: (text) =>
      text.replace(PARTS, (part, quoted, code) =>
        quoted !== undefined || (code !== undefined && !/timestamp|body/.test(code)) ? part : rename(part),
      ),
  }
}

const SCHEMES = [X_SIGNATURE, ...STANDARD_HEADERS.map(standardScheme)]

/** Returns the scheme whose headers a request has: the signature header decides, and then the other headers. */
export function schemeOf(headers: readonly Header[]): ToolScheme {
  const names = headers.map(([name]) => name.toLowerCase())
  // CGI and some HTTP clients write `HTTP_WEBHOOK_ID` or `webhook_id`.
  const hyphenated = names.map((name) => name.replace(/^http[_-]/, '').replaceAll('_', '-'))
  return schemeOfNames(names) ?? schemeOfNames(hyphenated) ?? X_SIGNATURE
}

function schemeOfNames(names: readonly string[]): ToolScheme | undefined {
  const has = (name: string) => names.includes(name)
  // Other systems send an `X-Signature` too, so a scheme of which all headers are present comes first.
  const isComplete = ({ headers }: ToolScheme) => Object.values(headers).every(has)
  const signed = SCHEMES.find(isComplete) ?? SCHEMES.find((scheme) => has(scheme.headers.signature))
  // `verify` reads the first set of names of which the request has a header, and does not mix sets.
  const possible = SCHEMES.filter(({ isStandard }) => signed === undefined || isStandard === signed.isStandard)
  return possible.find((scheme) => Object.values(scheme.headers).some(has))
}

export function startOf({ layout }: ToolScheme, { timestamp = '', nonce = '' }: Partial<HeaderValues>): string {
  const values: { readonly [part: string]: string } = { '<timestamp>': timestamp, '<nonce>': nonce }
  return layout
    .slice(0, -1)
    .map((part) => values[part] ?? part)
    .join('')
}

export function receivedMessage(values: Partial<HeaderValues>, body: Uint8Array, scheme = X_SIGNATURE): Uint8Array {
  return concat(utf8(startOf(scheme, values)), body)
}
