import { types } from 'node:util'

/** The properties of an error that are kept. A client may add others, such as a command, a URL or itself, which can contain a password. */
const KEPT = [
  ...['name', 'message', 'code', 'errno', 'syscall', 'hostname', 'address', 'port'],
  ...['sqlState', 'sqlMessage', 'severity', 'detail', 'hint', 'cause', 'errors'],
  ...['lastNodeError', '$metadata', 'requestId', 'httpStatusCode'],
]

/** Returns a copy of an error and of its causes, with the class, the stack and the properties that contain no credentials. */
export function withoutCredentials(error: unknown, copies = new Map<unknown, unknown>()): unknown {
  if (typeof error === 'string') return withoutPasswords(error)
  if (Array.isArray(error)) return error.map((item) => withoutCredentials(item, copies))
  // An error of this package is returned unchanged, because its cause is already a copy without credentials.
  if (Object(error) !== error || Object(error).code === 'ERR_NONCE_STORE') return error
  // An error may be its own cause.
  if (copies.has(error)) return copies.get(error)
  const original: object = Object(error)
  const copy = isError(error) ? Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error)) : {}
  copies.set(error, copy)
  for (const name of KEPT) {
    if (!Object.hasOwn(original, name)) continue
    const value = withoutCredentials(Reflect.get(original, name), copies)
    const enumerable = Object.keys(original).includes(name)
    Object.defineProperty(copy, name, { value, enumerable, writable: true, configurable: true })
  }
  if (isError(error)) {
    const trace = String(error.stack).replace(error.message, '')
    const frames = trace.match(/^ +at .*$/gm) ?? []
    copy.stack = [`${copy.name}: ${copy.message}`, ...frames].join('\n')
  }
  return copy
}

/** `instanceof` does not recognise an error from another realm, such as an error of Node in a test runner. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value)
}

/** Matches the name of a credential and the sign before the value: `password=`, `PGPASSWORD = `, `"secret": "`. */
const NAME =
  /(?:\bpass|passw(?:or)?d|passphrase|pwd|secret|token|credential|signature|api_?key)[\w-]{0,30}["']?\s*(?:=\s*|:\s*(?=["']))/

/** Matches a value in quotes, or a value up to a space. In both, a backslash escapes the next character. */
const VALUE = /(?:'(?:[^'\\]|\\.)*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)|\\.|[^\s'"\\])+/

const NAMED = new RegExp(`(${NAME.source})${VALUE.source}`, 'gis')

/** Removes the passwords in URLs, query strings and connection strings, and the arguments of a command that Redis does not know. */
function withoutPasswords(text: string): string {
  return text
    .replace(/:\/\/.*@/s, '://…@')
    .replace(NAMED, '$1…')
    .replace(/(, with args beginning with:).*/s, '$1 …')
}

/** Returns a function that rejects with the errors of `call` without credentials. */
export function hidingCredentials<Args extends unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    try {
      return await call(...args)
    } catch (error) {
      throw withoutCredentials(error)
    }
  }
}
