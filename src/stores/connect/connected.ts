import { randomUUID } from 'node:crypto'
import { assertOptions, assertTimeout, hasMethod, invalidRange, invalidType, kindOf } from '../../arguments.js'
import { warnOnce } from '../../hints/warnings.js'
import { withoutCredentials } from '../credentials.js'
import type { NonceStore } from '../nonce-store.js'
import { assertFunction, type TimeoutOptions } from '../options.js'
import type { SqlNonceStore } from '../sql-store.js'
import { connectFailure, createFailure } from './failure.js'

/** `Symbol.asyncDispose`, or `never` if the types of the project do not have this symbol. */
type AsyncDispose = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol } ? Key : never

/** The methods of a nonce store, each of which returns a promise. */
type AsyncNonceStore = Pick<SqlNonceStore, keyof NonceStore>

/** A nonce store that keeps its own connection. A call rejects if the server does not respond in time. */
export type ConnectedNonceStore = AsyncNonceStore & {
  /**
   * Closes the store and all connections. The promise settles even if the server hangs. The store keeps the process running for at most
   * 1 s + 2 × `timeout`.
   */
  close(): Promise<void>
} & { [Key in AsyncDispose]: () => Promise<void> }

/** Options of every function that connects a store. */
export interface ConnectOptions extends TimeoutOptions {
  /**
   * The maximum number of statements that wait for the server at once: a whole number from 1, by default 16. If more statements come, the
   * newest is sent first, and a statement that has waited for half of `timeout` is refused. For a server that is far away, pass requests
   * per second × round-trip time in seconds. The pool of an SQL client gets the same number of connections.
   */
  concurrency?: number | undefined
  /**
   * Is called with each error in the background, for example if a connection is lost. By default, these errors are ignored, because the
   * store reconnects, and a failed reservation rejects with its own error.
   */
  onError?: ((error: unknown) => void) | undefined
}

/** The options of a connect function. Shared options that are missing have their default values. */
export type ConnectSettings<Options> = Options & {
  readonly timeout: number
  readonly concurrency: number
  readonly onError: (error: unknown) => void
}

/**
 * Returns the options of a connect function, with default values for missing shared options. Throws if an option is invalid. The store
 * itself checks its own options.
 *
 * @param names - the names of the options that not all connect functions have.
 */
export function connectSettings<Options extends ConnectOptions>(
  create: unknown,
  example: string,
  options: Options,
  names: readonly string[],
): ConnectSettings<Options> {
  assertFunction(create, 'create', example)
  assertOptions(options, ['timeout', 'concurrency', 'onError', ...names])
  const { timeout = 1000, concurrency = 16, onError = () => {} } = options
  assertTimeout(timeout)
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw invalidRange(
      'concurrency must be a whole number from 1. Suggested: requests per second × round-trip time in seconds.',
    )
  }
  assertFunction(onError, 'onError', '(error) => console.error(error)')
  for (const name of ['createTable', 'prepare']) {
    const value: unknown = Reflect.get(options, name)
    if (!['undefined', 'boolean'].includes(typeof value)) {
      throw invalidType(`${name} is ${kindOf(value)}. Pass true or false.`)
    }
  }
  return { ...options, timeout, concurrency, onError: (error) => void report(onError, withoutCredentials(error)) }
}

/** Calls `onError`. The store must recover even if `onError` throws or rejects. */
async function report(onError: (error: unknown) => unknown, error: unknown): Promise<void> {
  try {
    await onError(error)
  } catch (thrown) {
    warnOnce('ON_ERROR_THROWS', `onError of a nonce store threw an error: ${thrown}. Catch errors inside onError.`)
  }
}

/**
 * Returns the client that `create` returns for `options`. Throws if `create` did not use these options.
 *
 * Without these options, the client would wait forever, or reconnect by itself after `close()`.
 *
 * @param methods - the methods that the client must have.
 * @param example - an example of the right code, for the error message.
 */
export function createClient<Client extends object, Options extends object>(
  create: (options: Options) => Client,
  options: Options,
  methods: readonly string[],
  example: string,
): Client {
  let isUsed = false
  const watched = new Proxy(options, {
    get(target, name) {
      isUsed = true
      return Reflect.get(target, name)
    },
  })
  let client: Client
  try {
    client = create(watched)
  } catch (error) {
    throw createFailure(error)
  }
  const missing = methods.find((method) => !hasMethod(client, method))
  if (missing !== undefined) {
    throw invalidType(
      `create returned ${kindOf(client)} without ${missing}(). Return a new client, such as ${example}.`,
    )
  }
  if (!isUsed) throw invalidType(`create did not use its options. Pass these options to a new client: ${example}.`)
  return client
}

/** The TTL of the key of a probe, in seconds. Below 1 s, this process does not remember the key, so the second call asks the server. */
const PROBE_TTL = 0.9

/**
 * Reserves a key twice and releases it, so that a missing permission is an error at the start and not at the first request. The second
 * call finds the row of the first call, and so needs the permissions of a replay.
 */
export async function probe(store: Pick<AsyncNonceStore, 'reserve' | 'release'>): Promise<void> {
  const [webhookId, key, owner] = ['inbound-webhook-auth', randomUUID(), randomUUID()]
  for (let round = 0; round < 2; round++) await store.reserve(webhookId, key, PROBE_TTL, owner)
  await store.release(webhookId, [key], owner)
}

/** Opens, prepares and probes a store, and returns the store with `close`. If a step fails, closes the store, and rejects. */
export async function openStore<Store extends AsyncNonceStore>(
  store: Store,
  reconnecting: { open(): Promise<void>; close(): Promise<void> },
  prepare: () => Promise<void> = async () => {},
): Promise<Store & ConnectedNonceStore> {
  await reconnecting.open()
  const close = () => reconnecting.close()
  try {
    await prepare()
    await probe(store)
  } catch (error) {
    await close()
    throw connectFailure(error)
  }
  return Object.assign(store, { close, [Symbol.asyncDispose]: close })
}
