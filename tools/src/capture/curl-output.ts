import { arrivalOf } from './arrival.js'
import type { CapturedRequest } from './captured-request.js'
import { pairsOf, parseHeader } from './headers.js'

/** Matches the request line in the output of `curl -v`. curl can print its progress at the start of this line. */
const REQUEST_LINE = /^[ \d:.kMG-]*> ([A-Z][A-Z-]*) ([!-~]+) HTTP\/[\d.]+$/

const MAX_LINES = 10_000

/** Returns the request in the output of `curl -v`, or in the timeline of Insomnia. */
export function parseCurlOutput(text: string, isHttpText: boolean): CapturedRequest | undefined {
  const lines = text.split(/\r?\n|\r/, MAX_LINES)
  const first = lines.findIndex((line) => REQUEST_LINE.test(line))
  if (first === -1 || (isHttpText && lines.slice(0, first).includes(''))) return undefined
  const others = lines.slice(first + 1)
  const [method, path] = String(lines[first]).replace(/.*> /, '').split(' ')
  const headers = pairsOf([':method', String(method), ':path', String(path)])
  const end = others.findIndex((line) => !/^> ?\S/.test(line) || REQUEST_LINE.test(line))
  for (const line of others.slice(0, end === -1 ? undefined : end)) {
    const header = parseHeader(line.slice(1).trimStart())
    if (header === undefined) return undefined
    headers.push(header)
  }
  const [blank = '', afterBlank = ''] = end === -1 ? [] : others.slice(end)
  const isHeadEnd = (line: string) => !line.startsWith('>') || REQUEST_LINE.test(line)
  const isQuoted = /^> *$/.test(blank) ? !isHeadEnd(afterBlank) : !isHeadEnd(blank)
  if (isQuoted) return undefined
  const [, date] = /^< date: (.*?)\r?$/im.exec(text) ?? []
  return { headers, body: undefined, arrival: arrivalOf(date, 'from the Date of the response') }
}
