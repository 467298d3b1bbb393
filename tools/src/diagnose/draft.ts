import { isGuessable } from '../secret-strength.js'
import type { Finding, FindingCode, Language, Side } from './finding.js'
import { FIXES, type Fix, type FixId } from './fixes.js'
import { maskSecrets } from './mask-secrets.js'

/** One line of evidence: a label with a value, or a sentence. */
export type EvidenceLine = string | readonly [label: string, value: string]

/** A finding before its fix and evidence are written. */
export interface Draft {
  readonly code: FindingCode
  readonly message: string
  readonly fix: FixId
  /** Which side must act, if the request shows the side more exactly than the fix does. */
  readonly side?: Side
  /** The languages that this finding points to. */
  readonly languages?: readonly Language[]
  readonly evidence?: readonly EvidenceLine[]
}

/** Returns the finding of a draft, with the line for `language` first, and with each piece of a secret masked. */
export function writeFinding(draft: Draft, secrets: readonly string[], language?: Language): Finding {
  const { code, message, side: known = 'unknown', languages = [], evidence = [] } = draft
  const { sender, receiver, lines = {} }: Fix = FIXES[draft.fix]
  const side = receiver === undefined ? 'sender' : sender === undefined ? 'receiver' : known
  const both = `On the sender's side: ${sender}\nOn the receiver's side: ${receiver}`
  const likeliest = [...(language === undefined ? [] : [language]), ...languages]
  const first = likeliest.filter((one) => one in lines).map((one) => [one, lines[one]])
  // If there is no line for `language`, the lines for other languages are left out, because they do not help.
  const isOfOthers = language !== undefined && !(language in lines)
  const mask = (text: string) => maskSecrets(text, secrets)
  // If the secret is made of words, this text may contain the same words, so only values from the request are masked.
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
