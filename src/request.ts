import { assertText, hasMethod, invalidType, isObject, kindOf } from './arguments.js'
import { type Body, bytesOf } from './rules/body.js'
import type { HeaderNames } from './rules/formats.js'
import { type HeadersInput, readHeaders } from './rules/headers.js'

/** A received request, and the webhook to which the request was sent. */
export interface WebhookRequest {
  /** The ID of the webhook in your database. Never pass a part of the URL: each spelling of it would have its own nonces. */
  webhookId: string
  /** The request's headers in any of the usual shapes. */
  headers: HeadersInput
  /** The raw body: the bytes as received. `readBody` returns these bytes in every framework. */
  body: Body
}

/**
 * A webhook's signing secret as text. The key of the HMAC is this text in UTF-8, so a newline at the end is part of the key. If you
 * read the secret from a file, remove the newline that most editors add.
 *
 * While you rotate the secret, pass a list of secrets. `verify` tries the secrets in order.
 */
export type Secret = string | readonly string[]

/** Returns the parts of a request. Reads each property only once. A body that is not raw is `undefined`, and so is an absent header. */
export function readRequest(request: WebhookRequest, names?: readonly HeaderNames[]) {
  if (!isObject(request)) throw invalidType(`request is ${kindOf(request)}. Pass { webhookId, headers, body }.`)
  const { webhookId, headers, body } = request
  assertText(webhookId, 'request.webhookId', 'Pass { webhookId, headers, body } with the ID as a string.')
  return { webhookId, headers, values: readHeaders(headers, names), body: bytesOf(body, 'request.body') }
}

/** Returns a new list of the secrets to try, in order. Error messages call the secret `secret` and `owner`. */
export function readSecrets(secret: Secret, owner = ''): readonly string[] {
  if (!Array.isArray(secret)) {
    assertSecret(secret, `secret${owner}`)
    return [secret]
  }
  if (secret.length === 0) throw invalidType(`secret${owner} is an empty array. Pass a secret.`)
  // Unlike `forEach`, this loop also visits the holes of a sparse array.
  for (let index = 0; index < secret.length; index++) assertSecret(secret[index], `secret[${index}]${owner}`)
  return [...secret]
}

/** Strings that String() returns for a missing value, a promise or an object. Anybody can guess these strings. */
const NO_SECRET = /^(?:undefined|null|NaN|true|false|\[object \w+\])$/

export function assertSecret(secret: unknown, name: string): asserts secret is string {
  if (typeof secret === 'string' && NO_SECRET.test(secret)) {
    throw invalidType(
      `${name} is the text '${secret}'. Check that the environment variable is set or the record has a secret.`,
    )
  }
  if (hasMethod(secret, 'reserve')) {
    throw invalidType(`${name} is a nonce store. Pass (request, secret, nonceStore) in this order.`)
  }
  const fix = ArrayBuffer.isView(secret)
    ? 'Pass the secret as text, not its bytes.'
    : 'Pass the secret as text. Check that the environment variable is set or the record has a secret.'
  assertText(secret, name, fix)
}
