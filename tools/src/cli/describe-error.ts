import { getSystemErrorMap } from 'node:util'

/** Returns the meaning of a system error as text, such as `no such file or directory`. Returns the code or the message of another error. */
export function describeError(error: unknown): string {
  const { code, message } = Object(error)
  const [, meaning] = [...getSystemErrorMap().values()].find(([name]) => name === code) ?? []
  return meaning ?? String(code ?? message)
}
