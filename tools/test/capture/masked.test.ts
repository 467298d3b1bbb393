import { describe, expect, it } from 'vitest'
import { CaptureError } from '../../src/capture/capture-error.js'
import { assertNotMasked, isMasked } from '../../src/capture/masked.js'

const WORDS = [
  ...['redacted', 'filtered', 'masked', 'hidden', 'removed', 'sanitized', 'scrubbed', 'omitted', 'secure'],
  ...['sensitive', 'private', 'confidential', 'protected', 'obfuscated'],
]

describe('a value of a header', () => {
  it.each([
    ...WORDS,
    ...['***', '"***"', "'••••'", '[secret]', '{{Filtered}}', '((hidden))', '[REDACTED:x-nonce]', '----', 'ab█cd'],
    ...['ab…cd'],
    // The same characters in a capture that was decoded as Latin-1.
    ...['•••', 'ab…'].map((text) => Buffer.from(text).toString('latin1')),
  ])('is masked: %s', (value) => {
    const advice = `so the signature cannot be checked. Pass its value with --header 'X-Nonce: …', or record the request with listen.`
    expect(() => assertNotMasked([['x-NONCE', value]])).toThrow(new CaptureError(`The log masked X-Nonce, ${advice}`))
    expect(() => assertNotMasked([['x-other', value]])).not.toThrow()
  })

  it.each(['**', '---', 'secret', 'a redacted', '[a]', 'abc', '***a', 'a*b', 'a...b', 'xxx'])(
    'is not masked: %s',
    (value) => {
      expect(() => assertNotMasked([['X-Nonce', value]])).not.toThrow()
    },
  )

  it.each([
    ['ab*cd', true],
    ['ab...cd', true],
    ['xxxx', true],
    ['ab..cd', false],
    ['xxa', false],
  ])('is a digest with a part masked: %s %j', (value, expected) => {
    for (const name of ['X-Signature', 'webhook-signature', 'svix-signature']) {
      const spelled = name === 'X-Signature' ? name : name.toLowerCase()
      const act = () =>
        assertNotMasked([
          ['Host', 'a'],
          ['X-Timestamp', '1'],
          [name, value],
        ])
      if (expected) expect(act).toThrow(`The log masked ${spelled}, so`)
      else expect(act).not.toThrow()
    }
  })
})

describe('a body', () => {
  it.each([
    ...['{"a":"***"}', '{"a": "••••", "b":1}', "{'a':'***'}", '["***"]', '{"a":***}', 'a=***&b=c'],
    ...['{"a":"[FILTERED]" }'],
  ])('is masked: %s', (text) => {
    expect(isMasked(text)).toBe(true)
  })

  it.each([
    ...['{"a":"**"}', '{"card":"****1234"}', '{"a":"redacted"}', '{"a":"[secret]"}', 'a ***', '{"a":"x***"}', '***'],
  ])('is not masked: %s', (text) => {
    expect(isMasked(text)).toBe(false)
  })
})
