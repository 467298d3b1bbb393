import { hasMethod, invalidType, kindOf } from '../arguments.js'

const ONE_PER_PROCESS = 'Create one store per process, and pass it.'

/** Clients of databases by one of their methods, the code of the mistake, and what to pass. */
const CLIENTS = (
  [
    ['unsafe', 'postgres_js_as_store', "await connectPostgresJs(…), from 'inbound-webhook-auth/postgres'"],
    ['zadd', 'ioredis_as_store', "await connectIoredis(…), from 'inbound-webhook-auth/redis'"],
    ['sendCommand', 'node_redis_as_store', "await connectNodeRedis(…), from 'inbound-webhook-auth/redis'"],
    ['query', 'sql_client_as_store', "a store from 'inbound-webhook-auth/postgres' or 'inbound-webhook-auth/mysql'"],
    ['prepare', 'sqlite_as_store', "new SqliteNonceStore(database), from 'inbound-webhook-auth/sqlite'"],
    ['send', 'dynamodb_as_store', "new DynamoDBNonceStore(…), from 'inbound-webhook-auth/dynamodb'"],
  ] as const
).map(([method, code, store]) => ({
  code,
  isOne: (value: unknown) => hasMethod(value, method),
  what: 'a client of a database',
  fix: `Pass ${store}.`,
}))

/** What callers pass instead of a store. The first row that fits decides. */
const MISTAKES: readonly {
  readonly code: string
  isOne(value: unknown): boolean
  /** A description of the value: by default, the kind of the value, such as `an object`. */
  readonly what?: string
  readonly fix: string
}[] = [
  { code: 'no_store', isOne: (value) => Object(value) !== value, fix: ONE_PER_PROCESS },
  { code: 'promise_as_store', isOne: (value) => hasMethod(value, 'then'), fix: 'Await it, and pass the store.' },
  {
    code: 'wrapped_store',
    isOne: (value) => hasMethod(Object(value).nonceStore, 'reserve'),
    what: 'an object with a store',
    fix: 'Pass its .nonceStore.',
  },
  {
    code: 'transaction_store',
    isOne: (value) => hasMethod(value, 'transact'),
    what: 'a transaction store, and nothing here runs your code',
    fix: 'Pass it to handle. For receive and verify, pass a PostgresNonceStore or MySqlNonceStore.',
  },
  ...CLIENTS,
  {
    code: 'class_as_store',
    isOne: (value) => typeof value === 'function' && hasMethod(Object(value).prototype, 'reserve'),
    what: 'a class',
    fix: 'Create one with new per process, and pass it.',
  },
  {
    code: 'function_as_store',
    isOne: (value) => typeof value === 'function',
    what: 'a function',
    fix: 'Call it once per process, and pass what it returns.',
  },
]

/** Returns the error for a value that is not a store: `nonceStore is a promise that was not awaited. Await it.` */
export function notNonceStore(value: unknown): TypeError {
  const mistake = MISTAKES.find(({ isOne }) => isOne(value))
  const {
    code,
    what = kindOf(value),
    fix,
  } = mistake ?? {
    code: 'object_as_store',
    what: `${kindOf(value)} without reserve()`,
    fix: ONE_PER_PROCESS,
  }
  return invalidType(`nonceStore is ${what}. ${fix}`, code)
}
