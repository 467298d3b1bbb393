import { fromUtf8, latin1 } from '../bytes.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { type Header, parseHeader, valuesOf } from './headers.js'
import { type ShellWord, splitCommand, WRAPPED } from './shell-words.js'

// A curl command, as browsers, API clients and request inspectors copy it.

/** Matches the start of a curl command, which may follow a prompt such as `$ `, `bob@host:~$ ` or `C:\>`. */
const CURL = /^(?:[^\n'"]{0,100}?[$%#>] ?)?curl(?:\.exe)?\s/
/** Matches a curl command on its own line. */
const COMMAND = /^(?:[^\n'"]{0,100}?[$%#>] ?)?curl(?:\.exe)?[ \t][^\n]*(?:https?:\/\/| -H ?| --header )/m

/** Returns whether a capture begins as a curl command. */
export function isCurlCommand(beginning: string): boolean {
  return CURL.test(beginning)
}

/** Returns the index of a command below prose, or -1 if the text looks like a capture that has a command in a body or response. */
export function findCurlCommand(text: string): number {
  const index = text.search(COMMAND)
  return /^[*>]|HTTP\/\d|\{/m.test(text.slice(0, Math.max(index, 0))) ? -1 : index
}

/** The options of curl that take a value. All other options are switches. */
const LETTERS_WITH_VALUE = new Set('AbcCdDeEFHKmoPQrtTuUwxXyYz')
const OPTIONS_WITH_VALUE = new Set(
  'header data data-raw data-binary data-ascii data-urlencode json form form-string request url user-agent cookie cookie-jar referer user output max-time connect-timeout proxy cert key cacert resolve retry write-out'.split(
    ' ',
  ),
)

/** The long names of the options of one letter. */
const LONG_NAMES: { readonly [letter: string]: string } = { X: 'request', H: 'header', d: 'data', F: 'form' }

/** How curl makes a body from the value of each option. A value may name a file: `@body.json`. */
const DATA_OPTIONS: { readonly [option: string]: 'text' | 'file' | 'file without line breaks' | 'unknown' } = {
  'data-raw': 'text',
  'data-binary': 'file',
  json: 'file',
  data: 'file without line breaks',
  'data-ascii': 'file without line breaks',
  // With these options, the command does not show the body, because curl encodes the body and chooses a boundary.
  'data-urlencode': 'unknown',
  form: 'unknown',
  'form-string': 'unknown',
}

/**
 * Returns the request that a command sends.
 *
 * @param text - the command, as Latin-1.
 */
export function parseCurlCommand(text: string): CapturedRequest {
  if (/(?:curl|-H|--header) ?\xe2\x80[\x98-\x9e]/.test(text)) {
    throw new CaptureError(
      'The command has typographic quotes (‘ or “) from a chat or a text editor. Copy the command again, as plain text.',
    )
  }
  const headers: Header[] = []
  const data: string[] = []
  let [method, url] = ['POST', '']
  let isBodyKnown = true
  let isFileJoined = false
  for (const [option, { text: value, isExpanded }] of optionsOf(splitCommand(text.trimStart().replace(CURL, '')))) {
    const kind = DATA_OPTIONS[option]
    if (option === '' || option === 'url') url = value
    else if (option === 'request') method = value
    else if (isExpanded && (option === 'header' || kind !== undefined)) {
      throw new CaptureError(
        'The command has a shell variable, and the value is not in the text. Run the command with curl -v, and pass that output.',
      )
    } else if (option === 'header') headers.push(...headerLines(value))
    else if (kind !== undefined) {
      data.push(value)
      const isFile = kind !== 'text' && value.startsWith('@')
      if (isFile || kind === 'unknown') isBodyKnown = false
      if (isFile) isFileJoined = kind === 'file without line breaks'
    }
  }
  return {
    headers: addTarget(method, url, headers),
    body: isBodyKnown ? latin1(data.join('&')) : undefined,
    isFileJoined,
    isExact: true,
  }
}

const NO_WORD: ShellWord = { text: '', isExpanded: false }

/** Returns the options by their long names, each with its value. The name of a URL is an empty text. */
function* optionsOf(words: readonly ShellWord[]): Generator<readonly [option: string, value: ShellWord]> {
  const rest = words.values()
  const takeValue = (): ShellWord => rest.next().value ?? NO_WORD
  for (const word of rest) {
    const [, dashes, name = ''] = /^(--?)(.+)$/s.exec(word.text) ?? []
    if (dashes === undefined) yield ['', word]
    else if (dashes === '--') yield [name, OPTIONS_WITH_VALUE.has(name) ? takeValue() : NO_WORD]
    else {
      // Several switches may share a dash. After an option that takes a value, the rest of the word is this value.
      const end = [...name].findIndex((letter) => LETTERS_WITH_VALUE.has(letter))
      if (end === -1) continue
      const letter = name.charAt(end)
      const value = name.slice(end + 1)
      yield [LONG_NAMES[letter] ?? letter, value === '' ? takeValue() : { ...word, text: value }]
    }
  }
}

/** Returns the headers with method, path and host before them, because a sender may have signed those values. */
function addTarget(method: string, text: string, headers: readonly Header[]): Header[] {
  const address = fromUtf8(latin1(text))
  const url = URL.canParse(address) ? new URL(address) : undefined
  const host: Header[] = url === undefined || valuesOf(headers, 'host').length > 0 ? [] : [['Host', url.host]]
  const target: Header[] = url === undefined ? [] : [[':path', url.pathname + url.search]]
  return [[':method', method], ...target, ...host, ...headers]
}

function headerLines(text: string): Header[] {
  if (text.startsWith('@')) {
    throw new CaptureError('The headers of the command are in a file. Run it with curl -v, and pass that output.')
  }
  if (/[\r\n]/.test(text)) throw new CaptureError(WRAPPED)
  const header = parseHeader(text)
  return header === undefined ? [] : [header]
}
