/** What Compare shows. */
export interface Difference {
  /** The position of the first byte that differs, or `undefined` if all are equal. */
  readonly position: number | undefined
  readonly sender: string | undefined
  readonly receiver: string | undefined
}

/** Returns the position of the first byte that differs, and this byte on both sides. */
export function compareBytes(sender: Uint8Array, receiver: Uint8Array): Difference {
  const length = Math.max(sender.length, receiver.length)
  for (let position = 0; position < length; position++) {
    if (sender[position] !== receiver[position]) {
      return { position, sender: describeByte(sender[position]), receiver: describeByte(receiver[position]) }
    }
  }
  return { position: undefined, sender: undefined, receiver: undefined }
}

const BYTE_NAMES: { readonly [byte: number]: string } = {
  0: 'NUL',
  9: 'tab',
  10: 'line feed',
  13: 'carriage return',
  32: 'space',
  127: 'delete',
}

function describeByte(byte: number | undefined): string | undefined {
  if (byte === undefined) return undefined
  const name = BYTE_NAMES[byte] ?? (byte > 32 && byte < 127 ? String.fromCharCode(byte) : '')
  return `0x${byte.toString(16).padStart(2, '0')}${name === '' ? '' : ` (${name})`}`
}
