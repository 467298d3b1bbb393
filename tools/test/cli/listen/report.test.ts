import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Counts, type Report, reportText } from '../../../src/cli/listen/report.js'
import { styleOf } from '../../../src/cli/output/terminal.js'

const report: Report = { time: 0, method: 'POST', path: '/', status: 204, ok: true, detail: '', findings: [] }

it.each(['method', 'path', 'detail', 'savedAs'])('shows no control character of a terminal: %s', (name) => {
  const text = reportText({ ...report, [name]: 'before\x1b[2Jafter' }, styleOf(new PassThrough()))
  expect(text).toContain('after')
  expect(text).not.toContain('\x1b')
})

it('counts the requests with each reason', () => {
  const counts = new Counts()
  counts.add(report)
  counts.add(report)
  counts.add({ ...report, ok: false, reason: 'replayed_nonce' })
  expect(counts.document).toEqual({ accepted: 2, replayed_nonce: 1 })
  expect(counts.text).toBe('3 requests: 2 accepted, 1 replayed_nonce.')
})
