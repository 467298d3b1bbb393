import { fromLatin1, fromUtf8, isUtf8 } from '../bytes.js'
import { h } from './dom.js'

/** The maximum number of bytes that are shown. More bytes would make the page slow. */
const MAX_SHOWN = 4096

/** Matches an invisible character, or a space at the end of a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]|(?! )\p{Z}| (?=\n|$)/gu
const NOT_ASCII = /[^ -~]/g

const NAMES: { readonly [character: string]: string } = { '\n': 'LF', '\r': 'CR', '\t': 'TAB', '\0': 'NUL', ' ': 'SP' }

/** Returns an element that shows bytes as text, with `marked` highlighted, and invisible characters by name: `[LF]` or `[U+200B]`. */
export function textView(label: string, bytes: Uint8Array, marked?: Uint8Array, after?: Uint8Array): HTMLElement {
  const hidden = bytes.length - MAX_SHOWN
  return h(
    'pre',
    { tabindex: '0', role: 'region', 'aria-label': label },
    ...visible(bytes.subarray(0, MAX_SHOWN)),
    hidden > 0 ? symbol(`… ${hidden} more bytes`) : undefined,
    marked && h('mark', {}, ...visible(marked)),
    ...(after === undefined ? [] : visible(after)),
  )
}

const symbol = (text: string) => h('span', { class: 'muted' }, text)

function visible(bytes: Uint8Array): (Node | string)[] {
  const [text, pattern] = isUtf8(bytes) ? [fromUtf8(bytes), HIDDEN] : [fromLatin1(bytes), NOT_ASCII]
  const pieces: (Node | string)[] = []
  let start = 0
  for (const { 0: character, index } of text.matchAll(pattern)) {
    const code = (character.codePointAt(0) as number).toString(16)
    const name = NAMES[character] ?? (pattern === HIDDEN ? `U+${code.toUpperCase().padStart(4, '0')}` : code)
    pieces.push(text.slice(start, index), symbol(`[${name}]${character === '\n' ? '\n' : ''}`))
    start = index + character.length
  }
  return [...pieces, text.slice(start)]
}
