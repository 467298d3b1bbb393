/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what senders sign by mistake. */
import { expect, it } from 'vitest'
import { TEXT_CHANGES } from '../../../src/diagnose/hypotheses/text-changes.js'
import { asBytes } from './proposals.js'

/** The text before each change, and the text that was signed. */
const EXAMPLES = [
  ['a', 'a\n'],
  ['a', 'a\r\n'],
  ['a', 'a\r'],
  ['a', 'a\n\n'],
  ['a', 'a '],
  ['a', ' a'],
  ['a', ' a '],
  ['a', '\ufeffa'],
  ['a', 'a\u200b'],
  ['a', 'a\u00a0'],
  ['a', 'a\0'],
  [' a\u200b\n', 'a'],
  ['a', '"a"'],
  ['a', "'a'"],
  ['a', '{a}'],
  ["b'a b'", 'a b'],
  ['aB', 'ab'],
  ['aB', 'AB'],
  ['7b-7D', '{}'],
  ['a', ''],
  ['a', 'null'],
  ['a', 'None'],
  ['a', 'undefined'],
  ['a', 'nil'],
  ['a', 'NaN'],
  ['a', '[object Object]'],
] as const

it('each change of a text has an example', () => {
  expect(TEXT_CHANGES).toHaveLength(EXAMPLES.length)
})

it.each(EXAMPLES.map(([text, changed], index) => [TEXT_CHANGES[index]?.what, text, changed] as const))(
  '%s: %j is %j',
  (what, text, changed) => {
    const row = TEXT_CHANGES.find((one) => one.what === what)
    expect(Buffer.from(asBytes(row?.change(text))).toString()).toBe(changed)
  },
)

it.each([
  ['"a"', 'a'],
  ["b'a'", 'a'],
  ['{a b}', 'a b'],
  ['<ab>', 'ab'],
  ['"a\'', undefined],
  ['{}', undefined],
])('%j without the quotes or brackets around it is %j', (text, inside) => {
  expect(TEXT_CHANGES.find(({ kind }) => kind === 'quotes removed')?.change(text)).toBe(inside)
})
