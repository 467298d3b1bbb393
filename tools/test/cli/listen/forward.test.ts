import { describe, expect, it } from 'vitest'
import { answerHeaders, findDifferences } from '../../../src/cli/listen/forward.js'

describe('the headers of an answer', () => {
  it.each([
    'Connection',
    'keep-alive',
    'Transfer-Encoding',
    'content-length',
    'Upgrade',
    'trailer',
    'Proxy-Authenticate',
  ])('are passed on without %s, which belongs to one connection', (name) => {
    const rawHeaders = ['X-A', '1', name, 'value', 'x-a', '2', 'X-Trailer', '3']
    expect(answerHeaders({ ...ANSWER, rawHeaders })).toEqual(['X-A', '1', 'x-a', '2', 'X-Trailer', '3'])
  })
})

describe('the clock of an endpoint that refuses a genuine request', () => {
  it.each([
    [300, 'Not its clock: the Date of its answer is 300 s ahead of this machine.'],
    [301, 'Its clock is 301 s ahead of this machine, as the Date of its answer shows.'],
    [-300, 'Not its clock: the Date of its answer is 300 s behind this machine.'],
    [-301, 'Its clock is 301 s behind this machine, as the Date of its answer shows.'],
  ])('is named if it is outside of the window: %d s', (drift, text) => {
    const answeredAt = Date.UTC(2023, 10, 14, 22, 13, 20)
    const headers = { date: new Date(answeredAt + drift * 1000).toUTCString() }
    const verdict = { reason: undefined, body: new Uint8Array(), keyLength: 10, answeredAt }
    expect(findDifferences(verdict, { ...ANSWER, headers })).toContain(text)
  })
})

const ANSWER = { status: 401, statusText: '', headers: {}, body: '', rawHeaders: [], bytes: new Uint8Array() }
