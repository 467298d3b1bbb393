import { expect, it } from 'vitest'
import { schemeOf } from '../../src/schemes.js'
import { checkRules } from '../../src/workbench/report.js'

it.each([
  ['x-nonce', 'The nonce is new on this webhook'],
  ['webhook-id', 'The attempt is new on this webhook'],
])('the last rule of a request with %s: %s', (header, name) => {
  const values = { timestamp: undefined, nonce: 'a', signature: undefined }
  expect(checkRules(values, undefined, false, 0, schemeOf([[header, 'a']])).at(-1)?.name).toBe(name)
})
