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

it('the names that arrived are listed, those that the sender has probably set first', () => {
  const names = 'host date x-real-ip x-forwarded-for x-any a-sig a-hmac a-time a-nonce a-hook a-auth'.split(' ')
  const headers: Header[] = [[':method', 'POST'], [':path', '/'], ...names.map((name): Header => [name, '1'])]
  const own = '<x-any> <a-sig> <a-hmac> <a-time> <a-nonce> <a-hook> <a-auth>'
  const list = ['Headers', `${own} <host> <date> <x-real-ip> <x-forwarded-for>`]
  expect(draftsFor(headers)[0]?.evidence).toEqual([list])
  const dropped = expect.stringMatching(/^The request passed a proxy\. nginx drops headers with underscores /)
  expect(draftsFor([['via', 'a']])[0]?.evidence).toEqual([['Headers', '<via>'], dropped])
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
