import { expect, it } from 'vitest'
import type { Choice } from '../../src/diagnose/choice.js'
import { digestChoices } from '../../src/diagnose/digest.js'
import { BODY, NONCE, TIMESTAMP } from '../../src/diagnose/message.js'
import { Budget, search, type Ways } from '../../src/diagnose/search.js'
import { readingsOf } from '../../src/diagnose/signature.js'
import { signatureOf } from '../support/request.js'

const BYTES = Buffer.from('a body')

const choice = <T>(cost: number, value: T): Choice<T> =>
  cost === 0 ? { cost, value } : { cost, value, deviation: { code: 'message_layout', what: 'a mistake', fix: '' } }

/** The choices of a part, by their text: what each costs. */
const choices = (costs: Record<string, number>) => Object.entries(costs).map(([text, cost]) => choice(cost, text))

/** What a search finds where only the timestamp, the nonce and the key may have been others. */
function found(signature: string, timestamps: Choice<string>[], nonces: Choice<string>[], keys = { secret: 0 }) {
  const ways: Ways = {
    digests: digestChoices([32]).slice(0, 1),
    keys: choices(keys).map((one) => ({ ...one, value: Buffer.from(one.value) })),
    layouts: [choice(0, [TIMESTAMP, ':', NONCE, ':', BODY])],
    timestamps,
    nonces,
    styles: [],
    changes: [],
    endings: [choice(0, (body) => [body, ''] as const)],
  }
  const way = search(ways, BYTES, undefined, readingsOf(signature), new Budget(false, 0))?.way
  return way && [way.timestamp.value, way.nonce.value, String(way.key.value)]
}

it('ends when every way was tried', () => {
  expect(found('0'.repeat(64), choices({ 1: 0, 2: 3 }), choices({ a: 0, b: 4 }))).toBeUndefined()
})

it('takes one mistake for likelier than two that cost as much', () => {
  const signature = signatureOf('1:b', 'a', BYTES, 'secret')
  const timestamps = choices({ 0: 0, 1: 2, '1:b': 4 })
  expect(found(signature, timestamps, choices({ a: 0, 'b:a': 2 }))).toEqual(['1:b', 'a', 'secret'])
})

it('takes two usual mistakes for likelier than a rare and a most usual one', () => {
  const signature = signatureOf('2', ':b', BYTES, 'secret')
  const timestamps = choices({ 1: 0, '2:': 2, 2: 4 })
  expect(found(signature, timestamps, choices({ a: 0, ':b': 4, b: 6 }))).toEqual(['2', ':b', 'secret'])
})

it('finds three mistakes at once', () => {
  const keys = { secret: 0, other: 2 }
  const signature = signatureOf('2', 'b', BYTES, 'other')
  expect(found(signature, choices({ 1: 0, 2: 2 }), choices({ a: 0, b: 2 }), keys)).toEqual(['2', 'b', 'other'])
})

it('takes what a header was meant to hold for no mistake, though it costs something', () => {
  const meant = { cost: 1, value: '2' }
  const signature = signatureOf('2', 'b', BYTES, 'secret')
  expect(found(signature, [choice(0, '1'), meant], choices({ a: 0, b: 7 }))).toEqual(['2', 'b', 'secret'])
})
