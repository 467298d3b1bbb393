import type { Body } from '../../../src/index.js'

// The shapes of a raw body on any runtime. test/rules/body.test.ts has those of another realm.

/** Bytes that are not UTF-8. Some of them decode to the same text. */
export const BYTES = Uint8Array.of(0x00, 0xff, 0x3a, 0xef, 0xbf, 0xbd, 0x0d, 0x0a)

const inside = Uint8Array.of(1, ...BYTES, 2)

/** Memory that another thread may change. */
export function shared(): Uint8Array {
  const view = new Uint8Array(new SharedArrayBuffer(BYTES.length))
  view.set(BYTES)
  return view
}

/** Shapes of {@link BYTES}. */
export const SHAPES: readonly (readonly [name: string, body: () => Body | Promise<Body>])[] = [
  ['a Uint8Array', () => BYTES],
  ['a Buffer', () => Buffer.from(BYTES)],
  ['a part of a larger buffer', () => inside.subarray(1, -1)],
  ['an ArrayBuffer', () => BYTES.slice().buffer],
  ['shared memory', shared],
  ["a Request's arrayBuffer()", () => new Request('http://localhost', { method: 'POST', body: BYTES }).arrayBuffer()],
  ["a Response's arrayBuffer()", () => new Response(BYTES).arrayBuffer()],
]

/** Views of wider elements on bytes 3 to 6 of {@link BYTES}. The types do not allow them. */
export const WIDER: readonly (readonly [name: string, body: () => ArrayBufferView])[] = [
  ['a Uint16Array', () => new Uint16Array(BYTES.slice().buffer, 2, 2)],
  ['a DataView', () => new DataView(BYTES.slice().buffer, 2, 4)],
  ['a DataView of shared memory', () => new DataView(shared().buffer, 2, 4)],
]

/** Text that a decoder may change: it has a byte order mark, characters outside ASCII and a carriage return. */
export const TEXT = '\ufeff{"name":"Zoë 🦊"}\r\n'

/** An ArrayBuffer whose memory was transferred away. */
export function transferred(): ArrayBuffer {
  const buffer = new ArrayBuffer(8)
  structuredClone(buffer, { transfer: [buffer] })
  return buffer
}

/** A Uint8Array whose memory was transferred away. Its length is 0, like that of an empty body. */
export function transferredBytes(): Uint8Array {
  const bytes = new Uint8Array(8)
  structuredClone(bytes, { transfer: [bytes.buffer] })
  return bytes
}
