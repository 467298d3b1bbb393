import { concat, isUtf8, utf8 } from '../bytes.js'
import { countBytes } from '../text.js'
import { textView } from './bytes-view.js'
import { h } from './dom.js'

const BEFORE = 240
const AFTER = 1200

/** Returns the bytes of both sides with the first difference marked. At `bodyStart`, the body begins. */
export function sidesView(sender: Uint8Array, receiver: Uint8Array, bodyStart: number): HTMLElement[] {
  const position = firstDifference(sender, receiver)
  if (position === undefined) return [h('p', {}, `Both sides have the same ${countBytes(sender.length)}.`)]
  const place = position < bodyStart ? `byte ${position}` : `byte ${position - bodyStart} of the body`
  return [
    h('p', {}, `The first difference is at ${place}. It is marked.`),
    h(
      'div',
      { class: 'sides' },
      sideView('The sender signed', sender, position),
      sideView('The receiver has', receiver, position),
    ),
  ]
}

function firstDifference(one: Uint8Array, other: Uint8Array): number | undefined {
  for (let position = 0; position < Math.max(one.length, other.length); position++) {
    if (one[position] !== other[position]) return position
  }
  return undefined
}

function sideView(title: string, bytes: Uint8Array, position: number): HTMLElement {
  const isText = isUtf8(bytes)
  /** Returns the nearest position, before or after `index`, at which a character begins. */
  const boundary = (index: number, step: 1 | -1): number =>
    isText && ((bytes[index] ?? 0) & 0xc0) === 0x80 ? boundary(index + step, step) : index
  const from = boundary(position, -1)
  const to = boundary(position + 1, 1)
  const start = boundary(Math.max(0, from - BEFORE), -1)
  const end = boundary(Math.min(bytes.length, to + AFTER), 1)
  const dots = (isCut: boolean) => utf8(isCut ? '…' : '')
  const byte = bytes[position]?.toString(16).padStart(2, '0')
  return h(
    'div',
    {},
    h('h3', {}, `${title} ${countBytes(bytes.length)}`),
    textView(
      `${title}, around the first difference`,
      concat(dots(start > 0), bytes.subarray(start, from)),
      bytes.subarray(from, to),
      concat(bytes.subarray(to, end), dots(end < bytes.length)),
    ),
    h(
      'p',
      { class: 'muted' },
      byte === undefined ? 'Its bytes end here.' : `The first byte that differs is 0x${byte}.`,
    ),
  )
}
