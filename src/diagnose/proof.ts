import { type Buffer, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { NEWLINE, withoutLineBreaks } from './body.js'
import type { Deviation } from './choice.js'
import type { Finding, FindingCode } from './finding.js'
import { quoted } from './headers.js'
import { layoutText } from './message.js'
import type { Match, Way } from './search.js'
import { HEX_FIX } from './signature.js'
import { countBytes, joinWords } from './text.js'

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
  const spoken = joinWords(
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

  const rewritten = bodyChange(way)
  // A file that curl's -d read keeps its indentation: what is signed is then no JSON written anew.
  const lostLineBreaks = rewritten?.code === 'body_json' && withoutLineBreaks(body).equals(received)
  const change = lostLineBreaks ? LOST_LINE_BREAKS : rewritten
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
    const others = joinWords(
      codes.filter((code) => code !== finding.code),
      'and',
    )
    const all = findings.length === 2 ? 'both' : 'all'
    return { ...finding, evidence: `${finding.evidence}\nTogether with ${others}: ${all} must be mended.` }
  })
}

const LOST_LINE_BREAKS: Deviation = {
  code: 'body_newline',
  what: "the body with its line breaks, which curl's -d takes out of a file",
  fix: NEWLINE,
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
  const areText = isUtf8(signed) && isUtf8(received)
  const isWithinCharacter = (body: Buffer, index: number) => areText && (Number(body[index]) & 0xc0) === 0x80
  let from = Math.max(0, same - 8)
  while (isWithinCharacter(signed, from)) from--
  const excerpt = (body: Buffer) => {
    let end = same + 24
    while (isWithinCharacter(body, end)) end++
    const bytes = body.subarray(from, end)
    return areText ? withLetters(quoted(bytes.toString('utf8'))) : quoted(bytes.toString('latin1'))
  }
  return [
    `Signed: ${countBytes(signed.length)}, received: ${countBytes(received.length)}`,
    `They differ from byte ${same} on. From byte ${from},`,
    `  signed:   ${excerpt(signed)}`,
    `  received: ${excerpt(received)}`,
  ].join('\n')
}

/** Letters as themselves; what is not seen, or looks like another, such as a combining mark, stays spelt. */
function withLetters(spelt: string): string {
  return spelt.replace(/\\\\|\\u([0-9a-f]{4})/g, (spelling, digits?: string) => {
    const character = digits === undefined ? '' : String.fromCharCode(Number.parseInt(digits, 16))
    return /\p{L}/u.test(character) ? character : spelling
  })
}

/** A SHA-256 for people to compare. */
export function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}
