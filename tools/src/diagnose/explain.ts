import { fromLatin1, fromUtf8, hex, isUtf8, latin1 } from '../bytes.js'
import type { BodyOrigin } from '../capture/body.js'
import { contentLengthOf, passedProxy } from '../capture/headers.js'
import { countBytes, joinWords, quote, showCharacters } from '../text.js'
import type { Mistake } from './dimensions.js'
import type { Draft, EvidenceLine } from './draft.js'
import type { RequestToDiagnose } from './engine.js'
import type { Language } from './finding.js'
import { JSON_WRITERS, type JsonWriter, parseBody, TRAITS } from './hypotheses/json.js'
import { type Layout, layoutText } from './hypotheses/layout.js'
import type { JsonText } from './json/parse.js'
import { COMPACT } from './json/styles.js'
import { type JsonStyle, writeJson } from './json/write.js'
import type { Mask } from './mask-secrets.js'
import { type FoundVariant, messageOf } from './signing-variants.js'
import type { Steps } from './steps.js'

export const PROOF = 'Confirmed: signing this way produces the received signature.'

const OR_CHANGED: { readonly [origin in BodyOrigin]: string } = {
  arrived: '',
  sent: '',
  log: ', or the logger changed them',
  capture: ', or the capture changed them',
}

/** The fixes for a body whose text was escaped or replaced. */
const OF_TEXT: ReadonlySet<Mistake['fix']> = new Set(['same_bytes', 'pass_as_data', 'without_slashes'])

const MOST_DIGITS = 'All other digits are right, so both sides have the same secret and the same bytes.'

type Cause = Pick<Mistake, 'code' | 'fix' | 'side'>

/** Returns a draft for each mistake of the signing variant. Together, these mistakes explain the signature. */
export function* explain(
  variant: FoundVariant,
  request: Pick<RequestToDiagnose, 'body' | 'headers' | 'isCaptured' | 'origin'>,
  mask: Mask,
  right: Layout,
  sender?: Language,
): Steps<Draft[]> {
  const { body: received, headers, isCaptured, origin = 'arrived' } = request
  const form = variant.form.differences.join(', ')
  const of = (...names: Mistake['dimension'][]) => variant.mistakes.filter(({ dimension }) => names.includes(dimension))
  const values = of('timestamp', 'nonce')
  const [layout] = of('layout')
  const [digest] = of('algorithm')
  const confirmed = (mistake: Cause, message: string, ...evidence: EvidenceLine[]): Draft => {
    return { ...mistake, message, evidence: [...evidence, PROOF] }
  }
  const drafts: Draft[] = []

  if (digest !== undefined) {
    const sent = form === '' ? '' : `, sent in another form: ${form}`
    drafts.push(confirmed(digest, `X-Signature is ${digest.what}${sent}.`))
  }
  for (const secret of of('secret')) {
    const end = secret.code === 'secret_placeholder' ? '' : ', not with the secret itself'
    drafts.push(confirmed(secret, `X-Signature was made with ${secret.what}${end}.`))
  }
  const wrongValues = values.map(({ what }) => what)
  const whats = joinWords(wrongValues, 'and')
  if (layout !== undefined) {
    const message = `The sender signed ${layout.what}${whats && ` with ${whats}`}, not \`${layoutText(right, mask)}\`.`
    drafts.push(confirmed(layout, message, ...signedAs(variant, mask)))
  } else if (values[0] !== undefined) {
    const expected = values.length === 1 ? 'value of the header' : 'values of the headers'
    const message = `The signed message contains ${whats}, not the ${expected}.`
    drafts.push(confirmed(values[0], message, ...signedAs(variant, mask)))
  }
  // Content-Length is the number of bytes that arrived. If the signed body has this length, and the received body does not, the receiver
  // changed the body.
  const contentLength = contentLengthOf(headers)
  const isChangedHere = contentLength === variant.body.length && contentLength !== received.length
  const isChangedThere = origin === 'sent' || (contentLength === received.length && !passedProxy(headers))
  const orChangedBy = contentLength === received.length ? '' : OR_CHANGED[origin]
  // No sender makes this of its JSON: a gateway or a shell changed the text on the way.
  const isBroken = parseBody(variant.body) !== undefined && parseBody(received) === undefined
  const side = orChangedBy !== '' ? 'unknown' : isChangedHere ? 'receiver' : isChangedThere ? 'sender' : 'unknown'
  for (const [index, { code, fix, what, style, input }] of joinChanges(of('body', 'JSON')).entries()) {
    const json = style && (yield* describeJson(style, input as Uint8Array, sender))
    const end = `${code === 'body_not_signed' ? '' : ', not the bytes received'}${orChangedBy}`
    const evidence = index === 0 ? compareBodies(variant.body, received, mask) : []
    const signed = `The sender signed ${json?.what ?? what}${end}.`
    const broken = `Only the signed body is JSON, so something changed the body after it was signed. ${signed}`
    const draft =
      isBroken && OF_TEXT.has(fix)
        ? confirmed({ code, fix: fix === 'pass_as_data' ? 'same_bytes' : fix }, broken, ...evidence)
        : confirmed({ code, fix, side }, signed, ...evidence)
    drafts.push({ ...draft, languages: json?.languages ?? [] })
  }
  if (form !== '' && digest === undefined) {
    const { code, isOfCapture = false } = variant.form
    const side = isOfCapture && isCaptured ? 'unknown' : 'sender'
    const cause: Cause = { code, fix: isOfCapture ? 'whole_value' : 'send_hex', side }
    const isChanged = code === 'signature_changed'
    const how = isChanged ? 'almost the right digest' : 'the right digest in another form'
    drafts.push(confirmed(cause, `X-Signature is ${how}: ${form}.`, ...(isChanged ? [MOST_DIGITS] : [])))
  }
  return drafts.map((draft) => withOthers(draft, drafts))
}

/** Joins changes with the same code and fix, because they become one finding. */
function joinChanges(changes: readonly Mistake[]): Mistake[] {
  const joined: Mistake[] = []
  for (const change of changes) {
    const { code, fix, style, what } = change
    const same = joined.findIndex((one) => one.code === code && one.fix === fix && one.style === style)
    const first = joined[same]
    if (first === undefined) joined.push(change)
    else joined[same] = { ...first, what: `${first.what}, and ${what.replace('the body ', '')}` }
  }
  return joined
}

function signedAs(variant: FoundVariant, mask: Mask): EvidenceLine[] {
  const parts = messageOf(variant)
  const place = variant.layout.findIndex((part) => /^<"?body"?>$/.test(part))
  const text = (some: readonly Uint8Array[]) => some.map((part) => quote(mask(fromUtf8(part)))).join(' + ')
  const lines: EvidenceLine[] = [['Signed as', layoutText(variant.layout, mask)]]
  if (place === -1) return [...lines, ['The message', text(parts)]]
  lines.push(['Before the body', text(parts.slice(0, place))])
  return place === parts.length - 1 ? lines : [...lines, ['After the body', text(parts.slice(place + 1))]]
}

/** Describes the signed JSON, for example "the JSON as Python's json.dumps writes it", and returns the languages that write this JSON. */
function* describeJson(
  style: JsonStyle,
  input: Uint8Array,
  sender?: Language,
): Steps<{ what: string; languages: readonly Language[] }> {
  const text = parseBody(input) as JsonText
  const signed = writeJson(text, style)
  // If only numbers differ, such as `1` and `1.0`, many serializers or a proxy may be the cause, so no serializer is named.
  if (writeJson(text, { number: style.number }) === signed) {
    return { what: 'the JSON with numbers in another form, such as `1.0` instead of `1`', languages: [] }
  }
  const writers: JsonWriter[] = []
  for (const one of JSON_WRITERS) {
    if (writeJson(text, one.style) === signed) writers.push(one)
    yield text.text.length
  }
  const likely = writers.filter(({ likelihood }) => likelihood !== 'rare')
  // One serializer per language is enough, because the reader knows which one the code uses.
  const all = (likely.length > 0 ? likely : writers).filter(
    ({ language }, index, list) => list.findIndex((one) => one.language === language) === index,
  )
  const own = all.filter(({ language }) => language === sender)
  const known = own.length > 0 ? own : all
  const { spacing, escaping, order } = style
  const traits: JsonStyle[] = [{ spacing }, { escaping }, { order }]
  const how: string[] = []
  for (const trait of traits) {
    const names = Object.values(trait).flatMap((value) => TRAITS.get(value) ?? [])
    if (names.length === 0) continue
    if (writeJson(text, trait) !== writeJson(text, { spacing: trait.order && COMPACT })) how.push(...names)
  }
  const names = known.slice(0, 3).map(({ writer }) => writer)
  const written = names.length === 0 ? 'the JSON serialized again' : `the JSON as ${joinWords(names, 'or')} writes it`
  return {
    what: how.length === 0 ? written : `${written} (${how.join(', ')})`,
    languages: known.map(({ language }) => language),
  }
}

/** Returns evidence that shows the first difference between the signed body and the received body. */
export function compareBodies(signed: Uint8Array, received: Uint8Array, mask: Mask): EvidenceLine[] {
  const areText = isUtf8(signed) && isUtf8(received)
  const isInsideCharacter = (body: Uint8Array, index: number) => areText && ((body[index] ?? 0) & 0xc0) === 0x80
  let same = 0
  while (same < signed.length && signed[same] === received[same]) same++
  let from = Math.max(0, same - 8)
  while (isInsideCharacter(signed, from)) from--
  const excerpt = (body: Uint8Array) => {
    let end = same + 24
    while (isInsideCharacter(body, end)) end++
    const bytes = body.subarray(from, end)
    return `${from > 0 ? '…' : ''}${areText ? showCharacters(mask(fromUtf8(bytes))) : showBytes(mask(fromLatin1(bytes)))}${end < body.length ? '…' : ''}`
  }
  return [
    `Signed: ${countBytes(signed.length)}, received: ${countBytes(received.length)}. They differ from byte ${same}:`,
    ['  signed', `  ${excerpt(signed)}`],
    ['  received', excerpt(received)],
  ]
}

/** Returns bytes as text, with the hex of each byte that is not visible ASCII: `Zo<EB>`. */
const showBytes = (bytes: string) => bytes.replace(/[^ -~]/g, (byte) => `<${hex(latin1(byte)).toUpperCase()}>`)

/** Adds evidence that names the other mistakes, because the sender must fix all of them together. */
function withOthers(draft: Draft, all: readonly Draft[]): Draft {
  const others = [...new Set(all.filter((other) => other !== draft).map(({ code }) => code))]
  if (others.length === 0) return draft
  const together = `Fix this mistake together with ${joinWords(others, 'and')}, because each mistake changes the signature.`
  return { ...draft, evidence: [...(draft.evidence as EvidenceLine[]), together] }
}
