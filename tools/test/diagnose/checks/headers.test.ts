import { expect, it } from 'vitest'
import { type Header, valuesOf } from '../../../src/capture/headers.js'
import { checkHeaders } from '../../../src/diagnose/checks/headers.js'
import { findHeaders, type IntendedHeaders, meaningsOf } from '../../../src/diagnose/misnamed-headers.js'

const DIGEST = 'ab'.repeat(32)
const mask = (text: string) => `<${text}>`

/** Checks a request with these headers. `signed` are the values with which the signature is right. */
function draftsFor(headers: readonly Header[], signed?: IntendedHeaders) {
  const receivedValue = (name: string) => valuesOf(headers, name).join(', ') || undefined
  const values = {
    timestamp: receivedValue('x-timestamp'),
    nonce: receivedValue('x-nonce'),
    signature: receivedValue('x-signature'),
  }
  const received = findHeaders(values, headers)
  return checkHeaders(received, headers, meaningsOf(received)[0], signed, mask)
}

const ALL: readonly Header[] = [
  ['x-timestamp', '1700000000'],
  ['x-nonce', 'a-nonce'],
  ['x-signature', DIGEST],
]

it('nothing is wrong', () => {
  expect(draftsFor(ALL)).toEqual([])
})

it.each([
  [1, 'X-Timestamp and X-Nonce are missing.'],
  [2, 'X-Timestamp, X-Nonce and X-Signature are missing.'],
])('headers are missing: without %i and the first', (count, message) => {
  expect(draftsFor(ALL.slice(count + 1))).toMatchObject([{ code: 'header_missing', message, fix: 'send_headers' }])
})

it('the names that arrived are listed, those that the sender has probably set first', () => {
  const names = 'host date x-real-ip x-forwarded-for x-any a-sig a-hmac a-time a-nonce a-hook a-auth'.split(' ')
  const headers: Header[] = [[':method', 'POST'], [':path', '/'], ...names.map((name): Header => [name, '1'])]
  const own = '<x-any> <a-sig> <a-hmac> <a-time> <a-nonce> <a-hook> <a-auth>'
  const list = ['Headers', `${own} <host> <date> <x-real-ip> <x-forwarded-for>`]
  expect(draftsFor(headers)[0]?.evidence).toEqual([list])
  expect(draftsFor([['host', 'a']])[0]?.evidence).toEqual([['Headers', '<host>']])
  const dropped = expect.stringMatching(/^The request passed a proxy\. nginx drops headers with underscores /)
  expect(draftsFor([['via', 'a']])[0]?.evidence).toEqual([['Headers', '<via>'], dropped])
})

it('headers have other names', () => {
  const headers: Header[] = [['webhook-time-stamp', '1700000000'], ['hook-nonce', 'a'], ...ALL.slice(2)]
  expect(draftsFor(headers)).toEqual([
    {
      code: 'header_name',
      message:
        'X-Timestamp is missing, but there is "<webhook-time-stamp>"; X-Nonce is missing, but there is "<hook-nonce>".',
      fix: 'rename_headers',
      evidence: [['Headers', '<webhook-time-stamp> <hook-nonce> <x-signature>']],
    },
  ])
  expect(draftsFor([...ALL.slice(0, 2), ['a-signature', DIGEST], ['x-forwarded-for', 'a']])).toMatchObject([
    { code: 'header_name', evidence: [expect.anything()] },
  ])
})

it.each([
  [['b', 'c'], 'twice, with different values', '"<b, c>"', ['The signature is right with "<c>"']],
  [['c', 'c'], 'twice, with the same value', '"<c, c>"', []],
  [['b', 'c', 'b'], '3 times, with different values', '"<b, c, b>"', ['The signature is right with "<c>"']],
])('a header is repeated: %j', (values, how, shown, right) => {
  const headers: readonly Header[] = [
    ...ALL.filter(([name]) => name !== 'x-nonce'),
    ...values.map((one): Header => ['x-nonce', one]),
  ]
  const finding = { code: 'header_repeated', message: `X-Nonce arrived ${how}.`, fix: 'send_header_once' }
  const signed = { timestamp: '1700000000', nonce: 'c', signature: DIGEST }
  expect(draftsFor(headers, signed)).toEqual([{ ...finding, evidence: [['X-Nonce', shown], ...right] }])
  expect(draftsFor(headers)).toEqual([{ ...finding, evidence: [['X-Nonce', shown]] }])
})

it('timestamp and nonce have the values of each other', () => {
  const intended = { timestamp: '1700000000', nonce: 'a', signature: DIGEST, isSwapped: true as const }
  const received = findHeaders({ timestamp: 'a', nonce: '1700000000', signature: DIGEST }, [])
  const evidence = [
    ['X-Timestamp', '"<a>"'],
    ['X-Nonce', '"<1700000000>"'],
  ]
  const finding = {
    code: 'header_swapped',
    message: "X-Timestamp and X-Nonce have each other's values.",
    fix: 'unswap_headers',
  }
  const confirmed = 'Confirmed: with each value in its place, the signature is right.'
  expect(checkHeaders(received, [], intended, undefined, mask)).toEqual([{ ...finding, evidence }])
  expect(checkHeaders(received, [], intended, intended, mask)).toEqual([
    { ...finding, evidence: [...evidence, confirmed] },
  ])
  const { isSwapped: _, ...unswapped } = intended
  expect(checkHeaders(received, [], intended, unswapped, mask)).toEqual([{ ...finding, evidence }])
})
