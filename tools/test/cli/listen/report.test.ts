import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { reportText } from '../../../src/cli/listen/report.js'
import { styleOf } from '../../../src/cli/output/terminal.js'
import { REPORT } from './examples.js'

it.each(['method', 'path', 'detail', 'savedAs'])('shows no control character of a terminal: %s', (name) => {
  const text = reportText({ ...REPORT, [name]: 'before\x1b[2Jafter' }, styleOf(new PassThrough()))
  expect(text).toContain('after')
  expect(text).not.toContain('\x1b')
})
