import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { inWords, momentOf } from '../../src/cli/input/moment.js'
import { coloursFor } from '../../src/cli/output/colours.js'
import { contentTypeOf } from '../../src/cli/output/content-type.js'
import { jsonText, printable, quoted } from '../../src/cli/output/printable.js'
import { shellWord } from '../../src/cli/output/shell.js'
import { wrapped } from '../../src/cli/output/wrapped.js'
import { nearest } from '../../src/diagnose/nearest.js'

describe('colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { TERM: 'xterm' }, true],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [true, { TERM: 'dumb', FORCE_COLOR: '1' }, true],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('on a terminal %s, with %j: %s', (isTTY, env, coloured) => {
    const { red, bold } = coloursFor(Object.assign(new PassThrough(), { isTTY }), env)
    expect(red(bold('x'))).toBe(coloured ? '\x1b[31m\x1b[1mx\x1b[22m\x1b[39m' : 'x')
  })
})

describe('text of others', () => {
  it.each([
    ['plain ünïcode 🦊', 'plain ünïcode 🦊'],
    ['\x1b[31mred', '\\x1b[31mred'],
    ['a\tb\nc\rd\0', 'a\\x09b\\x0ac\\x0dd\\x00'],
    ['\x7f\x9b', '\\x7f\\x9b'],
    ['\u202e\u200b\ufeff\u2028', '\\u{202e}\\u{200b}\\u{feff}\\u{2028}'],
    ['\ud800', '\\u{d800}'],
  ])('%j is shown as %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('is shown by JSON as well', () => {
    const document = { a: 'é\x1b\x9b\u202e🦊\u2066' }
    expect(jsonText(document)).toBe('{\n  "a": "é\\u001b\\u009b\\u202e🦊\\u2066"\n}\n')
    expect(JSON.parse(jsonText(document))).toEqual(document)
  })

  it('may keep its lines', () => {
    expect(printable('a\nb\r\n', '\n')).toBe('a\nb\\x0d\n')
  })

  it.each([
    ['request.http', '"request.http"'],
    ['/tmp/a\nb', '"/tmp/a\\x0ab"'],
    ['x '.repeat(200), `"${'x '.repeat(100)}…"`],
    ['/srv/webhooks/captured/yesterday', '"/srv/webhooks/captured/yesterday"'],
    ['../webhooks/captured-yesterday', '"../webhooks/captured-yesterday"'],
    ['whsec_abc', '(not repeated here, for it looks like a secret)'],
    ['sk-abc', '(not repeated here, for it looks like a secret)'],
    ['cKsQ_EJbrw_SreUQ0LA3YsYy0sSp_1Fgkp-_M282FlE', '(not repeated here, for it looks like a secret)'],
    ['q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ+/83==', '(not repeated here, for it looks like a secret)'],
  ])('%j is quoted as %s', (argument, shown) => {
    expect(quoted(argument)).toBe(shown)
  })
})

describe('a misspelt word', () => {
  const words = ['secret', 'sign', 'send', 'verify', 'diagnose']
  it.each([
    ['sign', 'sign'],
    ['verfiy', 'verify'],
    ['verifi', 'verify'],
    ['diagnoze', 'diagnose'],
    ['diagose', 'diagnose'],
    ['seccret', 'secret'],
    ['snd', 'send'],
    ['sigd', 'sign'],
    ['send', 'send'],
    ['verification', undefined],
    ['x', undefined],
    ['', undefined],
    ['xxxxxx', undefined],
  ])('%j is near to %j', (word, near) => {
    expect(nearest(word, words)).toBe(near)
  })
})

describe('long text', () => {
  it('is broken at spaces, in lines of at most 100 characters', () => {
    const lines = wrapped('words '.repeat(50).trimEnd(), '   ', '1. ').split('\n')
    expect(lines.map((line) => line.length)).toEqual([98, 98, 98, 14])
    expect(lines.map((line) => line.slice(0, 5))).toEqual(['1. wo', '   wo', '   wo', '   wo'])
  })

  it.each([
    ['', ''],
    ['a  b ', 'a  b '],
    ['a\n\nb\n', 'a\n\nb\n'],
    [`${'x'.repeat(90)}\na b`, `${'x'.repeat(90)}\na b`],
    ['x'.repeat(101), 'x'.repeat(101)],
    [`a ${'x'.repeat(101)} b`, `a\n${'x'.repeat(101)}\nb`],
  ])('loses nothing but those spaces: %j', (text, lines) => {
    expect(wrapped(text)).toBe(lines)
  })
})

describe('a word for the shell', () => {
  it.each([
    ['body.json', 'body.json'],
    ['@a/b-c_d.json', '@a/b-c_d.json'],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['$(x)`y`"z"\\!', `'$(x)\`y\`"z"\\!'`],
    ['http://localhost/?a=b&c', "'http://localhost/?a=b&c'"],
    ['', "''"],
    ['~', "'~'"],
  ])('%j is %s', (text, word) => {
    expect(shellWord(text)).toBe(word)
  })
})

describe('a time', () => {
  it.each([
    ['1700000000', 1_700_000_000_000],
    ['1700000000123', 1_700_000_000_123],
    ['0', 0],
    ['2023-11-14T22:13:20Z', 1_700_000_000_000],
    ['2023-11-14t22:13:20.5z', 1_700_000_000_500],
    ['2023-11-14 23:13:20+01:00', 1_700_000_000_000],
    ['2023-11-14T22:13Z', 1_699_999_980_000],
    ['2023-11-14T17:13:20-0500', 1_700_000_000_000],
  ])('%s is %d', (text, milliseconds) => {
    expect(momentOf(text)).toBe(milliseconds)
  })

  it.each(['', 'now', '1.5', '-1', '2023-11-14', '2023-11-14T22:13:20', '2023-13-14T22:13:20Z', '1'.repeat(16)])(
    '%j is none',
    (text) => {
      expect(() => momentOf(text)).toThrow('--at is no time')
    },
  )

  it('is said in words', () => {
    expect(inWords(1_700_000_000_000)).toBe('2023-11-14T22:13:20Z')
    expect(inWords(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123Z')
    expect(inWords(1e20)).toBe('a time beyond all calendars')
  })
})

describe('the type of a body', () => {
  it.each([
    ['{"a":1}', 'application/json'],
    ['12', 'application/json'],
    ['', 'application/octet-stream'],
    ['text', 'application/octet-stream'],
    ['"\xff"', 'application/octet-stream'],
  ])('%j is %s', (body, type) => {
    expect(contentTypeOf(Buffer.from(body, 'latin1'))).toBe(type)
  })
})
