import { utf8 } from '../../diagnose/bytes.js'
import type { HeaderLine } from '../output/http.js'
import { UsageError } from '../usage-error.js'
import { type CapturedRequest, parseHeader, valuesOf } from './captured-request.js'

// A command that sends a request, as browsers copy it: "Copy as cURL (bash)" or "Copy as PowerShell".

const CURL = /^(\$ |PS[^>\n]*> )?curl(\.exe)?\s/
const POWERSHELL = /^(\$\w+ ?= ?)?(New-Object|Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\s/i

/** Checks whether a capture begins as a command. */
export function isCommand(begin: string): boolean {
  return CURL.test(begin) || POWERSHELL.test(begin)
}

export function parseCommand(command: string): CapturedRequest {
  return CURL.test(command) ? parseCurl(command.replace(CURL, '')) : parsePowerShell(command)
}

/** The options of curl that take a value. The others are switches. */
const OPTIONS_WITH_VALUE =
  /^(-[AbcCdDeEFHKmoPQrtTuUwxXyYz]|--(header|data(-\w+)?|json|request|url|user-agent|cookie|cookie-jar|referer|user|output|max-time|connect-timeout|proxy|cert|key|cacert|resolve|retry|form|write-out))$/

function parseCurl(command: string): CapturedRequest {
  // pop() is faster than shift().
  const words = shellWords(command).reverse()
  const headers: HeaderLine[] = []
  const data: string[] = []
  let [method, url] = ['POST', '']
  let file: 'whole' | 'without line breaks' | undefined
  while (words.length > 0) {
    const [option, value] = takeOption(words)
    if (option === '') url = value
    else if (option === '--url') url = value
    else if (option === '-X' || option === '--request') method = value
    else if (option === '-H' || option === '--header') headers.push(...headerLines(value))
    else if (option === '-d' || option === '--json' || option.startsWith('--data')) {
      data.push(value)
      if (value.startsWith('@') && option !== '--data-raw') {
        file = option === '--data-binary' || option === '--json' ? 'whole' : 'without line breaks'
      }
    }
  }
  const body = file === undefined ? utf8(data.join('&')) : undefined
  return { headers: addTarget(method, url, headers), body, isFileJoined: file === 'without line breaks' }
}

/** Removes an option and its value from the words, and returns them. A URL is the value of an empty option. */
function takeOption(words: string[]): [option: string, value: string] {
  const word = words.pop() as string
  if (/^--./.test(word)) return [word, OPTIONS_WITH_VALUE.test(word) ? (words.pop() ?? '') : '']
  if (!/^-./.test(word)) return ['', word]
  const [option, rest] = [word.slice(0, 2), word.slice(2)]
  if (OPTIONS_WITH_VALUE.test(option)) return [option, rest || (words.pop() ?? '')]
  if (rest !== '') words.push(`-${rest}`)
  return [option, '']
}

/** Adds method, path and host, which a sender may have signed. */
function addTarget(method: string, text: string, headers: readonly HeaderLine[]): HeaderLine[] {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const host: HeaderLine[] = url === undefined || valuesOf(headers, 'host').length > 0 ? [] : [['Host', url.host]]
  const target: HeaderLine[] = url === undefined ? [] : [[':path', url.pathname + url.search]]
  return [[':method', method], ...target, ...host, ...headers]
}

function headerLines(text: string): HeaderLine[] {
  const header = parseHeader(text)
  return header === undefined ? [] : [header]
}

/** A piece of a word: a quoted text, an escaped line end, an escaped character, white space, plain text, or an operator. */
const SHELL_PIECE =
  /\$'((?:\\.|[^'\\])*)'|'([^']*)'|"((?:[\\`].|[^"\\`])*)"|[\\`]\r?\n|\\(.)|(\s+)|([^\s'"\\`$;|&<>]+|\$(?!'))|[;|&<>]/sy

/** Splits a command line into words as bash does. It also knows the backtick of PowerShell. */
function shellWords(command: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (SHELL_PIECE.lastIndex = 0; SHELL_PIECE.lastIndex < command.length; ) {
    const [piece, ansi, single, double, escaped, space, plain] = SHELL_PIECE.exec(command) ?? []
    if (piece === undefined) throw new UsageError('The command has a quote that does not end. Copy the whole command.')
    // Another command follows.
    if (/^[;|&<>]/.test(piece) || space?.includes('\n')) break
    const text = ansi === undefined ? (single ?? double?.replace(/[\\`](?:\r?\n|(["\\$`]))/g, '$1')) : decodeAnsi(ansi)
    const isBreak = space !== undefined || /^[\\`]\r?\n/.test(piece)
    if (!isBreak) word = (word ?? '') + (text ?? escaped ?? plain)
    else if (word !== undefined) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}

const ANSI_ESCAPES = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Decodes the escapes of `$'…'` in bash. */
function decodeAnsi(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{1,4})|x([0-9a-f]{1,2})|(.))/gis, (_, unicode, byte, letter) =>
    letter === undefined
      ? String.fromCharCode(Number.parseInt(unicode ?? byte, 16))
      : (ANSI_ESCAPES.get(letter) ?? letter),
  )
}

/** A token of PowerShell: `"…"`, `'…'`, a bracket, `=`, or a word. */
const POWERSHELL_TOKEN = /"((?:`.|""|[^"`])*)"|'((?:''|[^'])*)'|@\{|[{}=()]|[^\s"'={}()`]+/gs

function parsePowerShell(command: string): CapturedRequest {
  const tokens = [...command.matchAll(POWERSHELL_TOKEN)].map(([token, double, single]) => ({
    token,
    text: double === undefined ? single?.replaceAll("''", "'") : decodeBackticks(double),
  }))
  const indexOf = (parameter: string) => tokens.findIndex(({ token }) => token.toLowerCase() === `-${parameter}`)
  /** Returns the string after a parameter, or a word. */
  const find = (parameter: string) => {
    const index = indexOf(parameter)
    if (index === -1) return undefined
    const next = tokens[index + 1]
    // The string is perhaps in a call: ([System.Text.Encoding]::UTF8.GetBytes("…")).
    return next?.token === '('
      ? tokens.slice(index).find(({ text }) => text !== undefined)?.text
      : (next?.text ?? next?.token)
  }
  const start = indexOf('headers')
  const end = tokens.findIndex(({ token }, index) => index > start && token === '}')
  const headers = tokens.slice(start, start === -1 ? start : end).flatMap(({ token }, index): HeaderLine[] => {
    const [name, value] = [tokens[start + index - 1], tokens[start + index + 1]]
    return token === '=' ? [[name?.text ?? String(name?.token), value?.text ?? String(value?.token)]] : []
  })
  const body = find('body')
  return {
    headers: addTarget(find('method') ?? 'POST', find('uri') ?? '', headers),
    // The value of a variable is not in the command.
    body: body?.startsWith('$') ? undefined : utf8(body ?? ''),
  }
}

const BACKTICKS = new Map([...ANSI_ESCAPES, ['0', '\0']])

/** Decodes the escapes of `"…"` in PowerShell. */
function decodeBackticks(text: string): string {
  return text.replace(/`(.)|""|\$\(\[char\](0x[0-9a-f]+|\d+)\)/gis, (match, letter?: string, code?: string) => {
    if (code !== undefined) return String.fromCharCode(Number(code))
    return letter === undefined ? match.slice(1) : (BACKTICKS.get(letter) ?? letter)
  })
}
