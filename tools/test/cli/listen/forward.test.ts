import { describe, expect, it } from 'vitest'
import type { RejectionReason } from '../../../../src/index.js'
import { findDifferences, keepsPath, responseHeaders } from '../../../src/cli/listen/forward.js'

describe('the headers of a response', () => {
  it.each('Connection keep-alive Transfer-Encoding content-length Upgrade trailer Proxy-Authenticate'.split(' '))(
    'are passed on without %s, which belongs to one connection',
    (name) => {
      const rawHeaders = ['X-A', '1', name, 'value', 'x-a', '2', 'X-Trailer', '3']
      expect(responseHeaders({ ...ANSWER, rawHeaders })).toEqual(['X-A', '1', 'x-a', '2', 'X-Trailer', '3'])
    },
  )
})

it.each([
  ['http://localhost:3000', true],
  ['http://localhost:3000/hooks', false],
  ['http://localhost:3000/?key=a', false],
])('a request keeps its path for %s: %s', (endpoint, isKept) => {
  expect(keepsPath(new URL(endpoint))).toBe(isKept)
})

const AT = Date.UTC(2023, 10, 14, 22, 13, 20)
const ANSWER = { status: 401, statusText: '', headers: {}, body: '', rawHeaders: [], bytes: new Uint8Array() }

/** Returns the differences if `listen` decides so, and the endpoint answers so, in one text. */
function differences(
  answer: { status: number; drift?: number; location?: string },
  { reason, body = '{}' }: { reason?: RejectionReason; body?: string } = {},
): string {
  const { status, drift, location } = answer
  const headers = {
    ...(drift === undefined ? {} : { date: new Date(AT + drift * 1000).toUTCString() }),
    ...(location === undefined ? {} : { location }),
  }
  const verdict = { reason, body: Buffer.from(body), keyLength: 43, answeredAt: AT }
  return findDifferences(verdict, { ...ANSWER, status, statusText: 'no response (refused)', headers }).join('\n')
}

describe('if the endpoint refuses a valid request, the difference', () => {
  it('names what can differ', () => {
    const text = differences({ status: 401, drift: 0 })
    expect(text).toContain('Accepted here, but the endpoint responded 401.')
    expect(text).toContain('The clock of the endpoint is right: the Date of its response is that of this machine.')
    expect(text).toContain('The key that matched here has 43 bytes')
    // sha256sum of the two bytes.
    expect(text).toContain('2 bytes, 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a.')
    expect(text).toContain('the nonce is already stored.')
    expect(text.split('\n')).toHaveLength(5)
    expect(differences({ status: 401 })).toContain('its response has no Date')
  })

  it.each([
    [300, 'The clock of the endpoint is right: the Date of its response is 300 s ahead of this machine.'],
    [301, 'The clock of the endpoint is 301 s ahead of this machine, as the Date of its response shows.'],
    [-301, 'The clock of the endpoint is 301 s behind this machine, as the Date of its response shows.'],
  ])('names its clock if it is outside of the window: %d s', (drift, text) => {
    expect(differences({ status: 401, drift }).split('\n')).toContain(text)
  })
})

it.each<[RejectionReason, number, string]>([
  ['replayed_nonce', 0, 'The endpoint accepts replays'],
  ['signature_mismatch', 0, 'The endpoint has another secret, or ignores the result'],
  ['signature_mismatch', -3600, 'The endpoint has another secret, or ignores the result'],
  ['timestamp_outside_window', 0, 'The endpoint ignores the result of verify'],
  ['timestamp_outside_window', -3600, 'The clock of the endpoint is 3600 s behind'],
])('if the endpoint accepts what breaks %s, the difference says why', (reason, drift, why) => {
  expect(differences({ status: 200, drift }, { reason })).toContain(
    `Refused here (${reason}), but the endpoint responded 200. ${why}`,
  )
})

it.each([
  [{ status: 0 }, 'The endpoint gave no response (refused).'],
  [{ status: 404 }, 'before verify'],
  [{ status: 500 }, 'The handler of the endpoint failed'],
  [{ status: 503 }, 'did not decide'],
  [{ status: 301 }, 'The endpoint redirects. The redirect was not followed'],
  [{ status: 308, location: '/there' }, 'redirects to /there.'],
])('says what %j means', (answer, text) => {
  expect(differences(answer)).toContain(text)
})
