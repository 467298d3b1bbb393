import { fromLatin1, latin1 } from '../bytes.js'
import type { CapturedRequest } from './captured-request.js'
import { parseHttpText } from './http-text.js'

// Logs of clients that write HTTP text, and put their own marks around the lines.

/**
 * Returns the request in the output of `wget -d` or of the loggers of OkHttp and Feign, or `undefined` for other text.
 *
 * @param beginning - the beginning of `bytes`, as Latin-1.
 */
export function readClientLog(bytes: Uint8Array, beginning: string): CapturedRequest | undefined {
  if (beginning.includes('---request begin---')) return readWget(fromLatin1(bytes))
  return /-{2,3}> [A-Z]+ https?:\/\//.test(beginning) ? readOkHttp(fromLatin1(bytes)) : undefined
}

function readWget(text: string): CapturedRequest | undefined {
  const start = text.indexOf('\n', text.indexOf('---request begin---')) + 1
  const end = text.indexOf('---request end---', start)
  if (start === 0 || end === -1) return undefined
  const rest = text.slice(end).replace(/^.*\r?\n/, '')
  const [, data] = /^\[(?:POST|BODY) data: ([\s\S]*?)\]\r?\n(?:HTTP request sent|$)/.exec(rest) ?? []
  const request = parse(text.slice(start, end).replace(/\s+$/, '\n\n'))
  return request && { ...request, body: data === undefined ? undefined : latin1(data), isHttpText: false }
}

/** The first line of a request. All lines of the request may have a prefix, as logcat writes. */
const BEGIN = /^(.{0,200}?)-{2,3}> ([A-Z]+) (https?:\/\/\S+)(?: \S+)?$/m

function readOkHttp(text: string): CapturedRequest | undefined {
  const [begin, prefix = '', method, url = ''] = BEGIN.exec(text) ?? []
  if (begin === undefined) return undefined
  const head: string[] = []
  const body: string[] = []
  let isHead = true
  let length: number | undefined
  const lines = text.slice(text.indexOf(begin)).split(/\r?\n/).slice(1)
  for (const line of lines) {
    const plain = withoutPrefix(line, prefix)
    const [end, bytes] = /^-{2,3}> END \S+(?: \((?:binary |duplex )?(\d+)-byte body.*\))?/.exec(plain) ?? []
    if (end !== undefined) {
      length = bytes === undefined ? undefined : Number(bytes)
      break
    }
    // logcat leaves out blank lines, so the first line that is not a header ends the head.
    if (isHead && !/^[\w-]+: ?/.test(plain)) {
      isHead = false
      if (plain === '') continue
    }
    if (isHead) head.push(plain)
    else body.push(plain)
  }
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: '/', search: '' }
  const request = parse([`${method} ${pathname}${search} HTTP/1.1`, ...head, '', ''].join('\n'))
  const bytes = body.length === 0 ? undefined : latin1(body.join('\n'))
  return request && { ...request, body: bytes, bodyLength: length, isHttpText: false }
}

/** Returns a line without the prefix of the first line. Numbers in the prefix may differ, as times do. */
function withoutPrefix(line: string, prefix: string): string {
  const shape = (text: string) => text.replace(/\d/g, '0')
  return shape(line.slice(0, prefix.length)) === shape(prefix)
    ? line.slice(prefix.length)
    : line.replace(prefix.trimEnd(), '')
}

function parse(text: string): CapturedRequest | undefined {
  return parseHttpText(latin1(text), text)
}
