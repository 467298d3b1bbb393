import { fromLatin1, utf8 } from '../bytes.js'
import { CaptureError } from './capture-error.js'
import { decodeUnits, fromDigits, SHORT } from './escapes.js'

export interface ShellWord {
  readonly text: string
  /** Whether the shell replaces a part of the word, such as `$NAME`. */
  readonly isExpanded: boolean
}

export const WRAPPED =
  'The command has several lines, but the lines do not end with \\. Copy the whole command again, as one line.'

const ENDLESS_QUOTE = 'The command has a quote that does not end. Copy the whole command.'

const OF_WINDOWS =
  'The command is for PowerShell or cmd, which diagnose cannot read. Run the command with -v. Pass its output as the capture, and use --body-file PATH to pass the file that was sent.'

/** Collects the words of a command. A word can have several parts: `a'b'"c"` is the word `abc`. */
class WordList {
  readonly words: ShellWord[] = []
  #text: string | undefined
  isExpanded = false

  add(text: string): void {
    this.#text = (this.#text ?? '') + text
  }

  endWord(): void {
    if (this.#text !== undefined) this.words.push({ text: this.#text, isExpanded: this.isExpanded })
    this.#text = undefined
    this.isExpanded = false
  }
}

/** Matches the next part of a command: quoted text, an escape, a variable, the end of the command, white space, or other text. */
const BASH =
  /'(?<single>[^']*)'|\$'(?<ansi>[^'\\]*(?:\\[\s\S][^'\\]*)*)'|"(?<double>[^"\\]*(?:\\[\s\S][^"\\]*)*)"|(?<powershell>`\r?\n)|\\(?<escaped>\r?\n|[\s\S])|(?<variable>`|\$(?!'))|(?<end>[;|&<>])|(?<space>\s+)|[^\s'"\\`$;|&<>]+|(?<open>['"\\$])/g

/** Returns the words of the first command, by the rules of bash. All texts are Latin-1, because `$'\xff'` is a byte that UTF-8 lacks. */
export function splitCommand(text: string): readonly ShellWord[] {
  // Only cmd escapes with a caret.
  if (/\^(\r?\n|")/.test(text)) throw new CaptureError(OF_WINDOWS)
  const list = new WordList()
  for (const { 0: piece, index, groups = {} } of text.matchAll(BASH)) {
    const { single, ansi, double, powershell, escaped, variable, end, space, open } = groups
    if (open !== undefined) throw new CaptureError(ENDLESS_QUOTE)
    if (powershell !== undefined) throw new CaptureError(OF_WINDOWS)
    if (end !== undefined) break
    if (space !== undefined) {
      const after = text.slice(index + piece.length, index + piece.length + 3)
      if (!space.includes('\n')) list.endWord()
      else if (/^(--?[A-Za-z]|')/.test(after)) throw new CaptureError(WRAPPED)
      // Another command follows on the next line.
      else break
    } else if (double !== undefined) {
      // Inside double quotes, a backslash escapes only `"`, `\`, `$`, a backtick and a newline.
      const plain = double.replace(/\\(\r?\n|["\\$`])|[$`]/g, (special, one?: string) => {
        if (one === undefined) list.isExpanded = true
        return one === undefined ? special : one.trim()
      })
      list.add(plain)
    } else if (escaped !== undefined) {
      if (!escaped.endsWith('\n')) list.add(escaped)
    } else {
      if (variable !== undefined) list.isExpanded = true
      list.add(single ?? (ansi === undefined ? piece : decodeAnsi(ansi)))
    }
  }
  list.endWord()
  return list.words
}

const ANSI: typeof SHORT = { ...SHORT, a: '\x07', E: '\x1b', '\\': '\\', "'": "'", '"': '"', '?': '?' }

/** Returns the bytes of text in `$'…'`. For example, `\xeb` and `\353` become one byte each, and `\u00eb` becomes UTF-8. */
function decodeAnsi(text: string): string {
  return text.replace(
    /((?:\\u[0-9a-f]{4})+)|\\[uU]([0-9a-fA-F]{1,8})|\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})|\\([\s\S])/g,
    (whole, units?: string, point?: string, byte?: string, octal?: string, letter?: string) => {
      if (units !== undefined) return decodeUnits(units)
      if (point !== undefined) return fromLatin1(utf8(String.fromCodePoint(Number.parseInt(point, 16) % 0x110000)))
      if (byte !== undefined) return fromDigits(byte)
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
      return ANSI[letter as string] ?? whole
    },
  )
}
