import { fromBase64, fromHex, fromUtf8 } from '../../bytes.js'
import type { Header } from '../../capture/headers.js'
import { isPublicKey } from '../../schemes.js'
import { joinWords, listNames } from '../../text.js'
import type { Draft } from '../draft.js'
import type { Mask } from '../mask-secrets.js'

/** The minimum length of a secret to search for. A shorter secret can be in a header by chance. */
const MIN_SECRET = 6

/** The minimum length of a secret to search for in the names of headers. A shorter secret can be a word of a name. */
const MIN_SECRET_IN_NAME = 16

const MAX_LENGTH = 1_000_000

/** Returns a finding if a header or the body contains a secret, plain or percent-encoded. In headers, finds base64 and hex too. */
export function checkLeakedSecret(
  headers: readonly Header[],
  body: Uint8Array,
  secrets: readonly string[],
  mask: Mask,
): Draft[] {
  const long = secrets
    .filter((secret) => !isPublicKey(secret))
    .flatMap((secret) => [secret, secret.trim(), withoutPrefix(secret)])
    .filter((secret) => secret.length >= MIN_SECRET)
  const texts = long.flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
  const hides = (text: string) => texts.some((secret) => text.includes(secret))
  const isHeld = (value: string) =>
    value.length <= MAX_LENGTH && (hides(value) || wordsOf(value).some((word) => hides(decode(word))))
  const holders = headers
    .filter(([, value]) => isHeld(value))
    .map(([name]) => (name === ':path' ? 'the URL' : listNames([mask(name)])))
  const lowercase = long.filter(({ length }) => length >= MIN_SECRET_IN_NAME).map((secret) => secret.toLowerCase())
  const isNamed = headers.some(([name]) => lowercase.some((secret) => name.includes(secret)))
  const names = [
    ...new Set(holders),
    ...(isNamed ? ['the name of a header'] : []),
    ...(body.length <= MAX_LENGTH && hides(fromUtf8(body)) ? ['the body'] : []),
  ]
  if (names.length === 0) return []
  const message = `The secret is in ${joinWords(names, 'and')}. Replace the secret now, because every proxy and log on the way may have a copy.`
  return [{ code: 'secret_leaked', message, fix: 'replace_secret' }]
}

const wordsOf = (value: string) => value.split(/[^\w+/=-]+|=(?=[^=])/)

function decode(word: string): string {
  const bytes = fromHex(word) ?? fromBase64(word)
  return bytes === undefined ? '' : fromUtf8(bytes)
}

/** Returns a secret without a prefix such as `whsec_`, because the part after the prefix must be secret too. */
const withoutPrefix = (secret: string) => secret.replace(/^(v1a?,)?[a-z]{2,8}_(?=.{16})/, '')
