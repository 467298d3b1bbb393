import { HEADERS, type NamedValues, spell } from '../rules/formats.js'
import { contentLengthOf, findHeader, type HeadersInput } from '../rules/headers.js'
import { MAX_NONCE_LENGTH } from '../rules/nonce.js'

// The message of a rejection describes the received value, but never contains it, because a newline could forge a line of the log.

type Forms = readonly (readonly [pattern: RegExp, description: string])[]

const COMMON_FORMS: Forms = [
  [/^$/, 'it is empty'],
  [/^[^,]*, [^,]*$/, 'it has two values'],
  [/^(["']).*\1$/, 'it is in quotes'],
  [/^\s|\s$/, 'it has white space'],
]

const TIMESTAMP_FORMS: Forms = [
  [/^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} /, 'it looks like an HTTP date'],
  [/^\d+[.,]\d*$/, 'it has a decimal fraction'],
  [/^\d+(\.\d+)?e\+?\d+$/i, 'it is in scientific notation'],
  [/^\d{4}-\d\d-\d\d/, 'it looks like an ISO 8601 date'],
  [/^[+-]\d+$/, 'it has a sign'],
]

const SIGNATURE_FORMS: Forms = [
  [/^[0-9a-fA-F]{64}$/, 'it has uppercase letters'],
  [/^.{1,40}[^0-9a-f][0-9a-f]{64}$/, 'it has text before the digits'],
  [/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, 'it looks like a JWT'],
]

const PRODUCTS = { 'stripe-signature': 'Stripe', 'x-hub-signature-256': 'GitHub', 'x-slack-signature': 'Slack' }

/** Returns advice if a request has none of the three headers, but the signature of the other signing scheme or of a known product. */
export function adviseOnScheme(
  { names, timestamp, nonce, signature }: NamedValues,
  headers: HeadersInput,
): string | undefined {
  if ((timestamp ?? nonce ?? signature) !== undefined) return undefined
  const isOwn = names === HEADERS
  const others = isOwn ? ['webhook-signature', 'svix-signature'] : [HEADERS.signature]
  const isPresent = (name: string) => findHeader(headers, name) !== undefined
  const [header, product] = Object.entries(PRODUCTS).find(([name]) => isPresent(name)) ?? []
  if (header) return `The request has ${header}, which is ${product}'s format. Use ${product}'s library.`
  const found = others.find(isPresent)
  if (found === undefined) return undefined
  const entry = `inbound-webhook-auth${isOwn ? '/standard-webhooks' : ''}`
  return `The request has ${spell(found)}. To verify it, import from '${entry}'.`
}

export function describeTimestamp(timestamp: string): string {
  return findForm(timestamp, TIMESTAMP_FORMS) ?? describeCharacter(timestamp, /[^0-9]/u)
}

export function describeNonce(nonce: string, maxLength = MAX_NONCE_LENGTH): string {
  if (nonce === '') return 'it is empty'
  if (nonce.length > maxLength) return `it has ${nonce.length} characters`
  return describeCharacter(nonce, /[^!-~]/u)
}

export function describeSignature(signature: string): string {
  return `${findForm(signature, SIGNATURE_FORMS) ?? describeDigits(signature)}, not 64 lowercase hex digits`
}

/** Returns advice if a secret begins or ends with white space, such as the newline of a file. */
export function adviseOnSecrets(secrets: readonly string[]): string | undefined {
  const index = secrets.findIndex((secret) => secret !== secret.trim())
  if (index === -1) return undefined
  const name = secrets.length === 1 ? 'secret' : `secret[${index}]`
  return `${name} ${/^\s/.test(secrets[index] as string) ? 'begins' : 'ends'} with white space. Compare with the sender's secret.`
}

function describeDigits(signature: string): string {
  if (/^[0-9a-f]+$/i.test(signature)) return `it has ${signature.length} hex digits`
  if (/^[\w+/-]{43}=?$/.test(signature)) return `it has ${signature.length} characters, like base64`
  return describeCharacter(signature, /[^0-9a-f]/u)
}

function findForm(value: string, forms: Forms): string | undefined {
  const isMatch = ([pattern]: Forms[number]) => pattern.test(value)
  return (forms.find(isMatch) ?? COMMON_FORMS.find(isMatch))?.[1]
}

/** Returns the first character that `wrong` matches, as text: `character 5 is U+0020`. */
export function describeCharacter(value: string, wrong: RegExp): string {
  const index = value.search(wrong)
  const code = value.codePointAt(index) as number
  return `character ${index + 1} is U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Describes the size of a body whose signature does not match: `the body has 38 bytes, but Content-Length is 42, so …`. */
export function describeSize(body: Uint8Array, headers: HeadersInput): string {
  const size = `the body has ${body.length} byte${body.length === 1 ? '' : 's'}`
  if (body.length === 15 && String.fromCharCode(...body) === '[object Object]') {
    return 'the body is [object Object]: pass the raw body, not the parsed body'
  }
  const contentLength = contentLengthOf(headers) ?? body.length
  if (contentLength !== body.length) {
    const isCompressed = findHeader(headers, 'content-encoding') !== undefined
    const change = body.length === 0 ? 'already read' : isCompressed ? 'inflated' : 'changed'
    return `${size}, but Content-Length is ${contentLength}, so the body was ${change}`
  }
  return body.length > 0 ? size : `${size}: a body parser may have read the body`
}
