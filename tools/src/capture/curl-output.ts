import { latin1 } from '../bytes.js'
import { arrivalOf } from './arrival.js'
import type { CapturedRequest } from './captured-request.js'
import { pairsOf, parseHeader } from './headers.js'

/** Matches the request line in the output of `curl -v`. curl can print its progress at the start of this line. */
const REQUEST_LINE = /^[ \d:.kMG-]*> ([A-Z][A-Z-]*) ([!-~]+) HTTP\/[\d.]+$/

const MAX_LINES = 10_000

/** Returns the request in the output of `curl -v`, or in the timeline of Insomnia, which has the body too. */
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
  const rest = end === -1 ? [] : others.slice(end)
  const [blank = '', afterBlank = ''] = rest
  const isHeadEnd = (line: string) => !line.startsWith('>') || REQUEST_LINE.test(line)
  const isQuoted = /^> *$/.test(blank) ? !isHeadEnd(afterBlank) : !isHeadEnd(blank)
  if (isQuoted) return undefined
  const [, date] = /^< date: (.*?)\r?$/im.exec(text) ?? []
  return { headers, ...bodyIn(rest), arrival: arrivalOf(date, 'from the Date of the response') }
}

/** Returns the body that Insomnia writes below the headers. The first line that begins with `<` is the start of the response. */
function bodyIn(lines: readonly string[]): Pick<CapturedRequest, 'body' | 'isHttpText'> {
  const response = lines.findIndex((line) => line.startsWith('<'))
  const sent = lines.slice(0, response === -1 ? undefined : response).filter((line) => /^\|( |$)/.test(line))
  if (sent.length === 0) return { body: undefined }
  return { body: latin1(sent.map((line) => line.slice(2)).join('\n')), isHttpText: true }
}
