import { describe, expect, it } from 'vitest'
import type { HeaderValues } from '../../../src/rules/formats.js'
import { NONCE, NOW, TIMESTAMP } from '../../../test/support/request.js'
import type { Header } from '../../src/capture/headers.js'
import { findHeaders, meaningsOf, unswapHeaders, withoutGuessedNonce } from '../../src/diagnose/misnamed-headers.js'

const SIGNATURE = 'ab'.repeat(32)
const GIVEN = { timestamp: undefined, nonce: undefined, signature: undefined }
const meanings = (given: HeaderValues, headers: readonly Header[] = []) => meaningsOf(findHeaders(given, headers))
const meantOf = (headers: readonly Header[]) => meanings(GIVEN, headers)[0]

describe('another name', () => {
  const NAMES = {
    timestamp:
      'x-timestamp timestamp http_x_timestamp http-timestamp http_x_date http-ts x-time-stamp webhook-timestmp ' +
      'timesatmp x-timetamp x-timestamp-seconds request-time sent-at x-signed-at ts x_ts x-time date',
    nonce:
      'nonce x-nounce x-noce x-request-id webhookid message-uuid idempotency-key svix-id correlation_id ' +
      'x-event-id x-github-delivery-id acme-message-id',
    signature:
      'signature x-singature x-signatur x-sigatue x-hub-signature-256 x-body-hmac sig x-sign x-signed digest ' +
      'body-sig body-sign',
  }
  it.each(Object.entries(NAMES))('is found for the %s', (field, names) => {
    for (const name of names.split(' '))
      expect(meantOf([[name, 'the value']]), name).toEqual({ ...GIVEN, [field]: 'the value' })
  })

  it('with SHA-256 wins, whatever the order of the headers', () => {
    const other: Header = ['x-hub-signature', 'SHA-1']
    expect(meantOf([other, ['x-hub-signature-256', 'SHA-256']]).signature).toBe('SHA-256')
  })

  it('that is most like the right one wins', () => {
    const values = (names: string) => meantOf(names.split(' ').map((name): Header => [name, name]))
    expect(values('x-my-timestamp http_x_timestamp').timestamp).toBe('http_x_timestamp')
    expect(values('x-request-id x-my-nonce').nonce).toBe('x-my-nonce')
    expect(values('x-nonce-timestamp x-signature-timestamp').timestamp).toBeUndefined()
  })

  it('is none of the three', () => {
    const others =
      'x-ts-offset x-http-ts https-ts update x-date-of-birth time-zone id x-id request-identity x-my-request-id ' +
      'my-event-id-2 x-design sigma x-digest-algorithm x-sig-version user-agent'
    for (const name of [...others.split(' '), `${'x'.repeat(120)}-timestamp`])
      expect(meantOf([[name, 'the value']]), name).toEqual(GIVEN)
  })
})

it.each([
  [`Bearer ${SIGNATURE}`, true],
  [`HMAC-SHA256=${SIGNATURE.toUpperCase()}`, true],
  [SIGNATURE, true],
  [`Bearer ${SIGNATURE}0`, false],
  ['Bearer token', false],
])('Authorization: %s may be the signature: %s', (value, expected) => {
  expect(meantOf([['authorization', value]])).toEqual({ ...GIVEN, signature: expected ? value : undefined })
  expect(meantOf([['proxy-authorization', value]])).toEqual(GIVEN)
})

it.each([
  ['t=1700000000,v1=ab', '1700000000'],
  ['v1=ab, t=1700000000', '1700000000'],
  ['v1=ab;t=1700000000;v0=cd', '1700000000'],
  ['t=17000x,v1=ab', undefined],
])('the time inside the signature %j is %j', (signature, timestamp) => {
  expect(meantOf([['x-signature', signature]]).timestamp).toBe(timestamp)
})

it('the meanings of a repeated header are the first values with the whole signature, all first values, and all last ones', () => {
  const given = { timestamp: '1, 2, 3', nonce: 'a, b', signature: 'cc, dd' }
  expect(meanings(given)).toEqual([
    { timestamp: '1', nonce: 'a', signature: 'cc, dd' },
    { timestamp: '1', nonce: 'a', signature: 'cc' },
    { timestamp: '3', nonce: 'b', signature: 'dd' },
  ])
})

describe('swapped headers', () => {
  it('are possible meanings if the values can be a timestamp and a nonce', () => {
    expect(meanings({ timestamp: NONCE, nonce: TIMESTAMP, signature: 's' }).slice(1)).toEqual([
      { timestamp: TIMESTAMP, nonce: NONCE, signature: 's', isSwapped: true },
    ])
    expect(meanings({ timestamp: NONCE, nonce: SIGNATURE, signature: 's' })).toHaveLength(1)
  })

  it.each([
    ['a nonce that is a time near to now', NONCE, TIMESTAMP, true],
    ['a nonce that is a time long ago', NONCE, '1000000000', false],
    ['a timestamp that is a time', TIMESTAMP, TIMESTAMP, false],
  ])('are swapped back: %s', (_, timestamp, nonce, expected) => {
    const meant = { timestamp, nonce, signature: SIGNATURE }
    const swapped = { timestamp: nonce, nonce: timestamp, signature: SIGNATURE, isSwapped: true }
    expect(unswapHeaders(meant, NOW)).toEqual(expected ? swapped : meant)
  })

  it('are not swapped if the nonce is only a guess', () => {
    const received = findHeaders({ ...GIVEN, timestamp: NONCE, signature: SIGNATURE }, [['x-request-id', TIMESTAMP]])
    const swapped = unswapHeaders(meaningsOf(received)[0], NOW)
    expect(swapped).toMatchObject({ isSwapped: true })
    expect(withoutGuessedNonce(swapped, received)).toEqual({ ...GIVEN, timestamp: NONCE, signature: SIGNATURE })
  })
})
