import { base64, fromBase64 } from '../bytes.js'
import type { ToolScheme } from '../schemes.js'
import { FIXES, type Fix, type FixId } from './fixes.js'
import { type Bytes, type Hypothesis, hypothesesOf } from './hypotheses/hypothesis.js'
import type { Mask } from './mask-secrets.js'
import { type SignatureForm, signatureForms } from './signature-form.js'

// This file has what the diagnosis of Standard Webhooks has besides the hypotheses about the scheme of `X-Signature`.

export const STANDARD_FORM = '`v1,` and 44 characters of base64'

export const ASYMMETRIC = 'an Ed25519 signature (v1a), which needs the public key of the sender (whpk_…)'

export const isAsymmetric = (signature: string): boolean => /^v1a,/.test(signature)

/** Returns what `read` finds in a signature, in the words of its scheme. `webhook-signature` is a list with spaces between its entries. */
export function formsOf(signature: string, mask: Mask, scheme: ToolScheme, read = signatureForms): SignatureForm[] {
  if (!scheme.isStandard) return read(signature, mask)
  const right = scheme.digestsIn(signature).map((digits): SignatureForm => {
    return { code: 'signature_format', differences: [], lengths: [32], matches: (digest) => digest === digits }
  })
  if (right.length > 0) return right
  const [, quote = '', version = '', text = ''] = /^(["']?)(v1[,=:]? ?|)(.*?)\1$/s.exec(signature) ?? []
  const instead = version === '' ? 'no `v1,` before it' : `\`${version}\` instead of \`v1,\``
  const around = [
    ...(quote === '' ? [] : ['quotes around it']),
    ...(version === 'v1,' ? [] : [instead]),
    ...(hasStrayBits(text) ? ['stray bits in the last character of the base64'] : []),
  ]
  return read(text, mask, 'base64').map((form) => ({ ...form, differences: [...around, ...form.differences] }))
}

/** Returns whether the last character of base64 of 32 bytes has bits that belong to no byte, which `verify` refuses. */
function hasStrayBits(text: string): boolean {
  const bytes = text.length === 44 ? fromBase64(text) : undefined
  return bytes?.length === 32 && base64(bytes) !== text.replaceAll('-', '+').replaceAll('_', '/')
}

const asText = hypothesesOf<string, Bytes>({ code: 'secret_encoding', fix: 'secret_as_text' })

/** Mistakes in the secret that only Standard Webhooks has, because its secret is base64 of the key. */
export const TEXT_AS_KEY: readonly Hypothesis<string, Bytes>[] = [
  asText('common', 'the text of the secret', (secret) => secret),
  asText('common', 'the text of the secret after whsec_', (secret) => secret.replace(/^whsec_/, '')),
  asText('common', 'the secret whose `whsec_` was decoded from base64 too', (secret) =>
    /^whsec_/.test(secret) ? fromBase64(secret) : undefined,
  ),
]

const DECODE: Fix = {
  sender:
    'Remove whsec_ from the secret, decode the rest from base64 once, and use the bytes as the key. Compare the secrets of both sides.',
  receiver: 'If the sender uses the text of the secret as the key, pass Buffer.from(secret) to the library.',
  lines: {
    node: "Buffer.from(secret.replace('whsec_', ''), 'base64')",
    python: "base64.b64decode(secret.removeprefix('whsec_'))",
    go: 'base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))',
    ruby: "Base64.strict_decode64(secret.delete_prefix('whsec_'))",
    php: "base64_decode(preg_replace('/^whsec_/', '', $secret))",
  },
}

const STANDARD_FIXES: { readonly [id in FixId]?: Fix } = {
  secret_as_text: DECODE,
  same_secret_text: DECODE,
  whole_secret: DECODE,
  own_prefix: DECODE,
  sign_message: {
    sender: "Sign the ID, '.', the timestamp, '.' and the body, in this order, with the values of the headers.",
  },
  send_hex: { sender: `Send ${STANDARD_FORM}, with spaces between several signatures.` },
  send_nonce: {
    sender: 'Send 1 to 256 visible ASCII characters without a full stop, such as msg_ and random letters.',
  },
  unswap_headers: { sender: 'Send each value under its own name, and sign the ID before the timestamp.' },
  fill_in_value: {
    sender: 'Fill in the value before you sign and send it. Use the same ID for each attempt of a message.',
  },
}

/** Matches lines of code and texts that hold for the scheme of `X-Signature` alone. */
const OF_OTHER_SCHEME = /nonce|hex|timestamp:/i

export function standardFix(id: FixId): Fix {
  const { lines = {}, ...fix }: Fix = STANDARD_FIXES[id] ?? FIXES[id]
  return { ...fix, lines: Object.fromEntries(Object.entries(lines).filter(([, line]) => !OF_OTHER_SCHEME.test(line))) }
}
