import { type Body, type Clock, type HeadersInput, MemoryNonceStore, type NonceStore } from '../../../src/index.js'
import type { Case, Step } from './cases.js'

// Makes the JavaScript values of a step, and returns their content too.

type Fields = Step['fields']

/** The headers in one shape, and the fields that a reader of this shape finds. */
export function headersOf({ fields, headerShape }: Step): { headers: HeadersInput; fields: Fields } {
  switch (headerShape) {
    case 'pairs':
      return { headers: fields, fields }
    case 'map':
      return { headers: new Map(listsOf(fields)), fields }
    case 'lists':
      return { headers: recordOf(listsOf(fields).map(([name, values]) => [name, [values]] as const)), fields }
    case 'null prototype':
      return { headers: onTopOf(null, recordOf(listsOf(fields))), fields }
    case 'fetch':
      try {
        const headers = new Headers(fields)
        return { headers, fields: [...headers] }
      } catch {
        // Fetch refuses these characters, so no handler sees them.
        return { headers: fields, fields }
      }
    case 'getters':
      return { headers: withGetters(listsOf(fields)), fields }
    case 'proxy':
      return { headers: changing(recordOf(listsOf(fields))), fields }
    case 'own get': {
      const lowercase = new Headers()
      const get = (name: string) => {
        const values = fields.filter((field) => toLower(field[0]) === name).map(([, value]) => value)
        return values.length === 0 ? (lowercase.get(name) ?? null) : values.join(', ')
      }
      return { headers: { get }, fields }
    }
    case 'inherited noise': {
      const inherited = Object.fromEntries(fields.map(([name]) => [name.toUpperCase(), 'inherited']))
      for (const [name] of fields) if (name !== '__proto__') inherited[name] = 'inherited'
      return { headers: onTopOf(inherited, withAbsent(recordOf(listsOf(fields)))), fields }
    }
    default:
      return { headers: recordOf(listsOf(fields)), fields }
  }
}

function toLower(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Returns one entry per exact name, with its value or a list of its values. */
function listsOf(fields: Fields): [name: string, value: string | string[]][] {
  const lists = new Map<string, string[]>()
  for (const [name, value] of fields) {
    const list = lists.get(name)
    if (list === undefined) lists.set(name, [value])
    else list.push(value)
  }
  return [...lists].map(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values])
}

type Values = { [name: string]: string | readonly string[] | undefined }

function recordOf(entries: readonly (readonly [string, string | readonly (string | string[])[]])[]): Values {
  // Object.fromEntries makes an own property of `__proto__`, as JSON.parse does.
  return Object.fromEntries(entries) as Values
}

function onTopOf(prototype: object | null, record: Values): Values {
  return Object.create(prototype, Object.getOwnPropertyDescriptors(record))
}

/** Node's types allow a header with the value `undefined`. */
function withAbsent(record: Values): Values {
  return { 'x-absent': undefined, ...record }
}

/** Each header is a getter that returns its value once. */
function withGetters(entries: [string, string | string[]][]): Values {
  const headers = {}
  for (const [name, value] of entries) {
    let reads = 0
    Object.defineProperty(headers, name, { enumerable: true, get: () => (reads++ === 0 ? value : 'read again') })
  }
  return headers
}

/** Returns another value when a header is read again. */
function changing(record: Values): Values {
  const read = new Set<string | symbol>()
  return new Proxy(record, {
    get(target, name) {
      const again = read.has(name) && Object.hasOwn(target, name)
      read.add(name)
      return again && typeof name === 'string' && /^(x|webhook|svix)-/.test(name)
        ? 'read again'
        : Reflect.get(target, name)
    },
  })
}

/** The body in one shape, and its content: bytes, or a text that `verify` must encode. */
export function bodyOf({ body, text, bodyShape }: Step): { body: Body; wire: Uint8Array | string } {
  if (text !== undefined) return { body: text, wire: text }
  const bytes = Buffer.from(body, 'latin1')
  switch (bodyShape) {
    case 'buffer':
      return { body: bytes, wire: bytes }
    case 'part': {
      const larger = new Uint8Array(bytes.length + 7)
      larger.set(bytes, 3)
      return { body: larger.subarray(3, 3 + bytes.length), wire: bytes }
    }
    case 'array buffer':
      return { body: new Uint8Array(bytes).buffer, wire: bytes }
    case 'shared': {
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
      shared.set(bytes)
      return { body: shared, wire: bytes }
    }
    case 'text': {
      const decoded = bytes.toString('utf8')
      return { body: decoded, wire: decoded }
    }
    default:
      return { body: new Uint8Array(bytes), wire: bytes }
  }
}

function wrongAnswer(kind: NonNullable<Step['wrongAnswer']>): unknown {
  switch (kind) {
    case 'undefined':
      return undefined
    case 'null':
      return null
    case '1':
      return 1
    case 'text':
      return Promise.resolve('true')
    case 'object':
      return {}
    case 'throws':
      throw new Error('connection refused')
    case 'rejects':
      return Promise.reject(new Error('connection refused'))
    case 'rejects nothing':
      return Promise.reject(undefined)
  }
}

/** A store with a Map, which reserves one key or all keys in one step. */
class AtOnceStore implements NonceStore {
  readonly lastMilliseconds = new Map<string, number>()

  constructor(readonly clock: Clock) {}

  reserve(webhookId: string, key: string, ttlSeconds: number): boolean {
    return this.reserveAll(webhookId, [key], ttlSeconds)
  }

  reserveAll(webhookId: string, keys: readonly string[], ttlSeconds: number): boolean {
    const now = this.clock.now()
    const names = keys.map((key) => JSON.stringify([webhookId, key]))
    if (names.some((name) => Math.floor(now) <= (this.lastMilliseconds.get(name) ?? -1))) return false
    for (const name of names) this.lastMilliseconds.set(name, Math.ceil(now) + ttlSeconds * 1000)
    return true
  }
}

/** The store of a case. */
export function storeOf({ store, capacity, forgetsOldest }: Case, clock: Clock): NonceStore {
  if (store === 'at once') return new AtOnceStore(clock)
  const memory = new MemoryNonceStore({ clock, maxEntries: capacity, whenFull: forgetsOldest ? 'evict' : 'throw' })
  if (store === 'memory') return memory
  return {
    async reserve(...call) {
      await undefined
      return memory.reserve(...call)
    },
  }
}

/** A store that always answers `kind`. */
export function wrongStore(kind: NonNullable<Step['wrongAnswer']>): NonceStore {
  const reserve = () => wrongAnswer(kind) as boolean
  return { reserve, reserveAll: reserve }
}
