import type { NonceStore } from '../../../src/stores/nonce-store.js'
import { expect, HASH, type Reservation, reserve, unique } from './calls.js'

/** Two different strings, and the fault of a store that treats them as equal. */
type Pair = readonly [one: string, other: string, fault: string]

// `$` and `#` stand for two random numbers of 14 digits. If a store confuses the strings of several rows, the error names the fault of the
// first of these rows.

const KEYS: readonly Pair[] = [
  ['$k', '#k', 'Keys are ignored'],
  [`a${'n'.repeat(113)}$`, `b${'n'.repeat(113)}$`, 'Keys are truncated at the start'],
  ['$', '0$', 'Keys are compared as numbers'],
  [`$${'n'.repeat(113)}a`, `$${'n'.repeat(113)}b`, 'Keys are truncated'],
  ['$', '$k', 'A key is equal to each longer key with the same start'],
  ['$', '$.0', 'Keys are compared as numbers'],
  ['$0', '$e1', 'Keys are compared as numbers'],
  ['$ a', '$ b', 'Keys are truncated at a space'],
  ['{$}a', '{$}b', 'Only the text in braces is used as the key'],
  ['$:a', '$:b', 'Keys are truncated at a colon'],
  ['$a-b', '$ab', 'Some characters are removed from keys'],
  ['$a.b', '$a:b', 'The punctuation in keys is replaced'],
  ['$Nonce', '$nonce', 'Upper and lower case are equal in keys'],
  ['$', '$ ', 'Keys are trimmed at the end'],
  ['$', ' $', 'Keys are trimmed at the start'],
  ['$%41', '$A', 'Keys are percent-decoded'],
  ['$a+b', '$a b', 'Keys are form-decoded'],
  ['$aXb', '$a_b', 'Keys are matched as patterns'],
  ['$aXb', '$a%b', 'Keys are matched as patterns'],
  ['$aXb', '$a*b', 'Keys are matched as patterns'],
  ["$a'b", "$a''b", 'Keys are inserted into the text of a statement. Pass them as parameters'],
  ['$a\\b', '$a\\\\b', 'A backslash in a key is read as an escape. Pass keys as parameters'],
  ['$Aa', '$BB', 'Keys are compared by a weak hash'],
]

const WEBHOOKS: readonly Pair[] = [
  ['$w', '#w', 'Keys are shared by all webhooks'],
  [`a${'h'.repeat(3000)}$`, `b${'h'.repeat(3000)}$`, 'Webhook IDs are truncated at the start'],
  ['$', '0$', 'Webhook IDs are compared as numbers'],
  [`$${'h'.repeat(3000)}a`, `$${'h'.repeat(3000)}b`, 'Webhook IDs are truncated'],
  ['$', '$w', 'A webhook ID is equal to each longer ID with the same start'],
  ['$Hook', '$hook', 'Upper and lower case are equal in webhook IDs'],
  ['$', '$ ', 'Webhook IDs are trimmed at the end'],
  ['$', ' $', 'Webhook IDs are trimmed at the start'],
  ['$e', '$\u00e9', 'Accents are removed from webhook IDs'],
  ['$caf\u00e9', '$cafe\u0301', 'Webhook IDs are normalised'],
  ['$\0a', '$\0b', 'Webhook IDs are truncated at a NUL'],
  ['$a', '$\0a', 'Control characters are removed from webhook IDs'],
  ['$\u0161', '$\u0142', 'Letters of webhook IDs are lost, because the encoding does not have them'],
  ['$\u{1f98a}', '$\u{1f43a}', 'Characters such as an emoji are removed from webhook IDs'],
  ['__proto__', 'constructor', 'Webhook IDs are used as property names of an object'],
]

/** Separators that a store could use to join `webhookId` and `key`. */
const SEPARATORS = ['', ':', '/', '|', '.', '-', '_', ' ', ',', '#', '::']

type Check = (store: NonceStore) => Promise<void>

/** Returns two checks per pair, one for each order, because a pattern may show the fault only in one order. */
function checksOf(pairs: readonly Pair[], reservationOf: (text: string, digits: string) => Reservation): Check[] {
  return pairs.flatMap(([first, second, fault]) =>
    [
      [first, second],
      [second, first],
    ].map((texts) => (store: NonceStore) => {
      const [same, digits, others] = [unique(), unique(), unique()]
      const [one, other] = texts.map((text) =>
        reservationOf(text.replaceAll('$', digits).replaceAll('#', others), same),
      ) as [Reservation, Reservation]
      return expectApart(store, one, other, fault)
    }),
  )
}

async function expectApart(store: NonceStore, one: Reservation, other: Reservation, fault: string): Promise<void> {
  const shown = [one, other].map((pair) => JSON.stringify(pair).replace(/(?<=^.{30}).*(?=.{30}$)/, '…')).join(' and ')
  const tried = `${shown}. ${HASH}`
  expect(await reserve(store, one, 600, tried), `reserve() returns false for a free key of ${tried}`)
  expect(await reserve(store, other, 600, tried), `${fault}. Tested with ${tried}`)
  for (const reservation of [one, other]) {
    expect(!(await reserve(store, reservation)), `reserve() returns true twice for a key of ${tried}`)
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
      'Different pairs of webhookId and key become the same text',
    )
  }),
]
