import { assertTimeout, invalidRange, invalidType, kindOf } from '../arguments.js'
import { NONCE_TTL_SECONDS } from '../rules/nonce.js'

/** Seven days, because many senders repeat an event for three to five days. */
export const EVENT_TTL_SECONDS = 604_800

/** The option of all stores for events. */
export interface EventOptions {
  /** How long an event counts as repeated, in seconds: from 600, by default 604 800 (7 days). Pass more than your sender's retries take. */
  eventTtlSeconds?: number | undefined
}

export function readEventTtl({ eventTtlSeconds = EVENT_TTL_SECONDS }: EventOptions): number {
  if (Number.isInteger(eventTtlSeconds) && eventTtlSeconds >= NONCE_TTL_SECONDS && eventTtlSeconds < 2 ** 31) {
    return eventTtlSeconds
  }
  throw invalidRange(
    `eventTtlSeconds is not a whole number of seconds from ${NONCE_TTL_SECONDS}. Suggested: ${EVENT_TTL_SECONDS}.`,
  )
}

/** The options of all stores that use a server. */
export interface NetworkOptions {
  /** How long a reservation may take, in milliseconds: 1 to 2 147 483 647, by default 1000. Then it rejects, whatever the client does. */
  timeout?: number | undefined
  /**
   * The maximum number of reservations that wait for the server at once: a whole number from 1, by default 32. If more reservations come,
   * the newest is sent first, and a reservation that has waited for half of `timeout` is refused. For a server that is far away, pass
   * requests per second × round-trip time in seconds. If the pool of the client has fewer connections, the pool is the limit.
   */
  concurrency?: number | undefined
}

export function networkOptions(options: NetworkOptions): { timeout: number; concurrency: number } {
  const { timeout = 1000, concurrency = 32 } = options
  assertTimeout(timeout)
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw invalidRange(
      'concurrency must be a whole number from 1. Suggested: requests per second × round-trip time in seconds.',
    )
  }
  return { timeout, concurrency }
}

/** The option of all stores in an SQL database. */
export interface TableOptions {
  /**
   * The case-sensitive name of the table, with or without a schema or database. By default `webhook_nonces`. A name consists of ASCII
   * letters, digits and `_`, and starts with no digit. The maximum length is 48 characters in PostgreSQL, and 64 in MySQL.
   */
  table?: string | undefined
}

export function assertFunction(value: unknown, name: string, example: string): void {
  if (typeof value !== 'function')
    throw invalidType(`${name} is ${kindOf(value)}. Pass a function, such as ${example}.`)
}

/** Returns the names in the option `table`: a name of at most `length` characters, with or without a `prefix` and a dot. */
export function tableNames(table: string, prefix: string, length: number): string[] {
  if (typeof table !== 'string')
    throw invalidType(`table is ${kindOf(table)}. Pass a name, with or without a ${prefix}.`)
  const names = table.split('.')
  if (names.length > 2 || !names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name.length <= length)) {
    throw invalidRange(
      `table is not a name. Pass 1 to ${length} ASCII letters, digits and _, but no digit first. A ${prefix} may come before it: ${prefix}.name.`,
    )
  }
  return names
}
