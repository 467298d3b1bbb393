import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { inBytes, inList } from '../words.js'
import type { Deviation } from './choice.js'
import type { Finding, FindingCode } from './finding.js'
import { quoted } from './headers.js'
import { layoutText } from './message.js'
import type { Match, Way } from './search.js'
import { HEX_FIX } from './signature.js'

/** What the way of signing that gives the signature received departs from, a finding for each part of it. */
export function provedFindings({ way, reading, body, before, after }: Match, received: Buffer): Finding[] {
  const findings: Finding[] = []
  const encoding = reading.differences.join(', ')
  const { digest, key, layout, timestamp, nonce } = way
  if (digest.deviation !== undefined) {
    const { code, what, fix } = digest.deviation
    const sent = encoding === '' ? '' : `, sent with a difference in form: ${encoding}`
    findings.push(proved(code, `X-Signature is ${what}${sent}.`, encoding === '' ? fix : both(fix, HEX_FIX)))
  }
  if (key.deviation !== undefined) {
    const { code, what, fix } = key.deviation
    const instead = code === 'secret_placeholder' ? '' : ', not with the secret as it is'
    findings.push(proved(code, `X-Signature was made with ${what}${instead}.`, fix))
  }

  const values = [timestamp.deviation, nonce.deviation].filter((one) => one !== undefined)
  const spoken = inList(
    values.map(({ what }) => what),
    'and',
  )
  const signed = [
    `Signed as: ${layoutText(layout.value)}`,
    `Before the body: ${quoted(before)}`,
    ...(after === '' ? [] : [`After the body: ${quoted(after)}`]),
  ].join('\n')
  if (layout.deviation !== undefined) {
    const { code, what, fix } = layout.deviation
    const [withValues, ofHeaders] = spoken === '' ? ['', ''] : [` with ${spoken}`, ' with the values of the headers']
    const message = `The sender signed ${what}${withValues}, not \`timestamp:nonce:body\`${ofHeaders}.`
    findings.push(proved(code, message, fix, signed))
  } else if (values[0] !== undefined) {
    const theirs = values.length === 1 ? 'the value of the header' : 'the values of the headers'
    const fix = values.map((one) => one.fix).reduce(both)
    findings.push(proved(values[0].code, `The message was signed with ${spoken}, not with ${theirs}.`, fix, signed))
  }

  const change = bodyChange(way)
  if (change !== undefined) {
    const instead = change.code === 'body_not_signed' ? '' : ', not the bytes received'
    const message = `The sender signed ${change.what}${instead}.`
    findings.push(proved(change.code, message, change.fix, comparison(body, received)))
  }
  if (encoding !== '' && digest.deviation === undefined) {
    findings.push(proved(reading.code, `X-Signature is the right digest in another form: ${encoding}.`, HEX_FIX))
  }
  if (findings.length < 2) return findings
  const codes = findings.map(({ code }) => code)
  return findings.map((finding) => {
    const others = inList(
      codes.filter((code) => code !== finding.code),
      'and',
    )
    const all = findings.length === 2 ? 'both' : 'all'
    return { ...finding, evidence: `${finding.evidence}\nTogether with ${others}: ${all} must be mended.` }
  })
}

/** What was done to the body, as one phrase: it was written anew, then changed, then ended. */
function bodyChange({ style, change, ending }: Way): Deviation | undefined {
  const first = style.deviation ?? change.deviation ?? ending.deviation
  if (first === undefined) return undefined
  const changed = change.deviation ?? style.deviation
  const being = change.deviation && style.deviation ? `, the body being ${style.deviation.what}` : ''
  const end = ending.deviation === undefined ? '' : `${changed === undefined ? '' : ','} ${ending.deviation.what}`
  return { ...first, what: `${changed?.what ?? 'the body'}${being}${end}` }
}

/** Two fixes of one finding. */
function both(fix: string, other: string): string {
  return `${fix.replace(/\.$/, '')}. ${other}`
}

function proved(code: FindingCode, message: string, fix: string, evidence?: string): Finding {
  const proof = 'Proved: signing so gives the signature received.'
  return { code, message, fix, evidence: evidence === undefined ? proof : `${evidence}\n${proof}` }
}

/** The first difference between the body that was signed and the one received, and their lengths. */
function comparison(signed: Buffer, received: Buffer): string {
  let same = 0
  while (same < signed.length && same < received.length && signed[same] === received[same]) same++
  const from = Math.max(0, same - 8)
  const excerpt = (body: Buffer) => quoted(body.subarray(from, same + 24).toString('latin1'))
  return [
    `Signed: ${inBytes(signed.length)}, received: ${inBytes(received.length)}`,
    `They differ from byte ${same} on. From byte ${from},`,
    `  signed:   ${excerpt(signed)}`,
    `  received: ${excerpt(received)}`,
  ].join('\n')
}

/** A SHA-256 for people to compare. */
export function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}
