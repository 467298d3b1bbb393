import { base64, fromBase64, fromHex, hex, latin1, utf8, utf16 } from '../bytes.js'
import { describeInvisible, describeSpaceAround, removeInvisible } from '../text.js'
import type { Bytes, HashAlgorithm, Hypothesis, Likelihood, RequestContext } from './hypothesis.js'

// Mistakes in the secret that was used as the key.

type SecretHypothesis = Hypothesis<string, Bytes>

/** A prefix such as `whsec_`, `sk_live_` or `v1:`. */
const PREFIX = /^([A-Za-z][A-Za-z0-9]{0,15}[_:.=-]){1,2}(?=.)/
const withoutPrefix = (secret: string) => (PREFIX.test(secret) ? secret.replace(PREFIX, '') : undefined)
const ifPossible = <From, To>(value: From | undefined, change: (value: From) => To) =>
  value === undefined ? undefined : change(value)
const hash = (algorithm: HashAlgorithm, secret: string, { primitives }: RequestContext) => primitives.hash(algorithm, [utf8(secret)])
const hashHex = (...given: Parameters<typeof hash>) => ifPossible(hash(...given), hex)
const toStandardBase64 = (secret: string) => secret.replaceAll('-', '+').replaceAll('_', '/')
const padded = (secret: string) => secret.padEnd(Math.ceil(secret.length / 4) * 4, '=')

const trim = { code: 'secret_whitespace', fix: 'trim_secret' } as const
const trimHere = { code: 'secret_whitespace', fix: 'trim_own_secret' } as const
const unquote = { code: 'secret_quotes', fix: 'unquote_secret' } as const
const asText = { code: 'secret_encoding', fix: 'secret_as_text' } as const
const prefixedAsText = { code: 'secret_prefix', fix: 'secret_as_text' } as const
const ownPrefix = { code: 'secret_prefix', fix: 'own_prefix' } as const
const unhashed = { code: 'secret_hashed', fix: 'unhashed_secret' } as const
const unchanged = { code: 'secret_changed', fix: 'unchanged_secret' } as const

const placeholders = (likelihood: Likelihood, texts: readonly string[]): SecretHypothesis[] =>
  texts.map((text) => ({ likelihood, code: 'secret_placeholder', fix: 'read_secret',
    what: text === '' ? 'an empty secret' : `the text \`${text}\` as the secret`, apply: () => text }))

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
export const SECRET_HYPOTHESES: readonly SecretHypothesis[] = [
  { ...trim, likelihood: 'common', what: 'the secret and a line feed (LF) after it', apply: (secret) => `${secret}\n` },
  { ...trimHere, likelihood: 'common', what: 'the secret without {}',
    apply: (secret) => ({ variants: [{ detail: describeSpaceAround(secret), value: secret.trim() }] }) },
  { ...asText, likelihood: 'common', what: 'the secret decoded from base64 or base64url', apply: fromBase64 },
  { ...asText, likelihood: 'common', what: 'the secret decoded from hex', apply: fromHex },
  { ...prefixedAsText, likelihood: 'common',
    what: 'the secret without its prefix, decoded from base64', apply: (secret) => ifPossible(withoutPrefix(secret), fromBase64) },
  { ...unquote, likelihood: 'common', what: 'the secret between double quotes', apply: (secret) => `"${secret}"` },

  { ...trim, likelihood: 'uncommon', what: 'the secret and a space after it', apply: (secret) => `${secret} ` },
  { ...trim, likelihood: 'uncommon', what: 'the secret and a space before it', apply: (secret) => ` ${secret}` },
  { ...trim, likelihood: 'uncommon', what: 'the secret and a CRLF (carriage return and line feed) after it', apply: (secret) => `${secret}\r\n` },
  { ...trimHere, likelihood: 'uncommon', what: 'the secret without {} in it',
    apply: (secret) => ({ variants: [{ detail: describeInvisible(secret), value: removeInvisible(secret) }] }) },

  { ...unquote, likelihood: 'uncommon', what: 'the secret between single quotes', apply: (secret) => `'${secret}'` },
  { likelihood: 'uncommon', code: 'secret_quotes', fix: 'unquote_own_secret',
    what: 'the secret without the quotes around it', apply: (secret) => /^(["'`])(.+)\1$/s.exec(secret)?.[2] },

  { likelihood: 'uncommon', code: 'secret_prefix', fix: 'whole_secret', what: 'the secret without its prefix', apply: withoutPrefix },
  { ...ownPrefix, likelihood: 'uncommon', what: '`whsec_` and the secret', apply: (secret) => `whsec_${secret}` },

  { ...asText, likelihood: 'uncommon', what: 'the secret in base64', apply: (secret) => base64(utf8(secret)) },
  { ...asText, likelihood: 'uncommon', what: 'the secret in Latin-1 instead of UTF-8', apply: latin1 },
  { ...asText, likelihood: 'rare', what: 'the secret in UTF-16 (little-endian)', apply: (secret) => utf16(secret, 'little-endian') },

  { ...unhashed, likelihood: 'uncommon', what: "the bytes of the secret's SHA-256", apply: (secret, context) => hash('sha256', secret, context) },
  { ...unhashed, likelihood: 'uncommon', what: "the secret's SHA-256 in hex", apply: (secret, context) => hashHex('sha256', secret, context) },
  { ...unhashed, likelihood: 'rare', what: "the secret's MD5 in hex", apply: (secret, context) => hashHex('md5', secret, context) },

  { ...unchanged, likelihood: 'uncommon', what: 'the secret without the `=` at its end', apply: (secret) => secret.replace(/=+$/, '') },
  { ...unchanged, likelihood: 'rare',
    what: 'the secret with `+` and `/` for its `-` and `_`, and with `=` at its end',
    apply: (secret) => padded(toStandardBase64(secret)) },
  { ...unchanged, likelihood: 'uncommon',
    what: 'the secret up to a `#`, which begins a comment in a .env file', apply: (secret) => secret.replace(/\s*#.*$/s, '') },
  { ...unchanged, likelihood: 'uncommon',
    what: 'the secret without what a shell takes for a variable (`$…`)',
    apply: (secret) => secret.replace(/\$(\w+|\{[^}]*\}|[@*#?$!-])/g, '') },
  { ...unchanged, likelihood: 'rare', what: 'the secret in uppercase', apply: (secret) => secret.toUpperCase() },
  { ...unchanged, likelihood: 'rare', what: 'the secret percent-encoded', apply: encodeURIComponent },

  ...placeholders('uncommon', ['', 'undefined', 'null', 'None', 'WEBHOOK_SECRET', '$WEBHOOK_SECRET', '${WEBHOOK_SECRET}']),
  ...placeholders('rare', ['$SIGNING_SECRET', 'process.env.WEBHOOK_SECRET', '/run/secrets/webhook_secret', 'secret', 'changeme']),
]
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
