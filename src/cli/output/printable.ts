/**
 * Makes text of others safe for a terminal. Control characters could move the cursor or change a printed result.
 * They become escapes, and so do characters that reorder or hide others.
 *
 * @param kept - the control characters to keep, such as line ends.
 */
export function printable(text: string, kept = ''): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    kept.includes(character) ? character : escapeCharacter(character),
  )
}

function escapeCharacter(character: string): string {
  const code = Number(character.codePointAt(0)).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`
}

/** Returns a document as JSON that is safe for a terminal too. */
export function jsonText(document: object): string {
  const json = JSON.stringify(document, undefined, 2)
  return `${json.replace(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })}\n`
}
