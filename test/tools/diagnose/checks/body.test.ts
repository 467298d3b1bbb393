import { expect, it } from 'vitest'
import { announcedLength } from '../../../../src/tools/diagnose/checks/body.js'

it.each([
  ['7', 7],
  [' 7 ', 7],
  ['7x', undefined],
  ['x7', undefined],
  ['1'.repeat(16), undefined],
])('Content-Length %j announces %j bytes', (length, announced) => {
  expect(announcedLength([['content-length', length]])).toBe(announced)
})
