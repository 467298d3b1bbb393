import { expect, it } from 'vitest'
import { Counts, type Report } from '../../../src/cli/listen/report.js'

it('counts the requests with each reason', () => {
  const counts = new Counts()
  const report: Report = { time: 0, method: 'POST', path: '/', status: 204, ok: true, detail: '', findings: [] }
  counts.add(report)
  counts.add(report)
  counts.add({ ...report, ok: false, reason: 'replayed_nonce' })
  expect(counts.document).toEqual({ accepted: 2, replayed_nonce: 1 })
  expect(counts.text).toBe('3 requests: 2 accepted, 1 replayed_nonce.')
})
