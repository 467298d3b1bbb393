/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: how languages write a variable. */
import { expect, it } from 'vitest'
import { describeUnfilled, findUnfilled, placeholdersFor } from '../../../src/diagnose/hypotheses/placeholders.js'

it('a variable has a form for each language', () => {
  const forms = 'a|$a|${a}|{$a}|{a}|{{a}}|{{ a }}|#{a}|%a%'
  expect(placeholdersFor('a').variants.map(({ detail, value }) => [detail, value])).toEqual(
    forms.split('|').map((form) => [form, form]),
  )
})

it.each([
  ['a {{ b.c-d }} e', '{{ b.c-d }}'],
  ['a ${b} #{c}', '${b}'],
  ['#{c.d}', '#{c.d}'],
  ['$b {c} %d% <e>', undefined],
])('the first variable in %j is %j', (text, variable) => {
  expect(findUnfilled(text)).toBe(variable)
})

const SHELL = 'A shell does not expand variables in single quotes.'
const PLACEHOLDER = 'The placeholder was never filled in.'

it.each([
  ...['${NONCE}', '$NONCE'].map((value) => [value, SHELL]),
  ...['{{ nonce }}', '#{nonce}', '{nonce}', '%NONCE%', '<your nonce>'].map((value) => [value, PLACEHOLDER]),
  ...['nonce', '$abc', '$NONCE1', 'a${b}', '<1>', '%a%', '{a1}', ''].map((value) => [value, undefined]),
])('%j alone is explained: %j', (value, why) => {
  expect(describeUnfilled(String(value))).toBe(why)
})
