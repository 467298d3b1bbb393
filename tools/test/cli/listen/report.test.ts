import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { countsText, reportJson, reportText } from '../../../src/cli/listen/report.js'
import { styleOf } from '../../../src/cli/output/terminal.js'
import { REPORT } from './examples.js'

it.each(['method', 'path', 'detail', 'savedAs'])('shows no raw byte of a request: %s', (name) => {
  const report = { ...REPORT, [name]: 'before\x1b[2J\x07\x9b\u202e\u2028\0after' }
  for (const text of [reportText(report, styleOf(new PassThrough())), reportJson(report)]) {
    expect(text).toContain('after')
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
})

const WIDE = Object.assign((_: unknown, text: string) => text, { width: 100 })

it('has one line for a request, and one for each thing to know about it', () => {
  expect(reportText(REPORT, WIDE)).toBe('22:13:20Z  POST /hooks/42  401  signature_mismatch: body of 16 bytes\n')
  const accepted = { ...REPORT, ok: true, status: 204, savedAs: 'a.http', forwarded: { status: 0 }, differences: ['b'] }
  expect(reportText(accepted, WIDE)).toBe(
    '22:13:20Z  POST /hooks/42  204  accepted: body of 16 bytes\n' +
      '   Response of the endpoint: none.\n   b\n   Saved as a.http\n',
  )
  expect(reportText({ ...REPORT, method: '', path: '' }, WIDE)).toMatch(/^22:13:20Z {2}a connection {2}401 /)
})

it.each([
  [[], 'No request arrived.'],
  [[['accepted', 1]], '1 request: 1 accepted.'],
  [
    [
      ['signature_mismatch', 2],
      ['accepted', 1],
    ],
    '3 requests: 2 signature_mismatch, 1 accepted.',
  ],
] as [[string, number][], string][])('the counts are by result: %j', (counts, text) => {
  expect(countsText(new Map(counts))).toBe(text)
})
