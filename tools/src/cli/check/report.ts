import type { EndpointFault } from '../../testing/endpoint/faults.js'
import type { EndpointCase, EndpointResult } from '../../testing/index.js'
import { type Style, wrapText } from '../output/terminal.js'
import type { CheckedCase, Finding } from './root-causes.js'

export interface ReportedCase extends Pick<EndpointCase, 'code' | 'rule' | 'sent' | 'expected'> {
  readonly result: EndpointResult
  readonly seconds: number
}

const WIDTH_OF_CASE = 80

/** With these faults, a valid request was refused, even if the case then sends a mistake. */
const REFUSALS: ReadonlySet<EndpointFault> = new Set(['refused', 'refused-otherwise', 'too-large', 'content-type'])

/** Match a fault and its case, the most dangerous first: accepted without the secret, accepted twice or too late, refused though valid. */
const DANGERS: readonly RegExp[] = [
  /^(?:leaks-signature|answers-early) |^accepted (?:signature-(?:other-secret|empty|half|digit)|headers-(?:none|no-signature)|body-.*)$/,
  /^accepted (?:replay|nonce|headers|timestamp-(?:old|ahead|milliseconds)$)/,
  /^(?:refused(?:-otherwise)?|too-large|content-type|none-accepted) | (?:accepted-.*|replay-forged|answers-alive)$/,
]

/** Returns the findings with the most dangerous first. */
export function byDanger(findings: readonly Finding[], cases: readonly CheckedCase[]): Finding[] {
  const faults = cases.map(({ code, result }) => ({ code, text: `${result.ok ? '' : result.fault} ${code}` }))
  const danger = ({ codes }: Finding) => {
    const index = DANGERS.findIndex((one) => faults.some(({ code, text }) => codes.includes(code) && one.test(text)))
    return index === -1 ? DANGERS.length : index
  }
  return findings.toSorted((one, other) => danger(one) - danger(other))
}

export function caseText({ code, sent, expected, result }: ReportedCase, style: Style): string {
  const mark = result.ok ? style('green', 'ok  ') : style(['red', 'bold'], 'FAIL')
  const what = style.width < WIDTH_OF_CASE ? '' : `${sent.padEnd(34)}  `
  return `${mark}  ${code.padEnd(22)}  ${what}${came(expected, result)}\n`
}

export function skippedText({ code, sent }: Pick<EndpointCase, 'code' | 'sent'>, style: Style): string {
  return `${style('dim', 'skip')}  ${style.width < WIDTH_OF_CASE ? code : `${code.padEnd(22)}  ${sent}`}\n`
}

function came(expected: ReportedCase['expected'], result: EndpointResult): string {
  const { statuses } = result
  if (expected === 'one') {
    const accepted = statuses.filter((status) => status >= 200 && status <= 299).length
    if (result.ok) return '1'
    return accepted === 1 ? '1, some failed' : `${accepted}, not 1`
  }
  const last = statuses.at(-1) || 'none'
  if (!result.ok && result.fault === 'leaks-signature') return `${last}, with the right signature`
  if (result.ok) return result.advice === undefined ? String(last) : `${last}, with advice`
  return `${last}, not ${expected === 'accepted' || REFUSALS.has(result.fault) ? '2xx' : '4xx'}`
}

export function findingsText(findings: readonly Finding[], style: Style): string {
  const texts = findings.map(({ cause, fix, codes }, index) => {
    const number = `${index + 1}. `
    const indent = ' '.repeat(number.length)
    return [
      style('bold', wrapText(cause, style, indent, number)),
      wrapText(fix, style, indent, `${indent}Fix: `),
      wrapText(codes.join(', '), style, indent, `${indent}Cases: `),
    ].join('\n')
  })
  return `${texts.join('\n\n')}\n`
}

export function adviceText(cases: readonly ReportedCase[], style: Style): string {
  const texts = cases.flatMap(({ code, result }) =>
    result.ok && result.advice !== undefined ? [`${code}: ${result.advice.cause} ${result.advice.fix}`] : [],
  )
  return texts.map((text) => `\n${wrapText(text, style, '  ', 'Advice on ')}\n`).join('')
}

export function tableText(cases: readonly ReportedCase[], style: Style): string {
  const rules = [...new Set(cases.map(({ rule }) => rule))]
  return rules
    .map((wanted) => {
      const all = cases.filter(({ rule }) => rule === wanted)
      const passed = all.filter(({ result }) => result.ok).length
      const count = `${String(passed).padStart(2)} of ${String(all.length).padStart(2)}`
      return `${wanted.padEnd(11)} ${passed === all.length ? count : style('red', count)}\n`
    })
    .join('')
}
