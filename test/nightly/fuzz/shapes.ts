import { type Body, type Clock, type HeadersInput, MemoryNonceStore, type NonceStore } from '../../../src/index.js'
import type { Case, Fields } from './cases.js'

// Makes the JavaScript values of a step: headers, bodies and stores in every shape that `verify` may get.

type Value = string | string[]

/** Returns one entry per exact name, with its value or a list of its values. */
function entriesOf(fields: Fields): [name: string, value: Value][] {
  const names = [...new Set(fields.map(([name]) => name))]
  return names.map((name) => {
    const values = fields.filter((field) => field[0] === name).map(([, value]) => value)
    return [name, values.length === 1 ? (values[0] as string) : values]
  })
}

/** Object.fromEntries makes an own property of `__proto__`, as JSON.parse does. */
const recordOf = (fields: Fields): { [name: string]: Value } => Object.fromEntries(entriesOf(fields))
const onTopOf = (prototype: object | null, record: object) =>
  Object.create(prototype, Object.getOwnPropertyDescriptors(record))
const toLower = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Each header is a getter that returns its value once. */
function withGetters(fields: Fields): object {
  const headers = {}
  for (const [name, value] of entriesOf(fields)) {
    let reads = 0
    Object.defineProperty(headers, name, { enumerable: true, get: () => (reads++ === 0 ? value : 'read again') })
  }
  return headers
}

/** Returns another value when a header is read again. */
function changing(record: object): object {
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

const HEADERS: { readonly [shape: string]: (fields: Fields) => unknown } = {
  record: recordOf,
  pairs: (fields) => fields,
  map: (fields) => new Map(entriesOf(fields)),
  lists: (fields) => Object.fromEntries(entriesOf(fields).map(([name, value]) => [name, [value].flat()])),
  'null prototype': (fields) => onTopOf(null, recordOf(fields)),
  getters: withGetters,
  proxy: (fields) => changing(recordOf(fields)),
  'own get': (fields) => ({
    get(name: string) {
      const values = fields.filter((field) => toLower(field[0]) === name).map(([, value]) => value)
      return values.length === 0 ? null : values.join(', ')
    },
  }),
  // Node's types allow a header with the value `undefined`.
  'inherited noise': (fields) => {
    const names = fields.flatMap(([name]) => (name === '__proto__' ? [] : [name, name.toUpperCase()]))
    const inherited = Object.fromEntries(names.map((name) => [name, 'inherited']))
    return onTopOf(inherited, { 'x-absent': undefined, ...recordOf(fields) })
  },
}
export const HEADER_SHAPES = [...Object.keys(HEADERS), 'fetch']

/** The headers in one shape, and the fields that a reader of this shape finds. */
export function headersOf(shape: string, fields: Fields): { headers: HeadersInput; fields: Fields } {
  try {
    const headers = HEADERS[shape]?.(fields) ?? new Headers(fields)
    return { headers: headers as HeadersInput, fields: headers instanceof Headers ? [...headers] : fields }
  } catch {
    // Fetch refuses these characters, so no handler sees them.
    return { headers: fields, fields }
  }
}

const BODIES: { readonly [shape: string]: (bytes: Buffer) => Body } = {
  bytes: (bytes) => new Uint8Array(bytes),
  buffer: (bytes) => bytes,
  part: (bytes) => Buffer.concat([Buffer.from('abc'), bytes, Buffer.from('defg')]).subarray(3, 3 + bytes.length),
  'array buffer': (bytes) => new Uint8Array(bytes).buffer,
  shared(bytes) {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
    shared.set(bytes)
    return shared
  },
  text: (bytes) => bytes.toString('utf8'),
}
export const BODY_SHAPES = Object.keys(BODIES)

/** The body in one shape, and its content: bytes, or a text that `verify` must encode. */
export function bodyOf(shape: string, latin1: string): { body: Body; wire: Uint8Array | string } {
  const bytes = Buffer.from(latin1, 'latin1')
  const body = BODIES[shape]?.(bytes) ?? bytes
  return { body, wire: typeof body === 'string' ? body : bytes }
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

export const STORES = ['memory', 'slow', 'at once'] as const

/** The store of a case. */
export function storeOf({ store, capacity, forgetsOldest }: Case, clock: Clock): NonceStore {
  if (store === 'at once') return new AtOnceStore(clock)
  const memory = new MemoryNonceStore({ clock, maxEntries: capacity, whenFull: forgetsOldest ? 'evict' : 'throw' })
  return store === 'memory' ? memory : { reserve: async (...call) => memory.reserve(...call) }
}

const ANSWERS: { readonly [kind: string]: () => unknown } = {
  undefined: () => undefined,
  null: () => null,
  '1': () => 1,
  text: () => Promise.resolve('true'),
  object: () => ({}),
  throws() {
    throw new Error('connection refused')
  },
  rejects: () => Promise.reject(new Error('connection refused')),
  'rejects nothing': () => Promise.reject(undefined),
}
export const WRONG_ANSWERS = Object.keys(ANSWERS)

/** A store that always answers `kind`. */
export function wrongStore(kind: string): NonceStore {
  const reserve = () => ANSWERS[kind]?.() as boolean
  return { reserve, reserveAll: reserve }
}
