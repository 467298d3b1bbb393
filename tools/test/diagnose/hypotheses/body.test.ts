import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { hex, utf8 } from '../../../src/bytes.js'
import { BODY_CHANGES, BODY_ENDINGS, BODY_SOURCES, originalHypotheses } from '../../../src/diagnose/hypotheses/body.js'
import { asBytes, bytesOf, CONTEXT, proposed, rowNamed, variantsOf } from './proposals.js'

// The requests of captured.jsonl are the proof of the other rows.

const ROWS = [...BODY_SOURCES, ...BODY_CHANGES, ...BODY_ENDINGS]

/** A part of the hypothesis, the body received, and the body signed. */
const EXAMPLES = [
  ['which arrived encoded twice', 'ZoÃ«', 'Zoë'],
  ['with CRLF for each LF', 'a\nb', 'a\r\nb'],
  ['without its newlines', 'a\r\nb\n', 'ab'],
  ['without the white space around it', ' a b\n', 'a b'],
  ['`null` in place of the body', '{"a":1}', 'null'],
  ['`{}` in place of the body', '{"a":1}', '{}'],
  ['without the newline at its end', 'a\n\r\n', 'a\n'],
  ['without the newline at its end', 'a\n', 'a'],
  ['without the newline at its end', `${'é'.repeat(50_000)}\r\n`, 'é'.repeat(50_000)],
  ['without its byte order mark', `\ufeff${'é'.repeat(50_000)}`, 'é'.repeat(50_000)],
  ['with a CRLF after it', 'a', 'a\r\n'],
  ['with a carriage return (CR) after it', 'a', 'a\r'],
  ['with a space after it', 'a', 'a '],
  ['with single spaces', '\va \n\f b ', 'a b'],
] as const

it.each(EXAMPLES)('the body %s, example %#', (what, received, signed) => {
  const rows = ROWS.filter((row) => row.what.includes(what))
  expect(rows.flatMap((row) => proposed(row, bytesOf(received), asBytes))).toContain(hex(bytesOf(signed)))
})

it('decoders are applied one after the other, at most three of them', () => {
  const decoded = (what: string, body: Uint8Array) => {
    const variants = variantsOf(rowNamed(BODY_SOURCES, what), body)
    return variants.map(({ detail, value }) => `${detail}: ${Buffer.from(value as string).toString('latin1')}`)
  }
  const zipped = gzipSync('{"a":1}')
  const sent = utf8(zipped.toString('base64'))
  expect(decoded('the uncompressed body', sent)).toEqual(['base64 of gzip: {"a":1}'])
  expect(decoded('the body decoded from', sent)).toEqual([`base64: ${zipped.toString('latin1')}`])
  let text = 'é'
  for (let layer = 0; layer < 4; layer++) text = hex(utf8(text))
  expect(decoded('the body decoded from', utf8(text)).filter((one) => /^hex.*: c3a9$/.test(one))).toHaveLength(1)
  expect(decoded('the body decoded from', utf8(text)).filter((one) => one.endsWith(': \xc3\xa9'))).toEqual([])
})

it('a text in place of the body is proposed once, for the body as received', () => {
  const row = rowNamed(ROWS, 'the text `[object Object]` in place of the body')
  const [body, changed] = [utf8('{"a": 1}'), utf8('{"a":1}')]
  expect([body, changed].map((one) => row.apply(one, { ...CONTEXT, body }))).toEqual(['[object Object]', undefined])
})

it('the original body is a hypothesis, and comes first if curl -d sent it as a file', () => {
  const original = utf8('a\nb\n')
  const [file, any] = originalHypotheses(original)
  expect([file?.what, any?.what]).toEqual([
    "the whole file, from which curl's -d removed the newlines",
    'the original body',
  ])
  expect([file?.likelihood, any?.likelihood]).toEqual(['common', 'common'])
  expect(file?.apply(utf8('ab'), CONTEXT)).toBe(original)
  expect(file?.apply(utf8('abc'), CONTEXT)).toBeUndefined()
  expect(any?.apply(utf8('abc'), CONTEXT)).toBe(original)
})
