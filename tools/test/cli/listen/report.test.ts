import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { reportJson, reportText } from '../../../src/cli/listen/report.js'
import { styleOf } from '../../../src/cli/output/terminal.js'
import { REPORT } from './examples.js'

it.each(['method', 'path', 'detail', 'savedAs'])('shows no raw byte of a request: %s', (name) => {
  const report = { ...REPORT, [name]: 'before\x1b[2J\x07\x9b\u202e\u2028\0after' }
  for (const text of [reportText(report, styleOf(new PassThrough())), reportJson(report)]) {
    expect(text).toContain('after')
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
})
