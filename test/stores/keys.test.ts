import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { engineTtlMilliseconds, scopedKey, scopedKeyHash, sharedTag, ttlMilliseconds } from '../../src/stores/keys.js'

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

it('joins a webhook and a key into one text that begins with the length of the webhook', () => {
  expect(scopedKey('42', 'abc')).toBe('2:42abc')
  expect(scopedKey('a', 'b:c')).toBe('1:ab:c')
  expect(scopedKey('a:b', 'c')).toBe('3:a:bc')
  expect(scopedKeyHash('42', 'abc')).toBe(sha256('2:42abc'))
})

it.each(['abc', 'abc:', 'abc:d', 'abc:d:e:f', 'abc:\nd'])('every split of a message has the same tag: %j', (key) => {
  expect(sharedTag('42', key)).toBe(sha256('2:42abc').slice(0, 8))
})

it.each([
  [600, 600_000],
  [0.25, 250],
  [0.0001, 1],
  [1.0001, 1001],
])('converts a TTL of %d s to %d ms, and to one more for an engine', (ttlSeconds, milliseconds) => {
  expect(ttlMilliseconds(ttlSeconds)).toBe(milliseconds)
  expect(engineTtlMilliseconds(ttlSeconds)).toBe(milliseconds + 1)
})
