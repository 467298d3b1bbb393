import { isUtf8 } from '../bytes.js'
import { countBytes } from '../text.js'
import { type Part, textView } from './bytes-view.js'
import { compareBytes } from './compare-bytes.js'
import { h } from './dom.js'

/** The bytes of one side, with the name of the side. */
export interface SideOfBytes {
  readonly name: string
  /** The beginning of a heading that ends with the number of bytes: `The sender signed`. */
  readonly title: string
  readonly bytes: Uint8Array
}

/** How many bytes are shown before and after the first difference. */
const BEFORE = 240
const AFTER = 1200

/**
 * Returns two byte sequences side by side, with their first difference marked.
 *
 * @param bodyStart - how many bytes are before the body, in both.
 */
export function sidesView(one: SideOfBytes, other: SideOfBytes, bodyStart = 0): HTMLElement[] {
  const difference = compareBytes(one.bytes, other.bytes)
  const { position } = difference
  if (position === undefined) {
    const view = textView([{ name: 'same', bytes: one.bytes }], 'The bytes of both sides')
    return [h('p', {}, `Both are the same ${countBytes(one.bytes.length)}.`), view]
  }
  const place = position < bodyStart ? `byte ${position}` : `byte ${position - bodyStart} of the body`
  return [
    h('p', {}, `The first difference is at ${place}. It is marked.`),
    h(
      'div',
      { class: 'sides' },
      sideView(one, position, difference.sender),
      sideView(other, position, difference.receiver),
    ),
  ]
}

/**
 * Returns the element that shows the bytes of one side around the first difference.
 *
 * @param byte - the first byte that differs, as text.
 */
function sideView({ name, title, bytes }: SideOfBytes, position: number, byte = 'its bytes end here'): HTMLElement {
  return h(
    'div',
    {},
    h('h3', {}, `${title} ${countBytes(bytes.length)}`),
    textView(partsAround(bytes, position), `${title}, around the first difference`),
    h('p', { class: 'muted' }, `${name}: ${byte}`),
  )
}

function partsAround(bytes: Uint8Array, position: number): Part[] {
  const start = position > BEFORE + 60 ? position - BEFORE : 0
  const end = Math.min(bytes.length, position + AFTER)
  // A character of several bytes is marked whole.
  let [from, to] = [position, Math.min(bytes.length, position + 1)]
  const isInside = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80
  if (isUtf8(bytes)) {
    while (isInside(from)) from--
    while (isInside(to)) to++
  }
  const dots = new TextEncoder().encode('…')
  return [
    { name: 'before', bytes: start > 0 ? dots : new Uint8Array() },
    { name: 'before', bytes: bytes.subarray(start, from) },
    { name: 'different', bytes: bytes.subarray(from, to) },
    { name: 'after', bytes: bytes.subarray(to, end) },
    { name: 'after', bytes: end < bytes.length ? dots : new Uint8Array() },
  ]
}
