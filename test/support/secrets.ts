import { format, inspect } from 'node:util'

/** Returns whether a log of a value shows a secret, or any of its properties does, at any depth. */
export function shows(secret: string, value: unknown): boolean {
  const texts = [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true, maxArrayLength: null }),
    format('%o', value),
    format('%s', value),
    toJson(value),
  ]
  const seen = new Set<unknown>()
  const waiting = [value]
  for (const next of waiting) {
    if (typeof next === 'string') texts.push(next)
    if (ArrayBuffer.isView(next)) texts.push(Buffer.from(next.buffer, next.byteOffset, next.byteLength).toString())
    if (Object(next) !== next || seen.has(next)) continue
    seen.add(next)
    for (let owner = next; owner !== null; owner = Object.getPrototypeOf(owner)) {
      for (const key of Reflect.ownKeys(Object(owner))) {
        if (key !== 'constructor') waiting.push(propertyOf(next, key), String(key))
      }
    }
  }
  return texts.some((text) => text.includes(secret))
}

function toJson(value: unknown): string {
  try {
    return String(JSON.stringify(value))
  } catch {
    return 'has a cycle'
  }
}

function propertyOf(object: unknown, key: string | symbol): unknown {
  try {
    return Object(object)[key]
  } catch {
    return undefined
  }
}
