import { afterEach, describe, expect, it, vi } from 'vitest'
import { DIMENSIONS } from '../../src/diagnose/dimensions.js'
import { diagnose } from '../../src/diagnose/index.js'
import { findLeaks } from '../leaks.js'
import { diagnoseBriefly } from './brief-search.js'
import { CAPTURED, type Captured, expectMistake, named, requestOf, textOf, UNEXPLAINED } from './captured.js'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Leaves only the hypotheses of these codes. captured-search.test.ts searches in all of them, which takes long. */
function leaveOnly(codes: readonly string[]) {
  for (const dimension of DIMENSIONS) {
    const { hypotheses } = dimension
    vi.spyOn(dimension, 'hypotheses').mockImplementation((facts) =>
      hypotheses(facts).filter(({ code }) => codes.includes(code)),
    )
  }
}

it('each new request names its source', () => {
  expect(CAPTURED.slice(297).filter(({ source }) => !source)).toEqual([])
})

it.each(named(CAPTURED))('the first finding names the mistake: %s', async (_, request) => {
  leaveOnly([...request.codes, ...(request.others ?? [])])
  expectMistake(request, await diagnose(requestOf(request), request.secret, { now: () => request.now }))
})

/** One request per value of X-Timestamp. */
const TIMESTAMPS = new Map(CAPTURED.map((request) => [new Headers(request.headers).get('x-timestamp'), request]))

it.each(named([...TIMESTAMPS.values()]))(
  'no clock is wrong if nobody knows when it arrived: %s',
  async (_, request) => {
    const { valid, findings } = await diagnoseBriefly(requestOf(request), request.secret, undefined, 0)
    const codes = findings.map(({ code }) => code)
    expect([valid, codes.filter((code) => /^clock_(?!unknown)/.test(code))]).toEqual([false, []])
    expect(codes.slice(0, -1)).not.toContain('clock_unknown')
  },
)

describe('no four characters of the secret are printed, plain, in hex or in base64', () => {
  it.each([
    ...['kQ7z+Xw93/Vb0', ' kQ7z+Xw93/Vb0', 'kQ7z\u200bXw93/Vb0', '"kQ7z+Xw93/Vb0"', '$kQ7z+Xw93/Vb0'],
    ...['<kQ7z+Xw93/Vb0>'],
  ])('if nothing explains the signature: %j', async (secret) => {
    const request = CAPTURED.find(({ name }) => name === UNEXPLAINED[0]) as Captured
    const { findings } = await diagnoseBriefly(requestOf(request), secret, { now: () => request.now })
    expect(findings.at(-1)).toMatchObject({ code: 'signature_mismatch' })
    expect(findLeaks(JSON.stringify(findings), secret, textOf(request))).toEqual([])
  })

  it.each([
    ['kQ7z', 'The secret begins with kQ7z.'],
    ['6b51', 'SHA-256: 6b5137'],
    ['UTd6', 'UTd6K1h3'],
  ])('the search for leaks finds %s', (piece, text) => {
    expect(findLeaks(text, 'kQ7z+Xw93/Vb0', '')).toContain(piece)
    expect(findLeaks(text, 'kQ7z+Xw93/Vb0', text)).toEqual([])
  })
})
