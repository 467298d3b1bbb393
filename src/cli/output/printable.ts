/**
 * Text that somebody else wrote, made safe for a terminal: control characters, which could move the cursor or colour a
 * verdict, and characters that reorder or hide others are shown as escapes.
 *
 * @param kept - the control characters to keep, such as line ends.
 */
export function printable(text: string, kept = ''): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    kept.includes(character) ? character : escapeOf(character),
  )
}

/** A document for programs, as JSON that does nothing to a terminal either. */
export function jsonText(document: object): string {
  const json = JSON.stringify(document, undefined, 2)
  return `${json.replace(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })}\n`
}

function escapeOf(character: string): string {
  const code = Number(character.codePointAt(0)).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`
}

/**
 * An argument for a message, in quotes, if it can be shown: a secret may have been typed in its place.
 */
export function quoted(argument: string): string {
  if (mayBeSecret(argument)) return '(not repeated here, for it looks like a secret)'
  return `"${printable(argument.length > 200 ? `${argument.slice(0, 200)}…` : argument)}"`
}

/** Whether an argument looks more like a secret than like the name of a file or a command: a known prefix, or random text. */
export function mayBeSecret(argument: string): boolean {
  const isPath = /^\.{0,2}\/.*\//.test(argument)
  return /^(whsec|secret|sk)[-_]/i.test(argument) || (!isPath && /^[\w+/=-]{24,}$/.test(argument))
}
