import type { NonceStore } from '../stores/nonce-store.js'
import { expect, HASH, type Reservation, reserve, unique } from './calls.js'

/** Two different texts, what is special about them, and the fault of a store that treats them as equal. */
type Pair = readonly [one: string, other: string, special: string, fault: string]

// `$` and `#` stand for two numbers of 14 digits, which are new in each pair. If a fault confuses the texts of several rows, the
// first of these rows names it.

const KEYS: readonly Pair[] = [
  ['$k', '#k', 'ordinary keys', 'Keys are ignored'],
  [`a${'n'.repeat(113)}$`, `b${'n'.repeat(113)}$`, 'keys of 128 characters', 'Keys are truncated at the start'],
  ['$', '0$', 'keys that are numbers', 'Keys are compared as numbers'],
  [`$${'n'.repeat(113)}a`, `$${'n'.repeat(113)}b`, 'keys of 128 characters', 'Keys are truncated'],
  ['$', '$k', 'a key that is the start of another', 'Keys are matched by their start'],
  ['$', '$.0', 'keys that are numbers', 'Keys are compared as numbers'],
  ['$0', '$e1', 'keys that are numbers', 'Keys are compared as numbers'],
  ['$ a', '$ b', 'keys with a space', 'Keys are truncated at a space'],
  ['{$}a', '{$}b', 'keys with braces', 'Keys are reduced to their hash tag'],
  ['$:a', '$:b', 'keys with a colon', 'Keys are truncated at a colon'],
  ['$a-b', '$ab', 'keys with punctuation', 'Keys are stripped of some characters'],
  ['$a.b', '$a:b', 'keys with punctuation', 'Keys have their punctuation replaced'],
  ['$Nonce', '$nonce', 'keys with capital letters', 'Keys are case-folded'],
  ['$', '$ ', 'keys with a space at the end', 'Keys are trimmed at the end'],
  ['$', ' $', 'keys with a space at the start', 'Keys are trimmed at the start'],
  ['$%41', '$A', 'keys with a percent sign', 'Keys are percent-decoded'],
  ['$a+b', '$a b', 'keys with a plus sign', 'Keys are form-decoded'],
  ['$aXb', '$a_b', 'keys with an underscore', 'Keys are matched as patterns'],
  ['$aXb', '$a%b', 'keys with a percent sign', 'Keys are matched as patterns'],
  ['$aXb', '$a*b', 'keys with an asterisk', 'Keys are matched as patterns'],
  ["$a'b", "$a''b", 'keys with a quote', 'Keys are inserted into the text of a statement, not passed as parameters'],
  ['$a\\b', '$a\\\\b', 'keys with a backslash', 'Keys are unescaped, not passed as parameters'],
  ['$Aa', '$BB', 'ordinary keys', 'Keys are compared by a weak hash'],
]

const WEBHOOKS: readonly Pair[] = [
  ['$w', '#w', 'ordinary webhooks', 'Keys are shared by all webhooks'],
  [
    `a${'h'.repeat(3000)}$`,
    `b${'h'.repeat(3000)}$`,
    'webhooks of 3 000 characters',
    'Webhooks are truncated at the start',
  ],
  ['$', '0$', 'webhooks that are numbers', 'Webhooks are compared as numbers'],
  [`$${'h'.repeat(3000)}a`, `$${'h'.repeat(3000)}b`, 'webhooks of 3 000 characters', 'Webhooks are truncated'],
  ['$', '$w', 'a webhook that is the start of another', 'Webhooks are matched by their start'],
  ['$Hook', '$hook', 'webhooks with capital letters', 'Webhooks are case-folded'],
  ['$', '$ ', 'webhooks with a space at the end', 'Webhooks are trimmed at the end'],
  ['$', ' $', 'webhooks with a space at the start', 'Webhooks are trimmed at the start'],
  ['$e', '$\u00e9', 'webhooks with accents', 'Webhooks are stripped of accents'],
  ['$caf\u00e9', '$cafe\u0301', 'webhooks with accents', 'Webhooks are normalised'],
  ['$\0a', '$\0b', 'webhooks with a NUL', 'Webhooks are truncated at a NUL'],
  ['$a', '$\0a', 'webhooks with a NUL', 'Webhooks are stripped of control characters'],
  ['$\u0161', '$\u0142', 'webhooks with letters beyond Latin-1', 'Webhooks are encoded with loss'],
  [
    '$\u{1f98a}',
    '$\u{1f43a}',
    'webhooks with an emoji',
    'Webhooks are stripped of characters outside the Basic Multilingual Plane',
  ],
  ['__proto__', 'constructor', 'webhooks such as __proto__', 'Webhooks are property names of an object'],
]

/** The separators with which a store may join webhook and key. */
const SEPARATORS = ['', ':', '/', '|', '.', '-', '_', ' ', ',', '#', '::']

type Check = (store: NonceStore) => Promise<void>

/** Returns two checks per pair, one per order, because a text that acts as a pattern matches only in one order. */
function checksOf(pairs: readonly Pair[], reservationOf: (text: string, digits: string) => Reservation): Check[] {
  return pairs.flatMap(([first, second, special, fault]) =>
    [
      [first, second],
      [second, first],
    ].map((texts) => (store: NonceStore) => {
      const [same, digits, others] = [unique(), unique(), unique()]
      const [one, other] = texts.map((text) =>
        reservationOf(text.replaceAll('$', digits).replaceAll('#', others), same),
      ) as [Reservation, Reservation]
      return expectApart(store, one, other, special, fault)
    }),
  )
}

async function expectApart(
  store: NonceStore,
  one: Reservation,
  other: Reservation,
  special: string,
  fault: string,
): Promise<void> {
  const tried = `${special}. ${HASH}`
  const shown = [one, other].map((pair) => JSON.stringify(pair).replace(/(?<=^.{30}).*(?=.{30}$)/, '…')).join(' and ')
  expect(await reserve(store, one, 600, tried), `reserve() returns false for ${special}, which are free. ${HASH}`)
  expect(await reserve(store, other, 600, tried), `${fault}. Tested with ${shown}. ${HASH}`)
  for (const reservation of [one, other]) {
    expect(!(await reserve(store, reservation)), `reserve() returns true twice for ${special}. ${HASH}`)
  }
}

/** Checks that keys of one webhook are kept apart. */
export const KEY_CHECKS: readonly Check[] = checksOf(KEYS, (key, webhookId) => [webhookId, key])

/** Checks that webhooks with the same key are kept apart. */
export const WEBHOOK_CHECKS: readonly Check[] = [
  ...checksOf(WEBHOOKS, (webhookId, key) => [webhookId, key]),
  ...SEPARATORS.map((separator) => (store: NonceStore) => {
    const [webhookId, key] = [unique(), unique()]
    return expectApart(
      store,
      [webhookId, `b${separator}${key}`],
      [`${webhookId}${separator}b`, key],
      `keys such as "b${separator}1"`,
      'Webhook and key run together',
    )
  }),
]
