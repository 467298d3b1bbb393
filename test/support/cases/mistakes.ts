import type { SignOptions } from '../../../src/index.js'
import { NOW, RecordingStore, SECRET, signedRequest, TIMESTAMP } from '../request.js'
import { transferred, transferredBytes } from './bodies.js'

// Mistakes of a caller, and the errors. Each call gets new arguments, because some can be used only once.

export type Mistake = readonly [name: string, args: () => unknown[], message: RegExp]

const request = signedRequest()
const store = new RecordingStore()
const SECONDS = Number(TIMESTAMP)

export const VERIFY_MISTAKES: readonly Mistake[] = [
  ['no request', () => [undefined, SECRET, store], /^request is undefined\b/],
  ['a null request', () => [null, SECRET, store], /request is null/],
  ['no webhookId', () => [{ ...request, webhookId: undefined }, SECRET, store], /^request\.webhookId is undefined\b/],
  ['an empty webhookId', () => [{ ...request, webhookId: '' }, SECRET, store], /webhookId is an empty string/],
  ['a numeric webhookId', () => [{ ...request, webhookId: 42 }, SECRET, store], /webhookId is a number\b/],
  [
    'an ill-formed webhookId',
    () => [{ ...request, webhookId: 'a\ud800' }, SECRET, store],
    /webhookId contains a lone surrogate/,
  ],
  ['no secret', () => [request, undefined, store], /^secret is undefined\b/],
  ['a null secret', () => [request, null, store], /^secret is null\b/],
  [
    'a store as secret',
    () => [request, store, SECRET],
    /^secret is a nonce store\. Pass \(request, secret, nonceStore\)/,
  ],
  ['the text of a promise', () => [request, '[object Promise]', store], /^secret is the text '\[object Promise\]'\. /],
  ['the text undefined', () => [request, 'undefined', store], /^secret is the text 'undefined'\. Check that /],
  [
    'the text null in a list',
    () => [request, [SECRET, 'null'], store],
    /^secret\[1\] is the text 'null'\. Check that /,
  ],
  ['an empty secret', () => [request, '', store], /secret is an empty string/],
  ['bytes as secret', () => [request, Buffer.from(SECRET), store], /^secret is bytes\b/],
  ['a secret not awaited', () => [request, Promise.resolve(SECRET), store], /secret is a promise that was not awaited/],
  ['an ill-formed secret', () => [request, '\udc00', store], /secret contains a lone surrogate/],
  ['no secrets', () => [request, [], store], /^secret is an empty array\b/],
  ['an absent secret in a list', () => [request, [SECRET, undefined], store], /secret\[1\] is undefined/],
  // biome-ignore lint/suspicious/noSparseArray: map() and every() would skip the hole.
  ['a hole in a list', () => [request, [SECRET, , 'x'], store], /secret\[1\] is undefined/],
  ['an empty secret in a list', () => [request, [SECRET, ''], store], /secret\[1\] is an empty string/],
  ['a list in a list', () => [request, [[SECRET]], store], /secret\[0\] is an array/],
  ['a parsed body', () => [{ ...request, body: { a: 1 } }, SECRET, store], /body is an object\b/],
  [
    'a body transferred away',
    () => [{ ...request, body: transferred() }, SECRET, store],
    /body has no bytes, because its memory was transferred\b/,
  ],
  [
    'a body of bytes transferred away',
    () => [{ ...request, body: transferredBytes() }, SECRET, store],
    /body has no bytes, because its memory was transferred\b/,
  ],
  ['an ill-formed body', () => [{ ...request, body: '\ud800' }, SECRET, store], /body contains a lone surrogate/],
  ['no store', () => [request, SECRET], /^nonceStore is undefined\b/],
  ['a null store', () => [request, SECRET, null], /^nonceStore is null/],
  ['a Map as store', () => [request, SECRET, new Map()], /^nonceStore is an object/],
  [
    'a store not awaited',
    () => [request, SECRET, Promise.resolve(store)],
    /^nonceStore is a promise that was not awaited\b/,
  ],
  ['a clock without now', () => [request, SECRET, store, {}], /^clock has no now\(\)/],
  ['a null clock', () => [request, SECRET, store, null], /clock has no now/],
  ['a number as clock', () => [request, SECRET, store, NOW], /clock has no now/],
]

export const SIGN_MISTAKES: readonly Mistake[] = [
  ['a text timestamp', () => ['', SECRET, { timestamp: TIMESTAMP }], /^timestamp is a string\b/],
  ['a date', () => ['', SECRET, { timestamp: new Date(NOW) }], /timestamp is an object/],
  ['a null timestamp', () => ['', SECRET, { timestamp: null }], /timestamp is null/],
  ['a numeric nonce', () => ['', SECRET, { nonce: 42 }], /^nonce is a number\b/],
  ['a clock without now', () => ['', SECRET, { clock: {} }], /clock has no now/],
  [
    'a clock without a time',
    () => ['', SECRET, { clock: { now: () => Number.NaN } }],
    /clock\.now\(\) must return a finite/,
  ],
  ['a clock of big integers', () => ['', SECRET, { clock: { now: () => 5n } }], /clock\.now\(\) must return a finite/],
  ['null for options', () => ['', SECRET, null], /^options is null\b/],
  ['an unknown option', () => ['', SECRET, { now: SECONDS }], /^options\.now is unknown\b/],
  ['a clock for options', () => ['', SECRET, Date], /^options is a function\b/],
  ['no secret', () => ['', undefined], /^secret is undefined\b/],
  ['an empty secret', () => ['', ''], /secret is an empty string/],
  ['a list of secrets', () => ['', [SECRET]], /secret is an array/],
  ['an ill-formed secret', () => ['', '\ud800'], /secret contains a lone surrogate/],
  ['an object as body', () => [{ event: 'paid' }, SECRET], /^body is an object\b/],
  ['no body', () => [undefined, SECRET], /^body is undefined/],
  ['an ill-formed body', () => ['\ud800', SECRET], /^body contains a lone surrogate/],
]

/** Options that `sign` refuses with a `RangeError`, because `verify` would reject the request. */
export const SIGN_RANGES: readonly (readonly [name: string, options: SignOptions])[] = [
  ['a fraction of a second', { timestamp: SECONDS + 0.5 }],
  ['a negative timestamp', { timestamp: -1 }],
  ['NaN', { timestamp: Number.NaN }],
  ['infinity', { timestamp: Number.POSITIVE_INFINITY }],
  ['a timestamp that is not written in digits', { timestamp: 1e21 }],
  ['an empty nonce', { nonce: '' }],
  ['a nonce with a space', { nonce: 'a b' }],
  ['a nonce with a control character', { nonce: 'a\n' }],
  ['a nonce outside ASCII', { nonce: 'é' }],
  ['a nonce of 129 characters', { nonce: 'a'.repeat(129) }],
]
