import { isGuessable } from '../secret-strength.js'
import type { Finding, FindingCode, Language, Side } from './finding.js'
import { FIXES, type Fix, type FixId } from './fixes.js'
import { maskSecrets } from './mask-secrets.js'

/** One line of evidence: a label and its value, or a sentence. */
export type EvidenceLine = string | readonly [label: string, value: string]

/** A finding before its texts are complete, and before secrets are masked. */
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

/** Returns the complete finding, with the line of code in `language` first, and with each piece of a secret masked. */
export function writeFinding(draft: Draft, secrets: readonly string[], language?: Language): Finding {
  const { code, message, side: known = 'unknown', languages = [], evidence = [] } = draft
  const { sender, receiver, lines = {} }: Fix = FIXES[draft.fix]
  const side = receiver === undefined ? 'sender' : sender === undefined ? 'receiver' : known
  const both = `On the sender's side: ${sender}\nOn the receiver's side: ${receiver}`
  const likeliest = [...(language === undefined ? [] : [language]), ...languages]
  const first = likeliest.filter((one) => one in lines).map((one) => [one, lines[one]])
  // A sender in `language` has no use for lines of code in other languages.
  const isOfOthers = language !== undefined && !(language in lines)
  const mask = (text: string) => maskSecrets(text, secrets)
  // If the secret is made of words, the message may contain these words by chance, so only the values in quotes are masked.
  const isOfWords = code !== 'secret_leaked' && secrets.some(isGuessable)
  const maskText = (text: string) => (isOfWords ? text.replace(/"[^"]*"|`[^`]*`/g, mask) : mask(text))
  const lineText = (line: EvidenceLine) => (typeof line === 'string' ? maskText(line) : `${line[0]}: ${mask(line[1])}`)
  return {
    code,
    side,
    message: maskText(message),
    fix: side === 'unknown' ? both : String(side === 'sender' ? sender : receiver),
    fixes: isOfOthers ? {} : { ...Object.fromEntries(first), ...lines },
    ...(evidence.length === 0 ? {} : { evidence: evidence.map(lineText).join('\n') }),
  }
}
