import { CaptureError } from './capture-error.js'

/** A word of a command line. */
export interface ShellWord {
  readonly text: string
  /** Whether the shell expands a part of the word, such as a variable. */
  readonly isExpanded: boolean
}

/**
 * Returns the words of the first command of a text, by the rules of cmd if the text is for cmd, and otherwise by those of bash.
 */
export function splitCommand(text: string): readonly ShellWord[] {
  return isForCmd(text) ? splitForCmd(text) : splitForBash(text)
}

/** Returns whether a text is for cmd on Windows, because only cmd escapes with a caret. */
function isForCmd(text: string): boolean {
  return /\^(\r?\n|")/.test(text)
}

/** The error for a command that was wrapped, for example by a mail program. */
export const WRAPPED =
  'The command is broken into lines, and its lines do not end with \\. Copy the whole command again, as one line.'

const ENDLESS_QUOTE = 'The command has a quote that does not end. Copy the whole command.'

/** The words that are complete, and the word that is being read. */
class WordList {
  readonly words: ShellWord[] = []
  #text: string | undefined
  #isExpanded = false

  add(text: string): void {
    this.#text = (this.#text ?? '') + text
  }

  addExpansion(text: string): void {
    this.add(text)
    this.#isExpanded = true
  }

  endWord(): void {
    if (this.#text !== undefined) this.words.push({ text: this.#text, isExpanded: this.#isExpanded })
    this.#text = undefined
    this.#isExpanded = false
  }

  /** Removes the number before a redirection: `2> file`. */
  dropNumber(): void {
    if (this.#text !== undefined && /^\d+$/.test(this.#text)) this.#text = undefined
  }
}

/** Characters that have no special meaning in the shell. */
const PLAIN = /[^\s'"\\`$;|&<>]+/y
const SPACE = /\s+/y

function splitForBash(text: string): readonly ShellWord[] {
  const list = new WordList()
  let index = 0
  while (index < text.length) {
    const character = text[index]
    if (character === "'") {
      const end = indexAfter(text, "'", index + 1)
      list.add(text.slice(index + 1, end - 1))
      index = end
    } else if (character === '"') index = addDoubleQuoted(text, index + 1, list)
    else if (text.startsWith("$'", index)) index = addAnsiQuoted(text, index + 2, list)
    else if (character === '\\') {
      const [lineEnd = ''] = match(/\r?\n/y, text, index + 1)
      if (index + 1 === text.length) throw new CaptureError(ENDLESS_QUOTE)
      if (lineEnd === '') list.add(text.charAt(index + 1))
      index += 1 + (lineEnd.length || 1)
    } else if (/^`\r?\n/.test(text.slice(index, index + 3))) {
      throw new CaptureError(
        'The command is for PowerShell, which is not read. Run it with -v. Pass that output, and the file that was sent with --body-file PATH.',
      )
    } else if (character === '$' || character === '`') {
      list.addExpansion(text.charAt(index))
      index++
    } else if (/[;|&<>]/.test(text.charAt(index))) {
      if (/[<>]/.test(text.charAt(index))) list.dropNumber()
      break
    } else {
      const end = endOf(SPACE, text, index)
      // Another command follows on the next line.
      if (text.slice(index, end).includes('\n')) {
        if (/^(--?[A-Za-z]|')/.test(text.slice(end, end + 3))) throw new CaptureError(WRAPPED)
        break
      }
      if (end > index) list.endWord()
      const next = endOf(PLAIN, text, end)
      if (next > end) list.add(text.slice(end, next))
      index = next
    }
  }
  list.endWord()
  return list.words
}

/** Returns the index after the match of a sticky expression, or `index` if the expression matches nothing. */
function endOf(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index
  return sticky.test(text) ? sticky.lastIndex : index
}

function match(sticky: RegExp, text: string, index: number): readonly string[] {
  sticky.lastIndex = index
  return sticky.exec(text) ?? []
}

function indexAfter(text: string, quote: string, start: number): number {
  const end = text.indexOf(quote, start)
  if (end === -1) throw new CaptureError(ENDLESS_QUOTE)
  return end + 1
}

/**
 * Adds the text in quotes, and returns the index after the end quote.
 *
 * @param special - finds the end quote and the characters that have a special meaning.
 * @param addOther - adds a special character that is not the end quote, and returns the index after it.
 */
function addQuoted(
  text: string,
  start: number,
  list: WordList,
  special: RegExp,
  addOther: (character: string, index: number) => number,
): number {
  list.add('')
  for (let index = start; ; ) {
    special.lastIndex = index
    const [character] = special.exec(text) ?? []
    if (character === undefined) throw new CaptureError(ENDLESS_QUOTE)
    list.add(text.slice(index, special.lastIndex - 1))
    index = special.lastIndex
    if (/["']/.test(character)) return index
    index = addOther(character, index)
  }
}

/** Adds the text in `"…"`, and returns the index after the end quote. */
function addDoubleQuoted(text: string, start: number, list: WordList): number {
  return addQuoted(text, start, list, /["\\$`]/g, (character, index) => {
    if (character !== '\\') {
      list.addExpansion(character)
      return index
    }
    // Inside double quotes, a backslash before any other character stands for itself.
    const [escaped] = match(/\r?\n|["\\$`]/y, text, index)
    list.add(escaped === undefined ? character : escaped.replace(/\r?\n/, ''))
    return escaped === undefined ? index : index + escaped.length
  })
}

const ANSI_ESCAPES = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Adds the text in `$'…'`, and returns the index after the end quote. */
function addAnsiQuoted(text: string, start: number, list: WordList): number {
  return addQuoted(text, start, list, /['\\]/g, (_, index) => {
    const [sequence = text.charAt(index), unicode, byte] = match(/u([0-9a-f]{1,4})|x([0-9a-f]{1,2})/iy, text, index)
    const code = unicode ?? byte
    list.add(
      code === undefined ? (ANSI_ESCAPES.get(sequence) ?? sequence) : String.fromCharCode(Number.parseInt(code, 16)),
    )
    return index + sequence.length
  })
}

/** Returns the words of a command for cmd, which removes the carets before curl.exe reads the quotes. */
function splitForCmd(text: string): readonly ShellWord[] {
  const list = new WordList()
  const line = removeCarets(text)
  let isQuoted = false
  for (const [piece] of line.matchAll(/\\+"?|""|"|\s+|[^\\"\s]+/g)) {
    // Browsers double every backslash, not only those before a quote.
    if (piece.startsWith('\\')) list.add(piece.replace(/\\\\/g, '\\').replace(/\\"$/, '"'))
    else if (piece === '""' && isQuoted) list.add('"')
    else if (piece.startsWith('"')) {
      list.add('')
      isQuoted = piece === '""' ? isQuoted : !isQuoted
    } else if (isQuoted || piece.trim() !== '') list.add(piece)
    else list.endWord()
  }
  if (isQuoted) throw new CaptureError(ENDLESS_QUOTE)
  list.endWord()
  return list.words
}

/**
 * Returns the first command of the text as one line. A caret before one line end continues the line. A caret
 * before two line ends keeps one of them.
 */
function removeCarets(text: string): string {
  let line = ''
  for (const [piece, lineEnds, escaped] of text.matchAll(/\^((?:\r?\n){1,2})|\^([\s\S])|\r?\n|[^^\r\n]+|\r|\^/g)) {
    if (lineEnds !== undefined) line += /\n.*\n/s.test(lineEnds) ? '\n' : ''
    else if (/^\r?\n$/.test(piece)) break
    else line += escaped ?? piece
  }
  return line
}
