import { inspect } from 'node:util'

/** Returns a one-line description of anything that was thrown, with the stack and the causes. Never throws. */
export function describeError(error: unknown): string {
  try {
    return oneLine(inspect(error).replace(/\n\s*/g, ' '))
  } catch {
    return 'The error cannot be shown, because reading the error throws another error.'
  }
}

/**
 * Returns the text with control characters, line separators and invisible characters escaped. The text then stays one line in a log, and
 * cannot send commands to a terminal.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) as number
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
