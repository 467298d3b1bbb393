import { inspect } from 'node:util'

/** Returns one line about anything that was thrown, with its stack and its causes. Never throws. */
export function describeError(error: unknown): string {
  try {
    return oneLine(inspect(error).replace(/\n\s*/g, ' '))
  } catch {
    return 'The error cannot be shown, because reading it throws.'
  }
}

/**
 * Returns the text with escapes for the characters that a log might read as the end of a line or as a command of a terminal, and for
 * characters that nobody sees.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) as number
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
