import { fromUtf8, hex, isUtf8 } from '../bytes.js'
import { h } from './dom.js'

/** A piece of a message, with the class of its colour. */
export interface Part {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The largest number of bytes that is shown, because more would make the page slow. */
const MAX_SHOWN = 4096

/** Returns the bytes of all parts as text. Characters that nobody sees are drawn as symbols or as their code. */
export function textView(parts: readonly Part[], label: string): HTMLElement {
  const view = h('pre', { class: 'bytes', tabindex: '0', role: 'region', 'aria-label': label })
  let rest = MAX_SHOWN
  for (const { name, bytes } of parts) {
    view.append(h('span', { class: `part ${name}` }, ...visible(bytes.subarray(0, rest))))
    rest = Math.max(0, rest - bytes.length)
  }
  const hidden = parts.reduce((sum, { bytes }) => sum + bytes.length, 0) - MAX_SHOWN
  if (hidden > 0) view.append(h('span', { class: 'symbol' }, `… ${hidden} more bytes`))
  return view
}

/** Matches a character that nobody sees, such as a control character or a space at the end of a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]|(?! )\p{Z}| (?=\n|$)/gu

function visible(bytes: Uint8Array): (Node | string)[] {
  return isUtf8(bytes) ? visibleText(fromUtf8(bytes)) : visibleBytes(bytes)
}

function visibleText(text: string): (Node | string)[] {
  const pieces: (Node | string)[] = []
  let start = 0
  for (const match of text.matchAll(HIDDEN)) {
    pieces.push(text.slice(start, match.index), symbolOf(match[0]))
    start = match.index + match[0].length
  }
  return [...pieces, text.slice(start)]
}

const NAMES: { readonly [character: string]: readonly [symbol: string, name: string] } = {
  '\n': ['[LF]\n', 'line feed'],
  '\r': ['[CR]', 'carriage return'],
  '\t': ['[TAB]', 'tab'],
  '\0': ['[NUL]', 'NUL'],
  ' ': ['·', 'space'],
  '\ufeff': ['[BOM]', 'byte order mark'],
}

function symbolOf(character: string): HTMLElement {
  const code = `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
  const [symbol, name] = NAMES[character] ?? [`[${code}]`, code]
  return h('span', { class: 'symbol', title: name }, symbol)
}

/** Returns bytes as text, in which each byte that is not UTF-8 is shown in hex. */
function visibleBytes(bytes: Uint8Array): (Node | string)[] {
  const pieces: (Node | string)[] = []
  let start = 0
  for (let index = 0; index <= bytes.length; index++) {
    const byte = bytes[index]
    if (byte !== undefined && byte < 0x80) continue
    pieces.push(...visibleText(fromUtf8(bytes.subarray(start, index))))
    if (byte === undefined) break
    // The longest sequence of UTF-8 is 4 bytes.
    const length = [4, 3, 2].find((size) => index + size <= bytes.length && isUtf8(bytes.subarray(index, index + size)))
    if (length === undefined)
      pieces.push(h('span', { class: 'symbol', title: 'not UTF-8' }, `[${hex(Uint8Array.of(byte))}]`))
    else pieces.push(...visibleText(fromUtf8(bytes.subarray(index, index + length))))
    index += (length ?? 1) - 1
    start = index + 1
  }
  return pieces
}
