/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: how languages write a variable. */
import { expect, it } from 'vitest'
import { placeholdersFor } from '../../../src/diagnose/hypotheses/placeholders.js'

it('a variable has a form for each language', () => {
  const forms = 'a|$a|${a}|{$a}|{a}|{{a}}|{{ a }}|#{a}|%a%'
  expect(placeholdersFor('a').variants.map(({ detail, value }) => [detail, value])).toEqual(
    forms.split('|').map((form) => [form, form]),
  )
})
