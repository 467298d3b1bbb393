import type { Finding, Language } from '../../diagnose/index.js'
import { findingsText } from '../output/findings.js'
import { printable, type Style, wrapText } from '../output/terminal.js'

export interface Report {
  /** When the whole request had arrived, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ok: boolean
  /** Why the request was refused: a reason of `verify`, or another reason, such as `body_too_large`. */
  readonly reason?: string
  readonly detail: string
  readonly findings: readonly Finding[]
  readonly language?: Language | undefined
  readonly savedAs?: string
  readonly forwarded?: { readonly status: number }
  readonly differences?: readonly string[]
}

/** Returns a document as one line of JSON that is safe for a terminal. */
export function jsonLine(document: object): string {
  return `${printable(JSON.stringify(document))}\n`
}

export function reportJson({ time, ...rest }: Report): string {
  return jsonLine({ time: new Date(time).toISOString(), ...rest })
}

const INDENT = '   '

export function reportText(report: Report, style: Style, language?: Language): string {
  const { time, method, path, status, ok, reason = '', detail, findings, savedAs, forwarded, differences = [] } = report
  const verdict = ok ? style(['green', 'bold'], 'accepted') : style(['red', 'bold'], reason)
  const what = printable(`${method} ${path}`.trim()) || 'a connection'
  const head = `${new Date(time).toISOString().slice(11, 19)}Z  ${what}  ${status}  ${verdict}: ${printable(detail)}`
  const lines = [
    ...(forwarded === undefined ? [] : [`Response of the endpoint: ${forwarded.status || 'none'}.`]),
    ...differences,
    ...(savedAs === undefined ? [] : [`Saved as ${savedAs}`]),
  ]
  const below = lines.map((line) => `${wrapText(printable(line), style, INDENT)}\n`).join('')
  const found = findings.length === 0 ? '' : `\n${findingsText(findings, style, language, report.language)}\n`
  return `${wrapText(head, style, INDENT, '')}\n${below}${found}`
}

/** Returns how many requests had each result: `accepted`, or the reason of the refusal. */
export function countsText(counts: ReadonlyMap<string, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'No request arrived.'
  const parts = [...counts].map(([name, count]) => `${count} ${name}`)
  return `${total === 1 ? '1 request' : `${total} requests`}: ${parts.join(', ')}.`
}
