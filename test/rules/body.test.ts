import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Body, verify } from '../../src/index.js'
import { bytesOf } from '../../src/rules/body.js'
import { BYTES, SHAPES, shared, TEXT, WIDER } from '../support/cases/bodies.js'
import { RecordingStore, SECRET, signedRequest, TestClock } from '../support/request.js'

function resultOf(signed: string | Uint8Array, received: Body) {
  return verify({ ...signedRequest({ body: signed }), body: received }, SECRET, new RecordingStore(), new TestClock())
}

describe('the exact bytes of the body are verified, as', () => {
  it.each<readonly [string, () => Body | Promise<Body>]>([
    ...SHAPES,
    ['a Uint8Array of another realm', () => runInNewContext('Uint8Array.from(bytes)', { bytes: [...BYTES] })],
    ['an ArrayBuffer of another realm', () => runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...BYTES] })],
  ])('%s', async (_, body) => {
    expect(await resultOf(BYTES, await body())).toMatchObject({ ok: true })
  })

  it('shared memory is copied, because another thread could change it between two reads', () => {
    const view = shared()
    expect(bytesOf(view, 'body')?.buffer).not.toBe(view.buffer)
    expect(bytesOf(BYTES, 'body')?.buffer).toBe(BYTES.buffer)
  })

  it.each(WIDER)('exactly the bytes of a view with wider elements: %s', async (_, body) => {
    expect(await Reflect.apply(resultOf, undefined, [BYTES.subarray(2, 6), body()])).toMatchObject({ ok: true })
  })

  it('a string, encoded as UTF-8, with its byte order mark', async () => {
    expect(await resultOf(Buffer.from(TEXT, 'utf8'), TEXT)).toMatchObject({ ok: true })
    expect(await resultOf(Buffer.from(TEXT.slice(1), 'utf8'), TEXT)).toMatchObject({ reason: 'signature_mismatch' })
  })

  it('a string that is not normalised, so another Unicode form of the text is another body', async () => {
    expect(await resultOf('é'.normalize('NFC'), 'é'.normalize('NFD'))).toMatchObject({ reason: 'signature_mismatch' })
  })
})
