import type { Finding, FindingCode, Language, Side } from './finding.js'
import { FIXES, type Fix, type FixId } from './fixes.js'

/** One line of evidence: a label and its value, or a sentence. */
export type EvidenceLine = string | readonly [label: string, value: string]

/** A finding before its texts are complete. The texts are for the user, so each value of the request in them is already masked. */
export interface Draft {
  readonly code: FindingCode
  readonly message: string
  readonly fix: FixId
  /** Which side must act, if the request shows this. This field has no effect if the fix is only for one side. */
  readonly side?: Side
  /** The likely languages of the sender, for example because only PHP writes JSON in this way. */
  readonly languages?: readonly Language[]
  readonly evidence?: readonly EvidenceLine[]
}

/** Returns the complete finding, with the line of code in `language` first. */
export function writeFinding(draft: Draft, language?: Language): Finding {
  const { code, message, side: known = 'unknown', languages = [], evidence = [] } = draft
  const { sender, receiver, lines = {} }: Fix = FIXES[draft.fix]
  const side = receiver === undefined ? 'sender' : sender === undefined ? 'receiver' : known
  const both = `On the sender's side: ${sender}\nOn the receiver's side: ${receiver}`
  const likeliest = [...(language === undefined ? [] : [language]), ...languages]
  const first = likeliest.filter((one) => one in lines).map((one) => [one, lines[one]])
  // A sender in `language` has no use for lines of code in other languages.
  const isOfOthers = language !== undefined && !(language in lines)
  const facts = evidence.map((line) => (typeof line === 'string' ? line : line.join(': ')))
  return {
    code,
    side,
    message,
    fix: side === 'unknown' ? both : String(side === 'sender' ? sender : receiver),
    fixes: isOfOthers ? {} : { ...Object.fromEntries(first), ...lines },
    ...(evidence.length === 0 ? {} : { evidence: facts.join('\n') }),
  }
}
