import { fromUtf8, latin1 } from '../bytes.js'
import { CaptureError } from './capture-error.js'
import type { CapturedRequest } from './captured-request.js'
import { type Header, parseHeader, valuesOf } from './headers.js'
import { type ShellWord, splitCommand, WRAPPED } from './shell-words.js'

// This file reads a curl command. Browsers, API clients and request inspectors can copy a request as a curl command.

/** Matches the start of a curl command, also after a prompt such as `$ `, `bob@host:~$ ` or `C:\>`. */
const CURL = /^(?:[^\n'"]{0,100}?[$%#>] ?)?curl(?:\.exe)?\s/
/** Matches a curl command with a URL or a header on its first line. */
const COMMAND = /^(?:[^\n'"]{0,100}?[$%#>] ?)?curl(?:\.exe)?[ \t][^\n]*(?:https?:\/\/| -H ?| --header )/m

export function isCurlCommand(beginning: string): boolean {
  return CURL.test(beginning)
}

/** Returns the index of a command after other text, or -1. If the other text looks like a request, the command is probably part of its body. */
export function findCurlCommand(text: string): number {
  const index = text.search(COMMAND)
  return /^[*>]|HTTP\/\d|\{/m.test(text.slice(0, Math.max(index, 0))) ? -1 : index
}

/** The options of curl that are followed by a value. */
const LETTERS_WITH_VALUE = new Set('AbcCdDeEFHKmoPQrtTuUwxXyYz')
const OPTIONS_WITH_VALUE = new Set(
  'header data data-raw data-binary data-ascii data-urlencode json form form-string request url user-agent cookie cookie-jar referer user output max-time connect-timeout proxy cert key cacert resolve retry write-out'.split(
    ' ',
  ),
)

/** The long names of options with one letter. */
const LONG_NAMES: { readonly [letter: string]: string } = { X: 'request', H: 'header', d: 'data', F: 'form' }

/** What the value of an option is: the text of the body, or a file if the value begins with `@`. */
const DATA_OPTIONS: { readonly [option: string]: 'text' | 'file' | 'file without line breaks' | 'unknown' } = {
  'data-raw': 'text',
  'data-binary': 'file',
  json: 'file',
  data: 'file without line breaks',
  'data-ascii': 'file without line breaks',
  // With these options, curl encodes the body itself, so the command does not show the bytes of the body.
  'data-urlencode': 'unknown',
  form: 'unknown',
  'form-string': 'unknown',
}

/** Returns the request that a command sends. The text of the command is decoded as Latin-1. */
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
        'The command has a shell variable, whose value is not in the text. Run the command with the option -v, and pass its output.',
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
    certainty: 'exact',
  }
}

const NO_WORD: ShellWord = { text: '', isExpanded: false }

/** Yields the options by their long names, each with its value. A word without an option, such as the URL, has an empty name. */
function* optionsOf(words: readonly ShellWord[]): Generator<readonly [option: string, value: ShellWord]> {
  const rest = words.values()
  const takeValue = (): ShellWord => rest.next().value ?? NO_WORD
  for (const word of rest) {
    const [, dashes, name = ''] = /^(--?)(.+)/s.exec(word.text) ?? []
    if (dashes === undefined) yield ['', word]
    else if (dashes === '--') yield [name, OPTIONS_WITH_VALUE.has(name) ? takeValue() : NO_WORD]
    else {
      // `-sXPUT` is the switch `-s` and the option `-X` with the value `PUT`.
      const end = [...name].findIndex((letter) => LETTERS_WITH_VALUE.has(letter))
      if (end === -1) continue
      const letter = name.charAt(end)
      const value = name.slice(end + 1)
      yield [LONG_NAMES[letter] ?? letter, value === '' ? takeValue() : { ...word, text: value }]
    }
  }
}

/** Adds the method, the path and the host before the headers, because a sender may have signed these values. */
function addTarget(method: string, text: string, headers: readonly Header[]): Header[] {
  const address = fromUtf8(latin1(text))
  const url = URL.canParse(address) ? new URL(address) : undefined
  const host: Header[] = url === undefined || valuesOf(headers, 'host').length > 0 ? [] : [['Host', url.host]]
  const target: Header[] = url === undefined ? [] : [[':path', url.pathname + url.search]]
  return [[':method', method], ...target, ...host, ...headers]
}

function headerLines(text: string): Header[] {
  if (text.startsWith('@')) {
    throw new CaptureError(
      'The headers of the command are in a file. Run the command with the option -v, and pass its output.',
    )
  }
  if (/[\r\n]/.test(text)) throw new CaptureError(WRAPPED)
  const header = parseHeader(text)
  return header === undefined ? [] : [header]
}
