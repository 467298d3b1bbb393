import { inspect } from 'node:util'

/** The maximum length of a value in a line, because the sender may choose the value, such as the ID of an event. */
const MAX_VALUE = 200
/** The maximum length of a line. Docker splits lines with more than 16 KB. */
export const MAX_LINE = 12_000

/** Returns a one-line description of anything that was thrown, with the stack and the causes. Never throws. */
export function describeError(error: unknown): string {
  try {
    return oneLine(inspect(error).replace(/\n\s*/g, ' '), MAX_LINE)
  } catch {
    return 'The error cannot be shown, because reading the error throws another error.'
  }
}

/** Escapes control and invisible characters, so that a text stays one line and cannot command a terminal. Cuts a text that is too long. */
export function oneLine(text: string, maxLength = MAX_VALUE): string {
  const isLong = text.length > maxLength
  const shown = isLong ? `${text.slice(0, maxLength).toWellFormed()}… (${text.length} characters)` : text
  return shown.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) as number
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
