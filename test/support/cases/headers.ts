import type { HeadersInput } from '../../../src/index.js'
import { NONCE, signedRequest, TIMESTAMP } from '../request.js'

// The shapes of headers on any runtime. test/rules/headers.test.ts has those of Node only.

const valid = signedRequest().headers
const SIGNATURE = valid['x-signature']

export const MIXED = { 'X-Timestamp': TIMESTAMP, 'X-NONCE': NONCE, 'x-signature': SIGNATURE }
const LISTS = { 'X-Timestamp': [TIMESTAMP], 'X-NONCE': [NONCE], 'x-signature': [SIGNATURE] }

/** Names and values one after the other, as `rawHeaders` has them. */
export const FLAT = ['Host', 'localhost', 'X-Timestamp', TIMESTAMP, 'X-NONCE', NONCE, 'x-signature', SIGNATURE]

export type Shape = readonly [name: string, headers: () => HeadersInput]

export const FOUND: readonly Shape[] = [
  ['Fetch Headers', () => new Headers(MIXED)],
  ["a Request's headers", () => new Request('http://localhost', { headers: MIXED }).headers],
  ['an object with get()', () => ({ get: (name: string) => new Headers(MIXED).get(name) })],
  [
    'an object whose get() gives undefined for what is absent',
    () => ({ get: (name) => valid[name as keyof typeof valid] }),
  ],
  ['a record', () => MIXED],
  ['a record without a prototype', () => Object.assign(Object.create(null), MIXED)],
  ['a record of lists', () => LISTS],
  ['a record with a header named get', () => ({ ...MIXED, get: 'a value' })],
  ['a record with headers named headers, req and raw', () => ({ ...MIXED, headers: 'a', req: 'a', raw: 'a' })],
  ['a record with lists named headers, req and raw', () => ({ ...LISTS, headers: ['a'], req: ['a'], raw: ['a'] })],
  ['a record with an undefined twin', () => ({ ...MIXED, 'x-nonce': undefined, 'x-Nonce': [] })],
  ['a record with other values that are no strings', () => Object.assign({ 'content-length': 5, date: null }, MIXED)],
  ['a Map', () => new Map(Object.entries(MIXED))],
  ['a Map of lists', () => new Map(Object.entries(LISTS))],
  ['pairs', () => Object.entries(MIXED)],
  ['pairs of lists', () => Object.entries(LISTS)],
  ['an iterator that can be read once', () => new Headers(MIXED).entries()],
]

/** The nonce arrived twice. */
export const TWICE: readonly Shape[] = [
  ['Fetch Headers', () => new Headers([...Object.entries(MIXED), ['x-nonce', NONCE]])],
  ['a record with two cases', () => ({ ...MIXED, 'x-nonce': NONCE })],
  ['a record with a list', () => ({ ...MIXED, 'X-NONCE': [NONCE, NONCE] })],
  ['a record with an empty twin', () => ({ ...MIXED, 'x-nonce': '' })],
  ['a Map with two cases', () => new Map(Object.entries({ ...MIXED, 'x-nonce': NONCE }))],
  ['pairs', () => [...Object.entries(MIXED), ['x-nonce', NONCE]]],
]

const { 'X-NONCE': _, ...rest } = MIXED

/** The nonce did not arrive. */
export const ABSENT: readonly Shape[] = [
  ['a record with undefined', () => ({ ...rest, 'x-nonce': undefined })],
  ['a record with an empty list', () => ({ ...rest, 'x-nonce': [] })],
  ['a record that inherits it', () => Object.assign(Object.create({ 'x-nonce': NONCE }), rest)],
  ['Headers', () => new Headers(rest)],
  ['a Map', () => new Map(Object.entries(rest))],
  ['pairs', () => Object.entries(rest)],
  ['a record with a name that only looks alike', () => ({ ...rest, x_nonce: NONCE, 'x-nonce ': NONCE })],
]

/** Values that are not headers, and the error. */
export const NO_HEADERS: readonly (readonly [name: string, headers: () => unknown, message: RegExp])[] = [
  ['undefined', () => undefined, /headers is undefined\b/],
  ['null', () => null, /headers is null/],
  ['a string', () => 'X-Nonce: a', /headers is a string/],
  ['a function', () => () => MIXED, /headers is a function/],
  ["Node's flat rawHeaders", () => FLAT, /list, but not of pairs/],
  ['a flat list of two-letter names', () => ['ab', 'cd'], /list, but not of pairs/],
  ['pairs without a name', () => [[1, 'a']], /list, but not of pairs/],
  ['a promise', () => Promise.resolve(MIXED), /headers is a promise that was not awaited/],
  ['a context, as of Hono or Koa', () => ({ req: new Request('http://localhost') }), /whole request\b/],
  ["Hono's request", () => ({ raw: new Request('http://localhost') }), /whole request\b.* c\.req\.raw\.headers/],
  ["Lambda's event", () => ({ headers: MIXED, body: '{}' }), /whole request\b/],
  ['a Request', () => new Request('http://localhost', { headers: MIXED }), /whole request\b/],
  ['a number as value', () => ({ ...MIXED, 'X-Timestamp': 1_700_000_000 }), /x-timestamp is a number\b/],
  ['a number in a list', () => ({ ...MIXED, 'X-Timestamp': [1_700_000_000] }), /x-timestamp is a number/],
  ['an object as value', () => ({ ...MIXED, 'x-nonce': { value: NONCE } }), /x-nonce is an object/],
  ['a get() that gives a number', () => ({ get: () => 1 }), /x-timestamp is a number/],
]
