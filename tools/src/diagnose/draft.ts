import type { ToolScheme } from '../schemes.js'
import type { Finding, FindingCode, Language, Side } from './finding.js'
import { FIXES, type Fix, type FixId } from './fixes.js'
import { standardFix } from './standard-webhooks.js'

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

/** Returns the complete finding in the words of a scheme, with the line of code in `language` first. */
export function writeFinding(draft: Draft, language?: Language, scheme?: ToolScheme): Finding {
  const { code, message, side: known = 'unknown', languages = [], evidence = [] } = draft
  const { sender, receiver, lines = {} }: Fix = scheme?.isStandard ? standardFix(draft.fix) : FIXES[draft.fix]
  const inWords = (text: string) => scheme?.inWords(text) ?? text
  const side = receiver === undefined ? 'sender' : sender === undefined ? 'receiver' : known
  const both = `On the sender's side: ${sender}\nOn the receiver's side: ${receiver}`
  const likeliest = [...(language === undefined ? [] : [language]), ...languages]
  const first = likeliest.filter((one) => one in lines).map((one) => [one, lines[one]])
  // A sender in `language` has no use for lines of code in other languages.
  const isOfOthers = language !== undefined && !(language in lines)
  // The values of evidence are those of the request, except for a layout.
  const facts = evidence.map((line) => {
    if (typeof line === 'string') return line.startsWith('  ') ? line : inWords(line)
    const [label, value] = line
    return `${inWords(label)}: ${label === 'Signed as' ? inWords(value) : value}`
  })
  return {
    code,
    side,
    message: inWords(message),
    fix: inWords(side === 'unknown' ? both : String(side === 'sender' ? sender : receiver)),
    fixes: isOfOthers ? {} : { ...Object.fromEntries(first), ...lines },
    ...(evidence.length === 0 ? {} : { evidence: facts.join('\n') }),
  }
}
