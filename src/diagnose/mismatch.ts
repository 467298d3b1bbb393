import { type Buffer, isUtf8 } from 'node:buffer'
import { sign } from '../sign.js'
import type { Finding } from './finding.js'
import { type Meant, type Pair, quoted } from './headers.js'
import { sha256 } from './proof.js'
import { isUnset } from './signature.js'
import { countBytes, describeInvisible, describeSpaceAround } from './text.js'

/**
 * Facts about a request that explain a mismatch though they cannot prove it, then what to compare.
 *
 * @param isLost - whether the body was lost, which has been said first of all.
 */
export function unexplained(
  body: Buffer,
  isLost: boolean,
  { timestamp, nonce, signature }: Meant,
  secrets: readonly string[],
  pairs: readonly Pair[],
): Finding[] {
  const suspicions = [...(isLost ? [] : bodySuspicions(body, pairs)), ...secretSuspicions(secrets)]
  // Without them there is nothing to compare; that they are missing was said.
  if (timestamp === undefined || nonce === undefined || isUnset(String(signature))) return suspicions
  return [...suspicions, whatToCompare(body, timestamp, nonce)]
}

function bodySuspicions(body: Buffer, pairs: readonly Pair[]): Finding[] {
  const header = (name: string) => pairs.find(([other]) => other === name)?.[1]
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? ''
  // Compressed bytes are no text.
  if (/^((x-)?gzip|deflate|br|zstd)$/.test(encoding) && isUtf8(body)) {
    return [
      {
        code: 'body_compressed',
        message: `Content-Encoding says ${encoding}, but the body does not look compressed: something inflated it before it was verified. ${UNPROVABLE}`,
        fix: "On the receiver's side: pass the bytes as received, before anything inflates them (Express: express.raw({ type: () => true, inflate: false }))",
        evidence: `Content-Encoding: ${encoding}\nThe body begins with: ${hexOf(body.subarray(0, 16))}`,
      },
    ]
  }
  const length = header('content-length')?.trim() ?? ''
  if (/^\d{1,15}$/.test(length) && Number(length) !== body.length) {
    return [
      {
        code: 'body_changed',
        message: `Content-Length says ${countBytes(Number(length))}, but the body has ${body.length}: it was changed after it was received.`,
        fix: "On the receiver's side: pass the bytes as received, all of them, before anything parses, trims, decodes or inflates them (Express: express.raw({ type: () => true }), before express.json())",
        evidence: `Content-Length: ${length}\nBytes of the body: ${body.length}`,
      },
    ]
  }
  if (isUtf8(body) && body.includes('\ufffd')) {
    return [
      {
        code: 'body_encoding',
        message: `The body holds U+FFFD at byte ${body.indexOf('\ufffd')}: something decoded bytes that are no UTF-8, which cannot be undone.`,
        fix: "On the receiver's side: pass the bytes as received, never a string. On the sender's side: encode text as UTF-8",
      },
    ]
  }
  return []
}

/** Two compressors seldom make the same bytes of a body, so that only the sender's own would give what was signed. */
const UNPROVABLE = 'That a compressed body was signed and inflated on the way cannot be proved.'

const PLACEHOLDER = /^(undefined|null|none|nil|nan|true|false|secret|change-?_?me|\[object \w+\])$/i

/** Names as environments have them, and what stands for their values in configurations. */
const VARIABLE = /^(process\.env|os\.environ|\$\w|\$\{|\$\(|%\w+%$|\{\{|<.*>$)|^[A-Z]+(_[A-Z]+)+$/

function secretSuspicions(secrets: readonly string[]): Finding[] {
  return secrets.flatMap((secret, index): Finding[] => {
    const name = secrets.length === 1 ? 'The secret' : `secret[${index}]`
    const finding = (code: Finding['code'], message: string, fix: string) => [
      { code, message: `${name} ${message}.`, fix: `On the receiver's side: ${fix}` },
    ]
    const around = describeSpaceAround(secret)
    if (around !== '') {
      const fix = 'store the secret without it, or trim it where it is read: process.env.WEBHOOK_SECRET.trim()'
      return finding('secret_whitespace', `has white space around it: ${around}`, fix)
    }
    const unseen = describeInvisible(secret)
    if (unseen !== '') {
      return finding('secret_whitespace', `holds what is not seen: ${unseen}`, 'store the secret without it')
    }
    if (/^(["'`]).*\1$/s.test(secret)) {
      return finding(
        'secret_quotes',
        'stands between quotes',
        'take the quotes out of the configuration: WEBHOOK_SECRET=…, not "…"',
      )
    }
    if (PLACEHOLDER.test(secret) || VARIABLE.test(secret)) {
      return finding(
        'secret_placeholder',
        'looks like a placeholder or the name of a variable, not like a secret',
        'pass the value of the variable: process.env.WEBHOOK_SECRET',
      )
    }
    return []
  })
}

const CHECK = { body: '{"event":"paid"}', secret: 'a secret', timestamp: 1700000000, nonce: 'abc' }

function whatToCompare(body: Buffer, timestamp: string, nonce: string): Finding {
  const prefix = `${timestamp}:${nonce}:`
  return {
    code: 'signature_mismatch',
    message:
      'No known way of signing gives this signature: the secrets differ, or the bytes that were signed are not those received.',
    fix: 'On either side: compare the evidence with the sender\'s own: the first line that differs is the cause. If all are equal, the secrets differ: compare printf %s "$WEBHOOK_SECRET" | wc -c, then set it anew on both sides',
    evidence: [
      'What the receiver has:',
      `  the message begins with ${quoted(prefix)}`,
      `  bytes of the body: ${body.length}`,
      `  SHA-256 of the body: ${sha256(body)}`,
      `  the body begins with: ${hexOf(body.subarray(0, 16))}`,
      `  the body ends with: ${hexOf(body.subarray(-16))}`,
      "The same on the sender's side, with the bytes that are sent in body.bin:",
      '  wc -c < body.bin',
      '  openssl dgst -sha256 body.bin',
      '  head -c 16 body.bin | od -A n -t x1',
      '  tail -c 16 body.bin | od -A n -t x1',
      `To check the sender's code: under the secret \`${CHECK.secret}\`, the timestamp ${CHECK.timestamp}, the nonce \`${CHECK.nonce}\` and the body \`${CHECK.body}\` give`,
      `  ${sign(CHECK.body, CHECK.secret, CHECK)['X-Signature']}`,
    ].join('\n'),
  }
}

function hexOf(bytes: Buffer): string {
  return bytes.length === 0 ? '(nothing)' : (bytes.toString('hex').match(/../g) as string[]).join(' ')
}
