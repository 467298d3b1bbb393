import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { findNearest } from '../../src/cli/command.js'
import { shellWord } from '../../src/cli/commands/sign.js'
import { findingsText } from '../../src/cli/output/findings.js'
import { contentTypeOf } from '../../src/cli/output/http.js'
import { styleOf, wrapText } from '../../src/cli/output/layout.js'
import { jsonText, printable } from '../../src/cli/output/printable.js'
import type { Finding, Language } from '../../src/diagnose/index.js'

describe('styleOf', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { TERM: 'dumb' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [true, { TERM: 'dumb', FORCE_COLOR: '1' }, true],
    [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('isTTY %s and %j: colours %s', (isTTY, env, isColoured) => {
    const style = styleOf(Object.assign(new PassThrough(), { isTTY }), env)
    expect(style('red', style('bold', 'x'))).toBe(isColoured ? '\x1b[31m\x1b[1mx\x1b[22m\x1b[39m' : 'x')
  })
})

describe('printable', () => {
  it.each([
    ['plain ünïcode 🦊', 'plain ünïcode 🦊'],
    ['\x1b[31mred', '\\x1b[31mred'],
    ['a\tb\nc\rd\0', 'a\\x09b\\x0ac\\x0dd\\x00'],
    ['\x7f\x9b', '\\x7f\\x9b'],
    ['\u202e\u200b\ufeff\u2028', '\\u{202e}\\u{200b}\\u{feff}\\u{2028}'],
    ['\ud800', '\\u{d800}'],
  ])('shows %j as %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it('keeps the characters that it is told to keep', () => {
    expect(printable('a\nb\r\n', '\n')).toBe('a\nb\\x0d\n')
  })

  it('has a counterpart for JSON', () => {
    const document = { a: 'é\x1b\x9b\u202e🦊\u2066' }
    expect(jsonText(document)).toBe('{\n  "a": "é\\u001b\\u009b\\u202e🦊\\u2066"\n}\n')
    expect(JSON.parse(jsonText(document))).toEqual(document)
  })
})

describe('findNearest', () => {
  const words = ['secret', 'sign', 'send', 'verify', 'diagnose']
  it.each([
    ['sign', 'sign'],
    ['sgin', 'sign'],
    ['verfiy', 'verify'],
    ['diagnoze', 'diagnose'],
    ['diagose', 'diagnose'],
    ['seccret', 'secret'],
    ['snd', 'send'],
    ['verification', undefined],
    ['x', undefined],
    ['', undefined],
    ['xxxxxx', undefined],
  ])('%j: %j', (word, near) => {
    expect(findNearest(word, words)).toBe(near)
    expect(findNearest(word, [])).toBeUndefined()
  })
})

describe('wrapText', () => {
  it('breaks text at spaces into lines of at most 100 characters', () => {
    const lines = wrapText('words '.repeat(50).trimEnd(), '   ', '1. ').split('\n')
    expect(lines.map((line) => line.length)).toEqual([98, 98, 98, 14])
    expect(lines.map((line) => line.slice(0, 5))).toEqual(['1. wo', '   wo', '   wo', '   wo'])
  })

  it.each([
    ['', ''],
    ['a  b ', 'a  b '],
    ['a\n\nb\n', 'a\n\nb\n'],
    [`${'x'.repeat(90)}\na b`, `${'x'.repeat(90)}\na b`],
    [`${'x'.repeat(98)} b`, `${'x'.repeat(98)} b`],
    [`${'x'.repeat(99)} b`, `${'x'.repeat(99)}\nb`],
    ['x'.repeat(101), 'x'.repeat(101)],
    [`a ${'x'.repeat(101)} b`, `a\n${'x'.repeat(101)}\nb`],
  ])('%j becomes %j', (text, lines) => {
    expect(wrapText(text)).toBe(lines)
  })
})

describe('findingsText', () => {
  const style = styleOf(new PassThrough(), {})
  const finding: Finding = {
    code: 'body_json',
    side: 'sender',
    message: 'The sender signed other JSON.',
    fix: 'Serialize the JSON once.',
    fixes: { python: 'json.dumps(event)', node: 'JSON.stringify(event)', go: 'json.Marshal(event)', csharp: 'x' },
  }

  it('numbers findings, each with its evidence, the side that has to act, and three languages', () => {
    const others: readonly Finding[] = [
      { ...finding, side: 'receiver', fixes: { csharp: 'x' }, evidence: 'received\tABC\nexpected\tabc' },
      { ...finding, side: 'unknown', fixes: {} },
    ]
    expect(findingsText([finding, ...others], style)).toBe(`1. The sender signed other JSON. (body_json)
   Fix, on the sender's side:
     Serialize the JSON once.
     Python: json.dumps(event)
     Node: JSON.stringify(event)
     Go: json.Marshal(event)

2. The sender signed other JSON. (body_json)
     received\tABC
     expected\tabc
   Fix, on the receiver's side:
     Serialize the JSON once.
     C#: x

3. The sender signed other JSON. (body_json)
   Fix, on either side:
     Serialize the JSON once.
`)
  })

  it.each<[Language, string]>([
    ['csharp', '     Serialize the JSON once.\n     C#: x\n'],
    ['node', '     Serialize the JSON once.\n     Node: JSON.stringify(event)\n'],
    ['perl', '     Serialize the JSON once.\n'],
  ])('shows one language if asked: %s', (language, lines) => {
    expect(findingsText([finding], style, language)).toMatch(new RegExp(`side:\n${lines.replace(/[().#]/g, '\\$&')}$`))
  })

  it('makes quoted text safe for a terminal', () => {
    const hostile = { ...finding, message: 'a\x1b[2Jb\nc', evidence: '\x1b[2J\r', fix: '\x9b2J', fixes: { go: '\x1b' } }
    expect(findingsText([hostile], style)).toBe(
      "1. a\\x1b[2Jb\\x0ac (body_json)\n     \\x1b[2J\\x0d\n   Fix, on the sender's side:\n     \\x9b2J\n     Go: \\x1b\n",
    )
  })
})

describe('shellWord', () => {
  it.each([
    ['body.json', 'body.json'],
    ['@a/b-c_d.json', '@a/b-c_d.json'],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['$(x)`y`"z"\\!', `'$(x)\`y\`"z"\\!'`],
    ['http://localhost/?a=b&c', "'http://localhost/?a=b&c'"],
    ['', "''"],
    ['~', "'~'"],
  ])('%j: %s', (text, word) => {
    expect(shellWord(text)).toBe(word)
  })
})

describe('contentTypeOf', () => {
  it.each([
    ['{"a":1}', 'application/json'],
    ['12', 'application/json'],
    ['', 'application/octet-stream'],
    ['text', 'application/octet-stream'],
    ['"\xff"', 'application/octet-stream'],
  ])('%j: %s', (body, type) => {
    expect(contentTypeOf(Buffer.from(body, 'latin1'))).toBe(type)
  })
})
