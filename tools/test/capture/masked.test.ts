import { describe, expect, it } from 'vitest'
import { CaptureError } from '../../src/capture/capture-error.js'
import { assertNotMasked, isMasked } from '../../src/capture/masked.js'

const WORDS = [
  ...['redacted', 'filtered', 'masked', 'hidden', 'removed', 'sanitized', 'scrubbed', 'omitted', 'secure'],
  ...['sensitive', 'private', 'confidential', 'protected', 'obfuscated'],
]

describe('a value of a header', () => {
  it.each([
    ...WORDS.flatMap((word) => [word, word.toUpperCase(), `<${word}>`]),
    ...['***', '"***"', "'••••'", '[secret]', '{{Filtered}}', '((hidden))', '<<masked>>', '[REDACTED:x-nonce]'],
    ...['----', 'ab█cd', 'ab•cd', 'ab…cd', 'ab[secret]cd'],
    // The same characters in a capture that was decoded as Latin-1.
    ...['•••', 'ab…'].map((text) => Buffer.from(text).toString('latin1')),
  ])('is masked: %s', (value) => {
    const advice = `so the signature cannot be checked. Pass its value with --header 'X-Nonce: …', or record the request with listen.`
    expect(() => assertNotMasked([['x-NONCE', value]])).toThrow(new CaptureError(`The log masked X-Nonce, ${advice}`))
    expect(() => assertNotMasked([['x-other', value]])).not.toThrow()
  })

  it.each([
    ...['**', '---', 'secret', 'secrets', 'a redacted', 'redacted a', '[a]', '<[[hidden]]>', '[hidden:]', 'abc'],
    ...['***a', 'a***', '"', 'a*b', 'a...b', 'xxx'],
  ])('is not masked: %s', (value) => {
    expect(() => assertNotMasked([['X-Nonce', value]])).not.toThrow()
  })

  it.each([
    ['ab*cd', true],
    ['ab...cd', true],
    ['xxxx', true],
    ['X', true],
    ['ab..cd', false],
    ['axx', false],
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
    ...WORDS.map((word) => `{"a":"<${word}>"}`),
    ...['{"a":"***"}', '{"a": "••••", "b":1}', "{'a':'***'}", '["***"]', '{"a":***}', '[1,***]', 'a=***&b=c'],
    ...['{"a":"[FILTERED]" }', '{"a":(hidden)}'],
  ])('is masked: %s', (text) => {
    expect(isMasked(text)).toBe(true)
  })

  it.each([
    ...['{"a":"**"}', '{"a":"••"}', '{"card":"****1234"}', '{"a":"redacted"}', '{"a":"[secret]"}', 'a ***', 'a=***'],
    ...['{"a":  "***"}', '{"a":"***"  }', '{"a":"x***"}', '***'],
  ])('is not masked: %s', (text) => {
    expect(isMasked(text)).toBe(false)
  })
})
