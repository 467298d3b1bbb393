import { describe, expect, it } from 'vitest'
import { junitText } from '../../../src/cli/check/junit.js'
import { byDanger, caseText, type ReportedCase } from '../../../src/cli/check/report.js'
import type { EndpointResult } from '../../../src/testing/index.js'

const PLAIN = Object.assign((_: unknown, text: string) => text, { width: 80 })

const ok = (...statuses: number[]): EndpointResult => ({ ok: true, statuses })
type Failed = Extract<EndpointResult, { ok: false }>
const failed = (fault: Failed['fault'], ...statuses: number[]): Failed => {
  return { ok: false, statuses, fault, cause: 'A <cause> & "more".', fix: 'A fix.' }
}

function reported(expected: ReportedCase['expected'], result: EndpointResult, seconds = 0.5): ReportedCase {
  return {
    code: 'replay-again',
    rule: 'replay',
    sent: 'the same request again',
    expected,
    result,
    seconds,
  } as ReportedCase
}

it('the most dangerous finding comes first', () => {
  const finding = (...codes: ReportedCase['code'][]) => ({ cause: '', fix: '', codes })
  const codes = [
    'signature-form',
    'accepted-text',
    'replay-again',
    'answers-hostile',
    'timestamp-old',
    'body-changed',
  ] as const
  const sorted = byDanger([...codes.map((code) => finding(code)), finding('signature-form', 'headers-none')])
  expect(sorted.map(({ codes }) => codes.join())).toEqual([
    ...['body-changed', 'signature-form,headers-none', 'replay-again', 'timestamp-old'],
    ...['accepted-text', 'signature-form', 'answers-hostile'],
  ])
})

describe('a case', () => {
  it.each<[ReportedCase['expected'], EndpointResult, string]>([
    ['accepted', ok(200), '200'],
    ['rejected', ok(200, 401), '401'],
    ['rejected', failed('too-large', 413), '413, not 2xx'],
    ['rejected', failed('leaks-signature', 401), '401, with the right signature'],
    ['one', ok(200, 401), '1'],
    ['one', failed('accepted', 200, 299, 401), '2, not 1'],
    ['one', failed('no-answer', 204, 0, 503), '1, some failed'],
  ])('that expects %s says what came: %j', (expected, result, came) => {
    const mark = result.ok ? 'ok  ' : 'FAIL'
    expect(caseText(reported(expected, result), PLAIN)).toBe(
      `${mark}  replay-again            the same request again              ${came}\n`,
    )
  })
})

it('the file of --junit has each case, with its root cause', () => {
  const cases = [reported('accepted', ok(200), 1.5), reported('rejected', failed('accepted', 200, 204), 1)]
  const findings = [{ cause: 'The <root> cause.', fix: 'Its fix.', codes: ['replay-again'] as const }]
  const start = '  <testcase classname="replay" name="replay-again: the same request again"'
  expect(junitText('http://a/?b&c', cases, ['body-changed'], findings)).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="check http://a/?b&amp;c" tests="3" failures="1" skipped="1" time="2.500">
${start} time="1.500"/>
${start} time="1.000">
    <failure message="The &lt;root&gt; cause.">Expected: rejected. Statuses: 200 204.
Its fix.</failure>
  </testcase>
  <testcase classname="skipped" name="body-changed" time="0"><skipped/></testcase>
</testsuite>
`,
  )
  expect(junitText('http://a/', cases.slice(1), [], [])).toContain(
    '<failure message="A &lt;cause&gt; &amp; &quot;more&quot;.">Expected: rejected. Statuses: 200 204.\nA fix.</failure>',
  )
})
