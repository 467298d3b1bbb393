import type { ReportedCase } from './report.js'
import type { Finding } from './root-causes.js'

/** Returns the cases as JUnit XML, which CI systems can show. The message of a failed case is its root cause. */
export function junitText(
  endpoint: string,
  cases: readonly ReportedCase[],
  skipped: readonly string[],
  findings: readonly Finding[],
): string {
  const failures = cases.filter(({ result }) => !result.ok).length
  const counts = `tests="${cases.length + skipped.length}" failures="${failures}" skipped="${skipped.length}"`
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escapeXml(`check ${endpoint}`)}" ${counts} time="${time.toFixed(3)}">`,
    ...cases.map((one) => testcase(one, findings)),
    ...skipped.map((code) => `  <testcase classname="skipped" name="${code}" time="0"><skipped/></testcase>`),
    '</testsuite>',
    '',
  ].join('\n')
}

function testcase({ code, rule, sent, expected, result, seconds }: ReportedCase, findings: readonly Finding[]): string {
  const name = escapeXml(`${code}: ${sent}`)
  const start = `  <testcase classname="${rule}" name="${name}" time="${seconds.toFixed(3)}"`
  if (result.ok) return `${start}/>`
  const { cause, fix } = findings.find(({ codes }) => codes.includes(code)) ?? result
  const text = `Expected: ${expected}. Statuses: ${result.statuses.join(' ')}.\n${fix}`
  return `${start}>\n    <failure message="${escapeXml(cause)}">${escapeXml(text)}</failure>\n  </testcase>`
}

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => String(ENTITIES[character]))
}
