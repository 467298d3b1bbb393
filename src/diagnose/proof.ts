import type { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Deviation } from './choice.js'
import type { Finding, FindingCode } from './finding.js'
import { quoted } from './headers.js'
import { layoutText } from './message.js'
import type { Match } from './search.js'
import { HEX_FIX } from './signature.js'

/** What the way of signing that gives the signature received departs from, a finding for each part of it. */
export function provedFindings({ way, reading, body, before, after }: Match, received: Buffer): Finding[] {
  const findings: Finding[] = []
  const add = (deviations: readonly (Deviation | undefined)[], say: (what: string) => string, evidence?: string) => {
    const [first, ...others] = deviations.filter((one) => one !== undefined)
    if (first === undefined) return
    const what = [first, ...others].map((one) => one.what).join(', ')
    findings.push(proved(first.code, say(what), first.fix, evidence))
  }

  const encoding = reading.differences.join(', ')
  const algorithm = way.digest.deviation
  if (algorithm !== undefined) {
    const sent = encoding === '' ? '' : `, sent with a difference in form: ${encoding}`
    findings.push(
      proved(
        algorithm.code,
        `X-Signature is ${algorithm.what}${sent}.`,
        encoding === '' ? algorithm.fix : `${algorithm.fix}. ${HEX_FIX}`,
      ),
    )
  }
  add([way.key.deviation], (what) => `X-Signature was made with ${what}, not with the secret as it is.`)
  add(
    [way.layout.deviation, way.timestamp.deviation, way.nonce.deviation],
    (what) =>
      way.layout.deviation === undefined
        ? `The message was signed with ${what}, not with the value of the header.`
        : `What was signed is ${what}, not \`timestamp:nonce:body\` with the header values.`,
    [
      `Signed as: ${layoutText(way.layout.value)}`,
      `Before the body: ${quoted(before)}`,
      ...(after === '' ? [] : [`After the body: ${quoted(after)}`]),
    ].join('\n'),
  )
  add(
    [way.style.deviation, way.change.deviation, way.ending.deviation],
    (what) =>
      `What was signed is ${way.style.cost + way.change.cost === 0 ? `the body ${what}` : what}, not the body received.`,
    comparison(body, received),
  )
  if (encoding !== '' && algorithm === undefined) {
    findings.push(proved(reading.code, `X-Signature is the right digest in another form: ${encoding}.`, HEX_FIX))
  }
  if (findings.length < 2) return findings
  const codes = findings.map(({ code }) => code)
  return findings.map((finding) => {
    const others = codes.filter((code) => code !== finding.code).join(' and ')
    return { ...finding, evidence: `${finding.evidence}\nTogether with ${others}: all must be mended.` }
  })
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
    `Signed: ${signed.length} bytes, received: ${received.length} bytes`,
    `They differ from byte ${same} on. From byte ${from},`,
    `  signed:   ${excerpt(signed)}`,
    `  received: ${excerpt(received)}`,
  ].join('\n')
}

/** A SHA-256 for people to compare. */
export function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}
