import type { Buffer } from 'node:buffer'
import type { Finding } from './finding.js'
import type { Pair } from './headers.js'
import { countBytes } from './text.js'

/** What String makes of an object, and of nothing. */
const OF_AN_OBJECT = /^(undefined|\[object \w{1,40}\])$/

const PASS_BYTES =
  "On the receiver's side: pass the bytes as received, before any body parser or logger reads them (Express: express.raw({ type: () => true }) and request.body, before express.json(); Fetch: await request.arrayBuffer(), once), and never String(request.body)."

/** Whether the body was lost before it was verified, or sent as what stands for an object: no signature explains that. */
export function lostBody(body: Buffer, pairs: readonly Pair[]): Finding | undefined {
  const header = (name: string) => pairs.find(([other]) => other === name)?.[1].trim() ?? ''
  const length = header('content-length')
  const announced = /^\d{1,15}$/.test(length) ? Number(length) : undefined
  const text = body.length <= 64 ? body.toString('latin1') : ''
  if (OF_AN_OBJECT.test(text)) {
    const sent = "On the sender's side: send text, not an object (Node: body: JSON.stringify(event))."
    const evidence = announced === undefined ? '' : `Content-Length: ${announced}\n`
    return {
      code: 'body_changed',
      message: `The body is the text \`${text}\`, which is what JavaScript makes of ${text === 'undefined' ? 'nothing' : 'an object'}, not the bytes of a webhook.`,
      // Who sent as many bytes sent this text.
      fix: announced === body.length ? sent : announced === undefined ? `${PASS_BYTES} ${sent}` : PASS_BYTES,
      evidence: `${evidence}Bytes of the body: ${body.length}`,
    }
  }
  if (body.length > 0) return undefined
  const isChunked = /(^|[\s,])chunked$/i.test(header('transfer-encoding'))
  const says =
    announced !== undefined && announced > 0
      ? `Content-Length says ${countBytes(announced)}`
      : isChunked
        ? 'Transfer-Encoding says that one was sent'
        : undefined
  if (says === undefined) return undefined
  return {
    code: 'body_changed',
    message: `The body is empty, but ${says}: its stream was read before it was verified, or a body parser took it.`,
    fix: PASS_BYTES,
    evidence: `${isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`}\nBytes of the body: 0`,
  }
}
