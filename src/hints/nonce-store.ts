import { hasMethod, invalidType, kindOf } from '../arguments.js'

const ONE_PER_PROCESS = 'Create one store per process and pass it.'

/** A value that is not a store. Most mistakes have a function `matches`. A client of a database is recognised by a `method`. */
type Mistake =
  | { matches(value: unknown): boolean; readonly what?: string; readonly fix: string }
  | { readonly method: string; readonly store: string }

/** The mistakes that callers make with a store. The first row that matches is used. */
const MISTAKES: readonly Mistake[] = [
  { matches: (value) => Object(value) !== value, fix: ONE_PER_PROCESS },
  { matches: (value) => hasMethod(value, 'then'), fix: 'Await the promise and pass the store.' },
  {
    matches: (value) => hasMethod(Object(value).nonceStore, 'reserve'),
    what: 'an object with a store',
    fix: 'Pass the nonceStore property of this object.',
  },
  {
    matches: (value) => hasMethod(value, 'transact'),
    what: 'a transaction store, which works only with handle',
    fix: 'For receive and verify, pass a PostgresNonceStore or MySqlNonceStore.',
  },
  { method: 'unsafe', store: "new PostgresNonceStore({ query }), from '/postgres'" },
  { method: 'sendCommand', store: "new RedisNonceStore({ sendCommand }), from '/redis'" },
  { method: 'query', store: "a store from '/postgres' or '/mysql'" },
  { method: 'prepare', store: "new SqliteNonceStore(database), from '/sqlite'" },
  { method: 'send', store: "new DynamoDBNonceStore({ putItem }), from '/dynamodb'" },
  {
    matches: (value) => typeof value === 'function' && hasMethod(Object(value).prototype, 'reserve'),
    what: 'a class',
    fix: 'Create one store per process with new and pass it.',
  },
  {
    matches: (value) => typeof value === 'function',
    what: 'a function',
    fix: 'Call the function once per process and pass the store that it returns.',
  },
]

/** Returns the error for a value that is not a store: `nonceStore is undefined. Create one store per process, …`. */
export function notNonceStore(value: unknown): TypeError {
  const isMatch = (one: Mistake) => ('method' in one ? hasMethod(value, one.method) : one.matches(value))
  const mistake = MISTAKES.find(isMatch)
  if (mistake === undefined) {
    return invalidType(`nonceStore is ${kindOf(value)} without reserve(). ${ONE_PER_PROCESS}`)
  }
  if ('method' in mistake) {
    const store = mistake.store.replaceAll("'/", "'inbound-webhook-auth/")
    return invalidType(`nonceStore is a client of a database. Pass ${store}.`)
  }
  return invalidType(`nonceStore is ${mistake.what ?? kindOf(value)}. ${mistake.fix}`)
}
