import type { NonceStore } from '../../../src/stores/nonce-store.js'
import { expect, HASH, type Reservation, reserve, unique } from './calls.js'

/** Two different strings, a description of both, and the fault of a store that treats them as equal. */
type Pair = readonly [one: string, other: string, special: string, fault: string]

// `$` and `#` stand for two random numbers of 14 digits. If a store confuses the strings of several rows, the error names the fault of the
// first of these rows.

const KEYS: readonly Pair[] = [
  ['$k', '#k', 'ordinary keys', 'Keys are ignored'],
  [`a${'n'.repeat(113)}$`, `b${'n'.repeat(113)}$`, 'keys of 128 characters', 'Keys are truncated at the start'],
  ['$', '0$', 'keys that are numbers', 'Keys are compared as numbers'],
  [`$${'n'.repeat(113)}a`, `$${'n'.repeat(113)}b`, 'keys of 128 characters', 'Keys are truncated'],
  ['$', '$k', 'a key that is the start of another key', 'A key is equal to each longer key with the same start'],
  ['$', '$.0', 'keys that are numbers', 'Keys are compared as numbers'],
  ['$0', '$e1', 'keys that are numbers', 'Keys are compared as numbers'],
  ['$ a', '$ b', 'keys with a space', 'Keys are truncated at a space'],
  ['{$}a', '{$}b', 'keys with braces', 'Only the text in braces is used as the key'],
  ['$:a', '$:b', 'keys with a colon', 'Keys are truncated at a colon'],
  ['$a-b', '$ab', 'keys with punctuation', 'Some characters are removed from keys'],
  ['$a.b', '$a:b', 'keys with punctuation', 'The punctuation in keys is replaced'],
  ['$Nonce', '$nonce', 'keys with capital letters', 'Upper and lower case are equal in keys'],
  ['$', '$ ', 'keys with a space at the end', 'Keys are trimmed at the end'],
  ['$', ' $', 'keys with a space at the start', 'Keys are trimmed at the start'],
  ['$%41', '$A', 'keys with a percent sign', 'Keys are percent-decoded'],
  ['$a+b', '$a b', 'keys with a plus sign', 'Keys are form-decoded'],
  ['$aXb', '$a_b', 'keys with an underscore', 'Keys are matched as patterns'],
  ['$aXb', '$a%b', 'keys with a percent sign', 'Keys are matched as patterns'],
  ['$aXb', '$a*b', 'keys with an asterisk', 'Keys are matched as patterns'],
  ["$a'b", "$a''b", 'keys with a quote', 'Keys are inserted into the text of a statement. Pass them as parameters'],
  ['$a\\b', '$a\\\\b', 'keys with a backslash', 'A backslash in a key is read as an escape. Pass keys as parameters'],
  ['$Aa', '$BB', 'ordinary keys', 'Keys are compared by a weak hash'],
]

const WEBHOOKS: readonly Pair[] = [
  ['$w', '#w', 'ordinary webhook IDs', 'Keys are shared by all webhooks'],
  [
    `a${'h'.repeat(3000)}$`,
    `b${'h'.repeat(3000)}$`,
    'webhook IDs of 3 000 characters',
    'Webhook IDs are truncated at the start',
  ],
  ['$', '0$', 'webhook IDs that are numbers', 'Webhook IDs are compared as numbers'],
  [`$${'h'.repeat(3000)}a`, `$${'h'.repeat(3000)}b`, 'webhook IDs of 3 000 characters', 'Webhook IDs are truncated'],
  [
    '$',
    '$w',
    'a webhook ID that is the start of another ID',
    'A webhook ID is equal to each longer ID with the same start',
  ],
  ['$Hook', '$hook', 'webhook IDs with capital letters', 'Upper and lower case are equal in webhook IDs'],
  ['$', '$ ', 'webhook IDs with a space at the end', 'Webhook IDs are trimmed at the end'],
  ['$', ' $', 'webhook IDs with a space at the start', 'Webhook IDs are trimmed at the start'],
  ['$e', '$\u00e9', 'webhook IDs with accents', 'Accents are removed from webhook IDs'],
  ['$caf\u00e9', '$cafe\u0301', 'webhook IDs with accents', 'Webhook IDs are normalised'],
  ['$\0a', '$\0b', 'webhook IDs with a NUL', 'Webhook IDs are truncated at a NUL'],
  ['$a', '$\0a', 'webhook IDs with a NUL', 'Control characters are removed from webhook IDs'],
  [
    '$\u0161',
    '$\u0142',
    'webhook IDs with letters beyond Latin-1',
    'Letters of webhook IDs are lost, because the encoding does not have them',
  ],
  ['$\u{1f98a}', '$\u{1f43a}', 'webhook IDs with an emoji', 'Characters such as an emoji are removed from webhook IDs'],
  ['__proto__', 'constructor', 'webhook IDs such as __proto__', 'Webhook IDs are used as property names of an object'],
]

/** Separators that a store could use to join `webhookId` and `key`. */
const SEPARATORS = ['', ':', '/', '|', '.', '-', '_', ' ', ',', '#', '::']

type Check = (store: NonceStore) => Promise<void>

/** Returns two checks per pair, one for each order, because a pattern may show the fault only in one order. */
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

/** These checks reserve two similar keys of one webhook. */
export const KEY_CHECKS: readonly Check[] = checksOf(KEYS, (key, webhookId) => [webhookId, key])

/** These checks reserve the same key on two webhooks with similar IDs. */
export const WEBHOOK_CHECKS: readonly Check[] = [
  ...checksOf(WEBHOOKS, (webhookId, key) => [webhookId, key]),
  ...SEPARATORS.map((separator) => (store: NonceStore) => {
    const [webhookId, key] = [unique(), unique()]
    return expectApart(
      store,
      [webhookId, `b${separator}${key}`],
      [`${webhookId}${separator}b`, key],
      `keys such as "b${separator}1"`,
      'Different pairs of webhookId and key become the same text',
    )
  }),
]
