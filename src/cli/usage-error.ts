/** A mistake in the call, or an input that cannot be read: there is no verdict, and the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Somebody pressed Ctrl+C at the prompt. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return String(Object(error).code)
}
