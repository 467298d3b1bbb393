import { createHmac, createPrivateKey, sign } from 'node:crypto'
import {
  type Accepted,
  type Clock,
  type NonceStore,
  type Rejected,
  verify,
  type WebhookRequest,
} from '../../../src/index.js'
import * as standard from '../../../src/standard-webhooks/index.js'
import type { Message, Step } from './cases.js'
import { BYTES, OWN_RULES, type Rules, STANDARD_RULES } from './oracle.js'

// The two schemes that are fuzzed: what the cases are made of, and what judges them.

export type Verify = (
  request: WebhookRequest,
  secrets: string | readonly string[],
  nonceStore: NonceStore,
  clock?: Clock,
) => Promise<Accepted | Rejected>

export interface FuzzedScheme {
  readonly name: string
  readonly rules: Rules
  /** The parts of the signed message whose boundaries a case moves, and what separates them. */
  readonly movable: readonly ('timestamp' | 'nonce' | 'body')[]
  readonly separator: string
  readonly nonces: readonly string[]
  readonly rareNonces: readonly string[]
  readonly secrets: readonly string[]
  readonly rareSecrets: readonly string[]
  readonly verify: Verify
  /** Returns the value of the signature's header. */
  sign(message: Message, step: Step): string
}

const OWN: FuzzedScheme = {
  name: 'X-Signature',
  rules: OWN_RULES,
  movable: ['nonce', 'body'],
  separator: ':',
  nonces: [...'n m N 6f9619ff-8b86-4d01-b42d-00cf4fc964ff a:b : :: n: :n ! ~'.split(' '), 'x'.repeat(128)],
  rareNonces: ['x'.repeat(127), 'x'.repeat(129), `${'x'.repeat(126)}:`, ':'.repeat(128), 'signature', '__proto__', ''],
  secrets: ['secret', 'other', 'Secret', ' secret', 'secret\0', '\u00e9', 'e\u0301', '\u{1f98a}', 's'.repeat(64)],
  rareSecrets: [
    ...'whsec_c2VjcmV0 c2VjcmV0 __proto__ : \ufeffsecret \udc00'.split(' '),
    '',
    's'.repeat(65),
    's'.repeat(1000),
  ],
  verify,
  sign: ({ timestamp, nonce, body }, { secret }) =>
    createHmac('sha256', secret).update(`${timestamp}:${nonce}:`).update(body, 'latin1').digest('hex'),
}

const KEYS = [24, 32, 64].map((length) => Buffer.alloc(length, 'key').toString('base64'))
const [SHORTEST = '', USUAL = '', LONGEST = ''] = KEYS

/** Two key pairs of Ed25519 by OpenSSL: the public keys, and the private keys in PKCS #8. */
const PRIVATE_KEYS: { readonly [publicKey: string]: string } = {
  'whpk_dj9L+uRlsHRCLQ4Eh8qzd/fXpoE0I8XwyZv2e/3PRZ8=':
    'MC4CAQAwBQYDK2VwBCIEIFusTO2KEFzb6NT0L4rygLRcmFWAwbWS6o9MZDHYnWSx',
  'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=':
    'MC4CAQAwBQYDK2VwBCIEIOl2/3QnB6T3mttT0tTfVWPzWVu9twhHO+zeKyQrmzG3',
}
const [PUBLIC_KEY = '', OTHER_PUBLIC_KEY = ''] = Object.keys(PRIVATE_KEYS)

const keyOf = (secret: string) =>
  secret.startsWith(BYTES)
    ? Buffer.from(secret.slice(BYTES.length), 'latin1')
    : Buffer.from(secret.replace(/^(v1,)?whsec_/, ''), 'base64')

const passed = (secret: string) => (secret.startsWith(BYTES) ? keyOf(secret) : secret)

const STANDARD: FuzzedScheme = {
  name: 'Standard Webhooks',
  rules: STANDARD_RULES,
  movable: ['nonce', 'timestamp', 'body'],
  separator: '.',
  nonces: ['msg_1', 'msg_2', 'MSG_1', 'n', 'a:b', 'a.b', '.', 'n.', '-', '/', '!', '~', 'x'.repeat(256)],
  rareNonces: ['x'.repeat(255), 'x'.repeat(257), `${'x'.repeat(255)}.`, 'a.1700000000', 'attempt', '__proto__', ''],
  secrets: [
    `whsec_${USUAL}`,
    USUAL,
    SHORTEST,
    LONGEST,
    `${BYTES}text`,
    `${BYTES}${'\xff'.repeat(32)}`,
    `whsec_${SHORTEST}`,
    `v1,whsec_${USUAL}`,
    PUBLIC_KEY,
    OTHER_PUBLIC_KEY,
  ],
  rareSecrets: [
    Buffer.alloc(23, 'key').toString('base64'),
    Buffer.alloc(65, 'key').toString('base64'),
    `whsec_whsec_${USUAL}`,
    `WHSEC_${USUAL}`,
    `whsk_${USUAL}`,
    `v2a,${PUBLIC_KEY}`,
    PUBLIC_KEY.replace('=', ''),
    `${PUBLIC_KEY.slice(0, -4)}A===`,
    USUAL.replace('=', ''),
    // A bit of the last digit that is not in use is 1.
    USUAL.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`),
    `${USUAL}\n`,
    USUAL.replaceAll(/[A-Z]/g, '-'),
    'a secret that is plain text',
    `${BYTES}whsec_${USUAL}`,
    BYTES,
    'whsec_',
    '',
    '\udc00',
  ],
  async verify(request, secrets, store, clock) {
    const secret = typeof secrets === 'string' ? passed(secrets) : secrets.map(passed)
    const result = await standard.verify(request, secret, store, clock)
    if (!result.ok) return result
    const { messageId: nonce, ...rest } = result
    return { ...rest, nonce }
  },
  sign({ timestamp, nonce, body }, { secret, signatures = [], separator }) {
    const hmacWith = (key: Uint8Array) =>
      createHmac('sha256', key).update(`${nonce}.${timestamp}.`).update(body, 'latin1').digest('base64')
    const privateKey = PRIVATE_KEYS[secret]
    const message = Buffer.concat([Buffer.from(`${nonce}.${timestamp}.`), Buffer.from(body, 'latin1')])
    const ed25519With = (der = '') =>
      sign(null, message, createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' }))
    const valid =
      privateKey === undefined ? `v1,${hmacWith(keyOf(secret))}` : `v1a,${ed25519With(privateKey).toString('base64')}`
    const wrong = `v1a,${Buffer.alloc(64, 1).toString('base64')}`
    const others = [`v1,${hmacWith(Buffer.from('other'))}`, wrong, 'v1a,c2ln', 'v1,c2ln', 'v2,', '', valid]
    const entries = [valid]
    for (const [other, isFirst] of signatures) entries.splice(isFirst ? 0 : 1, 0, others[other] ?? '')
    return entries.join(separator)
  },
}

export const SCHEMES = [OWN, STANDARD] as const
