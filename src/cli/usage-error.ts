/**
 * A wrong call, or an input that cannot be read. The message says what to do. It never repeats an argument.
 *
 * This file imports nothing, so that the parsers of captured requests run in a browser.
 */
export class UsageError extends Error {}
