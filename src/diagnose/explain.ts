import { fromLatin1, fromUtf8, isUtf8 } from './bytes.js'
import type { Reading } from './checks/signature.js'
import type { Language } from './finding.js'
import { JSON_WRITERS, parseBody, TRAITS } from './hypotheses/json.js'
import { layoutText } from './hypotheses/layout.js'
import type { JsonText } from './json/parse.js'
import { COMPACT } from './json/styles.js'
import { type JsonStyle, writeJson } from './json/write.js'
import type { Match } from './search.js'
import { countBytes, type Draft, type EvidenceLine, joinWords, quote } from './text.js'
import { type Mistake, messageOf, type Way } from './ways-of-signing.js'

const PROOF = 'Proved: signing in this way gives the signature received.'

/** One draft per mistake of the way of signing that was found. */
export function explain(
  { result, mistakes }: Match<Way & { reading: Reading }, Mistake>,
  received: Uint8Array,
  contentLength: number | undefined,
): Draft[] {
  const form = result.reading.differences.join(', ')
  const of = (...parts: Mistake['part'][]) => mistakes.filter(({ part }) => parts.includes(part))
  const values = of('timestamp', 'nonce')
  const [layout] = of('layout')
  const [digest] = of('digest')
  const drafts: Draft[] = []

  if (digest !== undefined) {
    drafts.push({ ...digest, kind: 'provedDigest', params: { what: digest.what, form }, evidence: [PROOF] })
  }
  for (const mistake of of('secret')) {
    const kind = mistake.code === 'secret_placeholder' ? 'provedPlaceholder' : 'provedSecret'
    drafts.push({ ...mistake, kind, params: { what: mistake.what }, evidence: [PROOF] })
  }
  const whats = values.map(({ what }) => what)
  if (layout !== undefined) {
    const params = { what: layout.what, values: whats }
    drafts.push({ ...layout, kind: 'provedLayout', params, evidence: [...signedAs(result), PROOF] })
  }
  for (const { code, fix } of layout === undefined ? values.slice(0, 1) : []) {
    drafts.push({ code, fix, kind: 'provedValues', params: { values: whats }, evidence: [...signedAs(result), PROOF] })
  }
  drafts.push(...explainBody(of('body', 'json'), result.body, received, contentLength))
  if (form !== '' && digest === undefined) {
    drafts.push({ code: result.reading.code, kind: 'provedForm', params: { form }, fix: 'send_hex', evidence: [PROOF] })
  }
  return drafts.map((draft) => withOthers(draft, drafts))
}

function signedAs(way: Way): EvidenceLine[] {
  const [before, , after] = messageOf(way) as [Uint8Array, Uint8Array?, Uint8Array?]
  const lines: EvidenceLine[] = [
    ['Signed as', layoutText(way.layout)],
    ['Before the body', quote(fromUtf8(before))],
  ]
  return after === undefined || after.length === 0 ? lines : [...lines, ['After the body', quote(fromUtf8(after))]]
}

function explainBody(
  mistakes: readonly Mistake[],
  signed: Uint8Array,
  received: Uint8Array,
  contentLength: number | undefined,
): Draft[] {
  // Content-Length counts the bytes that arrived. If these were signed, the receiver changed the body later.
  const isChangedHere = contentLength === signed.length && contentLength !== received.length
  const side = isChangedHere ? 'receiver' : contentLength === received.length ? 'sender' : 'unknown'
  return mistakes.map((mistake, index): Draft => {
    const { style, input } = mistake
    const { what, languages } =
      style === undefined ? { ...mistake, languages: [] } : describeJson(style, input as Uint8Array)
    return {
      code: mistake.code,
      kind: mistake.code === 'body_not_signed' ? 'provedConstant' : 'provedBody',
      params: { what },
      fix: mistake.fix,
      side,
      languages,
      evidence: [...(index === 0 ? compareBodies(signed, received) : []), PROOF],
    }
  })
}

/** Names the serializers that write the signed JSON, and says how it differs from the received JSON. */
function describeJson(style: JsonStyle, input: Uint8Array): { what: string; languages: Language[] } {
  const text = parseBody(input) as JsonText
  const signed = writeJson(text, style)
  const writers = JSON_WRITERS.filter((one) => writeJson(text, one.style) === signed)
  // One per language is enough: the reader knows which serializer the code uses.
  const known = writers.filter(({ language }, index) => writers.findIndex((one) => one.language === language) === index)
  const { spacing, escaping, order } = style
  const traits: JsonStyle[] = [{ spacing }, { escaping }, { order }]
  const how = traits
    .filter((trait) => writeJson(text, trait) !== writeJson(text, { spacing: trait.order && COMPACT }))
    .flatMap((trait) => Object.values(trait).flatMap((value) => TRAITS.get(value) ?? []))
  const names = known.slice(0, 3).map(({ writer }) => writer)
  const written = names.length === 0 ? 'the JSON written again' : `the JSON as ${joinWords(names, 'or')} writes it`
  return {
    what: how.length === 0 ? written : `${written} (${how.join(', ')})`,
    languages: known.map(({ language }) => language),
  }
}

/** Where the signed body and the one received differ first. */
function compareBodies(signed: Uint8Array, received: Uint8Array): EvidenceLine[] {
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
    return areText ? unescapeLetters(quote(fromUtf8(bytes))) : quote(fromLatin1(bytes))
  }
  return [
    `Signed: ${countBytes(signed.length)}, received: ${countBytes(received.length)}`,
    `They differ from byte ${same} on. Both from byte ${from} on:`,
    `  signed:   ${excerpt(signed)}`,
    `  received: ${excerpt(received)}`,
  ]
}

/** Shows letters unchanged. Characters that are invisible, or look like others, stay escaped. */
function unescapeLetters(quoted: string): string {
  return quoted.replace(/\\\\|\\u([0-9a-f]{4})/g, (escaped, digits = '') => {
    const character = String.fromCharCode(Number.parseInt(digits, 16))
    return /\p{L}/u.test(character) ? character : escaped
  })
}

/** Several mistakes must be fixed together before the signature is right. */
function withOthers(draft: Draft, all: readonly Draft[]): Draft {
  const others = [...new Set(all.map(({ code }) => code))].filter((code) => code !== draft.code)
  if (others.length === 0) return draft
  const together = `Fix it together with ${joinWords(others, 'and')}: each of them changes the signature.`
  return { ...draft, evidence: [...(draft.evidence as EvidenceLine[]), together] }
}
