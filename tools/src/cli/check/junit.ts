import type { ReportedCase } from './report.js'

/** Returns the cases as JUnit XML, which CI systems read. */
export function junitText(endpoint: string, cases: readonly ReportedCase[], skipped: readonly string[]): string {
  const failures = cases.filter(({ result }) => !result.ok).length
  const counts = `tests="${cases.length + skipped.length}" failures="${failures}" skipped="${skipped.length}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escapeXml(`check ${endpoint}`)}" ${counts}>`,
    ...cases.map(testcase),
    ...skipped.map((code) => `  <testcase classname="skipped" name="${code}"><skipped/></testcase>`),
    '</testsuite>',
    '',
  ].join('\n')
}

function testcase({ code, rule, sent, expected, result }: ReportedCase): string {
  const start = `  <testcase classname="${rule}" name="${escapeXml(`${code}: ${sent}`)}"`
  if (result.ok) return `${start}/>`
  const { statuses, cause, fix } = result
  const text = `Expected: ${expected}. Statuses: ${statuses.join(' ')}.\n${fix}`
  return `${start}>\n    <failure message="${escapeXml(cause)}">${escapeXml(text)}</failure>\n  </testcase>`
}

const ENTITIES: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => String(ENTITIES[character]))
}
