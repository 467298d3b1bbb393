import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { bodyBytes } from '../src/body.js'
import { type Body, verify } from '../src/index.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from './request.js'

const BYTES = Uint8Array.of(0x00, 0xff, 0x3a, 0xef, 0xbf, 0xbd, 0x0d, 0x0a)

function verdict(signed: string | Uint8Array, received: Body) {
  return verify({ ...signedRequest({ body: signed }), body: received }, SECRET, new RecordingStore(), new TestClock())
}

describe('the bytes of the body are the ones verified, as', () => {
  const inside = Uint8Array.of(1, ...BYTES, 2)
  const shared = new Uint8Array(new SharedArrayBuffer(BYTES.length))
  shared.set(BYTES)

  it.each<[string, Body]>([
    ['a Uint8Array', BYTES],
    ['a Buffer', Buffer.from(BYTES)],
    ['a part of a larger buffer', inside.subarray(1, -1)],
    ['an ArrayBuffer', BYTES.slice().buffer],
    ['shared memory', shared],
    ['a Uint8Array of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes: [...BYTES] })],
    ['an ArrayBuffer of another realm', runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...BYTES] })],
  ])('%s', async (_, body) => {
    expect(await verdict(BYTES, body)).toMatchObject({ ok: true })
  })

  it('shared memory is copied before it is looked at, for another thread could change it between two looks', () => {
    expect(bodyBytes(shared, 'body')?.buffer).not.toBe(shared.buffer)
    expect(bodyBytes(BYTES, 'body')?.buffer).toBe(BYTES.buffer)
  })

  it('a view of wider elements, byte for byte', async () => {
    const wide = new Uint16Array(BYTES.slice().buffer, 2, 2)
    const view = new DataView(BYTES.slice().buffer, 2, 4)
    for (const body of [wide, view]) {
      expect(await Reflect.apply(verdict, undefined, [BYTES.subarray(2, 6), body])).toMatchObject({ ok: true })
    }
  })

  it('a string, encoded as UTF-8, byte order mark and all', async () => {
    const text = '\ufeff{"name":"Zoë 🦊"}\r\n'
    expect(await verdict(Buffer.from(text, 'utf8'), text)).toMatchObject({ ok: true })
    expect(await verdict(Buffer.from(text.slice(1), 'utf8'), text)).toMatchObject({ reason: 'signature_mismatch' })
  })

  it('not normalised: the same text in another normal form is another body', async () => {
    expect(await verdict('é'.normalize('NFC'), 'é'.normalize('NFD'))).toMatchObject({ reason: 'signature_mismatch' })
  })
})
