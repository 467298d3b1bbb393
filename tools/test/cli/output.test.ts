import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { describeError } from '../../src/cli/describe-error.js'
import { findingsText } from '../../src/cli/output/findings.js'
import { printable, styleOf, wrapText } from '../../src/cli/output/terminal.js'
import type { Finding } from '../../src/diagnose/index.js'

it('lines have the width of the terminal, from 60 to 100 characters, and 80 characters in a file', () => {
  const widthOf = (terminal: object) => styleOf(Object.assign(new PassThrough(), terminal)).width
  expect([59, 61, 99, 101].map((columns) => widthOf({ columns }))).toEqual([60, 61, 99, 100])
  expect(widthOf({})).toBe(80)
})

it.each([
  ['plain ünïcode 🦊', 'plain ünïcode 🦊'],
  ['\x1b[31mred', '\\u001b[31mred'],
  ['a\tb\nc\rd\0', 'a\\u0009b\nc\\u000dd\\u0000'],
  ['\u202e\u200b\ufeff\u2028', '\\u202e\\u200b\\ufeff\\u2028'],
  ['\u{e0001}\ud800', '\\udb40\\udc01\\ud800'],
])('printable shows %j as %j', (text, shown) => {
  expect(printable(text, '\n')).toBe(shown)
})

describe('wrapText', () => {
  it.each([
    [`${'x'.repeat(9)} b`, `${'x'.repeat(9)}\nb`],
    [`a ${'x'.repeat(11)} b`, `a\n${'x'.repeat(11)}\nb`],
    ['a  b   c d', 'a  b   c d'],
    ['- 45 78 0 2 4', '- 45 78 0\n  2 4'],
    ['\x1b[1m1234\x1b[22m 678 0', '\x1b[1m1234\x1b[22m 678 0'],
  ])('%j becomes %j', (text, lines) => {
    expect(wrapText(text, { width: 10 })).toBe(lines)
  })
})

describe('findingsText', () => {
  const style = styleOf(new PassThrough())
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
     python: json.dumps(event)
     node: JSON.stringify(event)
     go: json.Marshal(event)

2. The sender signed other JSON. (body_json)
     received\tABC
     expected\tabc
   Fix, on the receiver's side:
     Serialize the JSON once.
     csharp: x

3. The sender signed other JSON. (body_json)
   Fix, on either side:
     Serialize the JSON once.
`)
  })

  it('makes quoted text safe for a terminal', () => {
    const hostile = { ...finding, message: 'a\x1b[2Jb\nc', evidence: '\x1b[2J\r', fix: '\x9b2J', fixes: { go: '\x1b' } }
    expect(findingsText([hostile], style)).toBe(
      "1. a\\u001b[2Jb\\u000ac (body_json)\n     \\u001b[2J\\u000d\n   Fix, on the sender's side:\n     \\u009b2J\n     go: \\u001b\n",
    )
  })
})

it.each([
  [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'connection refused'],
  [Object.assign(new Error('a text'), { code: 'ERR_OTHER' }), 'ERR_OTHER'],
  [new Error('a text'), 'a text'],
])('describes %s as %s', (error, text) => {
  expect(describeError(error)).toBe(text)
})
