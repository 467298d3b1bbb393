import { getSystemErrorMap } from 'node:util'

/** Returns a system error as text: `no such file or directory`. For other errors, returns the code or the message. */
export function describeError(error: unknown): string {
  const { code, message } = Object(error)
  const [, meaning] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return meaning ?? String(code ?? message)
}
