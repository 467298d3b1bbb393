import type { EndpointFault } from '../../testing/endpoint/faults.js'
import type { EndpointCase, EndpointResult } from '../../testing/index.js'
import { type Style, wrapText } from '../output/terminal.js'
import type { Finding } from './root-causes.js'

export interface ReportedCase extends Pick<EndpointCase, 'code' | 'rule' | 'sent' | 'expected'> {
  readonly result: EndpointResult
  readonly seconds: number
}

/** With these faults, a valid request was refused, even if the case then sends a mistake. */
const REFUSALS: ReadonlySet<EndpointFault> = new Set(['refused', 'refused-otherwise', 'too-large', 'content-type'])

/** Match the cases of the most dangerous findings first: accepted without the secret, accepted twice or too late, refused though valid. */
const DANGERS: readonly RegExp[] = [
  /^(?:signature-(?:other-secret|empty|half|digit)|headers-(?:none|no-signature)|body-.*)$/,
  /^(?:replay-(?!forged)|nonce-|headers-|timestamp-(?!form))/,
  /^(?:accepted-.*|replay-forged|answers-alive)$/,
]

/** Returns the findings with the most dangerous first. */
export function byDanger(findings: readonly Finding[]): Finding[] {
  const danger = ({ codes }: Finding) => {
    const index = DANGERS.findIndex((one) => codes.some((code) => one.test(code)))
    return index === -1 ? DANGERS.length : index
  }
  return findings.toSorted((one, other) => danger(one) - danger(other))
}

export function caseText({ code, sent, expected, result }: ReportedCase, style: Style): string {
  const mark = result.ok ? style('green', 'ok  ') : style(['red', 'bold'], 'FAIL')
  return `${mark}  ${code.padEnd(22)}  ${sent.padEnd(34)}  ${came(expected, result)}\n`
}

export function skippedText({ code, sent }: Pick<EndpointCase, 'code' | 'sent'>, style: Style): string {
  return `${style('dim', 'skip')}  ${code.padEnd(22)}  ${sent}\n`
}

function came(expected: ReportedCase['expected'], result: EndpointResult): string {
  const { statuses } = result
  if (expected === 'one') {
    const accepted = statuses.filter((status) => status >= 200 && status <= 299).length
    if (result.ok) return '1'
    return accepted === 1 ? '1, some failed' : `${accepted}, not 1`
  }
  const last = statuses.at(-1) || 'none'
  if (result.ok) return String(last)
  if (result.fault === 'leaks-signature') return `${last}, with the right signature`
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
