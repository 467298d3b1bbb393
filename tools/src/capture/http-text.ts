import { fromLatin1, latin1 } from '../bytes.js'
import { arrivalOf } from './arrival.js'
import { unreadable } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { anyNameOf, areOfRequest, type Header, hasSignature, parseHeader } from './headers.js'
import { MARK } from './write-request.js'

// This file reads HTTP text: headers, a blank line and the body. Each line can be indented, or begin with `>`, as in a mail.

/** Matches a request line, also with no-break spaces. On the first line of the text, the version can be missing: `POST /hooks`. */
const REQUEST_LINE = /^([A-Z][A-Z-]*)(?: |\xc2\xa0)(?![{["])([!-~\x80-\xff]+?)((?: |\xc2\xa0)HTTP\/\d(?:\.\d)?)?$/
/** Matches a request line with a version, after any spaces and `>`. */
const INDENTED_REQUEST_LINE = /^([\s>]*)[A-Z][A-Z-]{2,20}(?: |\xc2\xa0)[!-~\x80-\xff]+(?: |\xc2\xa0)HTTP\/\d(?:\.\d)?$/

const MAX_LINES = 1000

/** Returns the first line of text without its end. */
export function firstLineOf(text: string): string {
  return text.slice(0, text.search(/\r?\n|$/))
}

/** Returns whether text begins with a request line, a header or the line that `captureRequest` writes. */
export function beginsAsHttpText(text: string): boolean {
  const line = firstLineOf(text)
  return REQUEST_LINE.test(line) || MARK.test(line) || parseHeader(line) !== undefined
}

/** Returns whether text begins with a line that only requests have. If so, the text is a request, even if its body is in another format. */
export function beginsAsRequest(text: string): boolean {
  const line = firstLineOf(text)
  return REQUEST_LINE.test(line) || MARK.test(line) || (parseHeader(line) !== undefined && !isRemark(line))
}

/** Returns the request in HTTP text, or `undefined`. `text` is the beginning of `bytes`, as Latin-1. */
export function parseHttpText(bytes: Uint8Array, text: string): CapturedRequest | undefined {
  const found = findStart(text)
  if (found === undefined) return undefined
  const { start, prefix } = found
  if (prefix === '') return parsePlain(bytes.subarray(start), text.slice(start))
  const plain = latin1(removePrefix(fromLatin1(bytes.subarray(start)), prefix))
  const read = parsePlain(plain, fromLatin1(plain.subarray(0, text.length)))
  return {
    ...read,
    notes: [
      'The lines of the capture are indented or quoted. The indentation or the quotes were removed.',
      ...(read.notes ?? []),
    ],
  }
}

interface Start {
  readonly start: number
  /** The spaces and `>` before the first line of the request. */
  readonly prefix: string
}

function findStart(text: string): Start | undefined {
  const lines = text.split('\n', MAX_LINES)
  if (!isHead(lines)) return findRequestLine(lines)
  const first = String(lines[0])
  const atFirst = { start: 0, prefix: indentOf(first) }
  if (!isRemark(first.slice(atFirst.prefix.length))) return atFirst
  // A remark can look like a header: `Note: this came in today`. Therefore, search for a request line before the first blank line.
  const end = lines.findIndex((line) => line.trim() === '')
  return findRequestLine(end === -1 ? lines : lines.slice(0, end)) ?? atFirst
}

function findRequestLine(lines: readonly string[]): Start | undefined {
  let start = 0
  for (const line of lines) {
    const prefix = prefixOf(line.replace(/\r$/, ''))
    if (prefix !== undefined) return { start, prefix }
    start += line.length + 1
  }
  return undefined
}

/** Returns the spaces and `>` before a request line, or `undefined` if the line is not a request line. */
function prefixOf(line: string): string | undefined {
  return INDENTED_REQUEST_LINE.exec(line.slice(0, 20_000))?.[1]
}

function isRemark(line: string): boolean {
  const header = parseHeader(line)
  return header !== undefined && !areOfRequest([header])
}

/** Returns whether the lines are the beginning of a request. A line such as `Note: …` is not enough, because other text contains such lines too. */
function isHead(lines: readonly string[]): boolean {
  const [first = ''] = lines
  const { length } = indentOf(first)
  const texts = lines.map((line) => line.slice(length).trimEnd())
  const [text = ''] = texts
  if (REQUEST_LINE.test(text) || MARK.test(text)) return true
  const end = texts.indexOf('')
  const headers = texts.slice(0, end === -1 ? undefined : end).map(parseHeader)
  return headers[0] !== undefined && areOfRequest(headers.filter((header) => header !== undefined))
}

function indentOf(line: string): string {
  return line.slice(0, line.search(/[^\s>]|$/))
}

/** Returns the lines without the prefix, up to the first line that has no prefix. On a blank line, spaces of the prefix can be missing. */
function removePrefix(text: string, prefix: string): string {
  const stripped: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith(prefix)) stripped.push(line.slice(prefix.length))
    else if (line.trimEnd() === prefix.trimEnd()) stripped.push(line.slice(prefix.trimEnd().length))
    else break
  }
  return stripped.join('\n')
}

/** Matches headers from a document or a chat, which replaced spaces by no-break spaces, or `-` by another hyphen. */
const PASTED = /^[A-Z][A-Z-]*\xc2\xa0|^[\w-]+:\xc2\xa0|^\w+\xe2\x80[\x90\x91][^:]*:/m
/** Matches invisible characters, such as the zero-width space. The text is decoded as Latin-1, so each character has several bytes. */
const INVISIBLE = /\xe2\x80[\x8b-\x8d]|\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad/g
/** Matches a digest after invisible characters are removed. A document or a chat added these characters, because no program writes them. */
const DIGEST = /^(?:x-signature: *[0-9a-f]{64}|(?:webhook|svix)-signature: *v1,[\w+/]{43}=)$/i

function parsePlain(bytes: Uint8Array, text: string): CapturedRequest {
  const [head = '', blankLine = ''] = text.split(/(\r?\n(?:[ \t]*\r?\n|$))/, 2)
  const lines = head.split(/\r?\n/)
  const [, time, length] = MARK.exec(firstLineOf(head)) ?? []
  const body = bytes.subarray(head.length + blankLine.length)
  if (time === undefined) {
    if (!PASTED.test(head)) return { headers: parseHead(lines), body, isHttpText: true }
    const headers = parseHead(lines.map((line) => line.replaceAll('\xc2\xa0', ' ').replace(/\xe2\x80[\x90\x91]/g, '-')))
    const note = 'The headers have no-break spaces or unusual hyphens, which were read as normal spaces and hyphens.'
    return { headers, body, isHttpText: true, notes: [note] }
  }
  const headers = parseHead(lines.slice(1))
  return { headers, body, bodyLength: Number(length), arrival: arrivalOf(time, 'from the time in the capture') }
}

function parseHead(lines: readonly string[]): readonly Header[] {
  /** The headers, each with the pieces of its value. A piece is one line. */
  const headers: { readonly name: string; readonly pieces: string[] }[] = []
  const isBold = String(lines[0]).startsWith('**')
  for (const [index, line] of lines.entries()) {
    const [, method, target] = (index === 0 && REQUEST_LINE.exec(line)) || []
    const visible = line.replace(INVISIBLE, '')
    const plain = DIGEST.test(visible) ? visible : line
    const header = parseHeader(isBold ? plain.replace(/^\*\*([\w-]+)(?:\*\*:|:\*\*)/, '$1:') : plain)
    const last = headers.at(-1)
    if (target !== undefined) {
      headers.push({ name: ':method', pieces: [String(method)] }, { name: ':path', pieces: [target] })
    } else if (header !== undefined) headers.push({ name: header[0], pieces: [header[1]] })
    // A mail or an old proxy can break a long header into several lines. All lines after the first are indented.
    else if (last !== undefined && /^[ \t]+\S/.test(line)) last.pieces.push(' ', line.trim())
    else if (last?.pieces.length === 1 && DIGEST.test(`${last.name}:${last.pieces[0]}${line}`)) last.pieces.push(line)
    else throw unreadable(`is not a request: its line ${index + 1} is not a header`)
  }
  return headers.map(({ name, pieces }) => [name, pieces.length === 1 ? String(pieces[0]) : pieces.join('').trim()])
}

/** Matches a name, such as `x-nonce` or `:path:`, on a line of its own. */
const NAME = /^(:?[a-z][\w-]{0,99}):?\r?$/i
/** Matches the name of one of the three headers on a line of its own. */
const THREE = new RegExp(`^${anyNameOf('timestamp', 'nonce', 'signature')}:?\\r?$`, 'i')

/** Returns HTTP text for a list in which names and values have a line each, as DevTools copies headers. Returns `undefined` for other text. */
export function joinNamesAndValues(bytes: Uint8Array): Uint8Array | undefined {
  const lines = fromLatin1(bytes).split('\n')
  const names = lines.filter((line) => THREE.test(line))
  if (!names.some(hasSignature)) return undefined
  let start = lines.indexOf(String(names[0]))
  const isPair = (index: number) => NAME.test(lines[index] ?? '') && (lines[index + 1] ?? '').trim() !== ''
  while (isPair(start - 2)) start -= 2
  const headers: string[] = []
  let end = start
  for (; isPair(end); end += 2) headers.push(`${String(lines[end]).replace(NAME, '$1')}: ${lines[end + 1]}`)
  const body = lines
    .slice(end)
    .join('\n')
    .replace(/^\r?\n/, '')
  return latin1(`${headers.join('\n')}\n\n${body}`)
}
