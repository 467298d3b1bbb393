import { expect, it } from 'vitest'
import { type Header, valuesOf } from '../../../src/capture/headers.js'
import { checkHeaders } from '../../../src/diagnose/checks/headers.js'
import { findHeaders, type IntendedHeaders, meaningsOf } from '../../../src/diagnose/misnamed-headers.js'

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
