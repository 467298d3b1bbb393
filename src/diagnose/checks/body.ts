import { fromLatin1, fromUtf8, hex, isUtf8 } from '../bytes.js'
import { type Draft, quote } from '../text.js'
import type { Pair } from './headers.js'

/** The texts that JavaScript's String() returns for objects and for missing values. */
const NOT_A_BODY = /^(undefined|\[object \w{1,40}\])$/

const headerValue = (pairs: readonly Pair[], name: string) => pairs.find(([other]) => other === name)?.[1].trim() ?? ''

/** The number of bytes that Content-Length announces. */
export function announcedLength(pairs: readonly Pair[]): number | undefined {
  const length = headerValue(pairs, 'content-length')
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Checks whether the body was lost before it was verified, or sent as `[object Object]`. */
export function checkLostBody(body: Uint8Array, pairs: readonly Pair[]): Draft[] {
  const announced = announcedLength(pairs)
  const length = ['Bytes of the body', String(body.length)] as const
  const text = fromLatin1(body.subarray(0, 64))
  if (NOT_A_BODY.test(text)) {
    const fix =
      announced === undefined ? 'pass_or_send_text' : announced === body.length ? 'send_text' : 'pass_raw_body'
    const evidence = announced === undefined ? [length] : [['Content-Length', String(announced)] as const, length]
    return [{ code: 'body_changed', kind: 'bodyIsObject', params: { text }, fix, evidence }]
  }
  const transferEncoding = headerValue(pairs, 'transfer-encoding')
  const isChunked = /(^|[\s,])chunked$/i.test(transferEncoding)
  if (body.length > 0 || (!announced && !isChunked)) return []
  const announcement = announced
    ? (['Content-Length', String(announced)] as const)
    : (['Transfer-Encoding', transferEncoding] as const)
  const evidence = [announcement, length]
  return [{ code: 'body_changed', kind: 'bodyLost', params: {}, fix: 'pass_raw_body', evidence }]
}

/** Reports mistakes that the body and the other headers show, if no way of signing explains the signature. */
export function suspectBody(body: Uint8Array, pairs: readonly Pair[]): Draft[] {
  const encoding = headerValue(pairs, 'content-encoding').toLowerCase()
  // Compressed bytes are not text.
  if (/^((x-)?gzip|deflate|br|zstd)$/.test(encoding) && isUtf8(body)) {
    const begin = hex(body.subarray(0, 16))
    return [
      {
        code: 'body_compressed',
        kind: 'bodyInflated',
        params: { encoding },
        fix: 'sign_compressed',
        side: 'receiver',
        evidence: [
          ['Content-Encoding', encoding],
          ['The body begins with', begin],
          'The compressed bytes cannot be made again, so this is not proved.',
        ],
      },
    ]
  }
  const announced = announcedLength(pairs)
  if (announced !== undefined && announced !== body.length) {
    const params = { announced, length: body.length }
    return [{ code: 'body_changed', kind: 'bodyLength', params, fix: 'pass_whole_body' }]
  }
  const position = isUtf8(body) ? fromUtf8(body).indexOf('\ufffd') : -1
  if (position === -1) return []
  const around = quote(fromUtf8(body).slice(Math.max(0, position - 8), position + 8))
  return [
    {
      code: 'body_encoding',
      kind: 'bodyReplaced',
      params: { position },
      fix: 'encode_once',
      evidence: [['Around it', around]],
    },
  ]
}
