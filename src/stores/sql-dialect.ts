import { kindOf } from '../arguments.js'
import { CLAIM_BYTES } from './keys.js'
import { type ClaimState, isClaimState } from './nonce-store.js'

export type SqlQuery = (text: string, values: (string | number)[]) => Promise<unknown>

/** The rows of a reservation, one row per key. */
export interface SqlReservation {
  /** The hash of each key and its webhook, in hex. */
  readonly hashes: readonly string[]
  readonly milliseconds: number
  /** The hash of the owner in hex, or an empty string. */
  readonly owner: string
}

/** The rows of a claim, or of keys that are recorded as done. */
export interface SqlClaim extends SqlReservation {
  /** The mark of the owner's claims in hex. `owner` is the same mark, or the owner of the records. */
  readonly mark: string
  readonly isDone: boolean
}

/** What differs between SQL databases. `table` is the table's quoted name. */
export interface SqlDialect {
  readonly quote: '"' | '`'
  /** What the database calls the part before the dot in the name of a table. */
  readonly prefix: 'schema' | 'database'
  readonly maxNameLength: number
  /** Returns SQL that decodes parameter number `parameter` from hex to bytes. The first parameter is number 1. */
  bytes(parameter: number): string
  /** Returns whether the server undid a statement because of concurrent statements, so that the statement can run again. */
  isUndone(error: unknown): boolean
  /** Reserves all keys or none with the clock of the database and resolves to whether all were free. */
  reserve(query: SqlQuery, table: string, reservation: SqlReservation): Promise<boolean>
  /** Claims all keys or none, or records them as done, with the clock of the database. */
  claim(query: SqlQuery, table: string, claim: SqlClaim): Promise<ClaimState>
  createTable(query: SqlQuery, table: string): Promise<unknown>
  /** Rejects if a setting of the server or of the table makes the store unsafe. */
  checkSettings?(query: SqlQuery, table: string): Promise<void>
  /** Deletes up to `limit` expired rows and resolves to their number. Skips locked rows and locks no row that a reservation needs. */
  deleteExpired(query: SqlQuery, table: string, limit: number): Promise<number>
}

export const COLUMNS = 'key_hash, expires_at, reserved_by'

/** Returns SQL for the part of `reserved_by` that claims and reservations of one owner have in common. */
export function markIn(column: string): string {
  return `SUBSTR(${column}, 1, ${CLAIM_BYTES})`
}

/** Returns SQL for whether a row is a claim, and not a reservation. */
export const IS_CLAIM = `OCTET_LENGTH(reserved_by) = ${CLAIM_BYTES}`

/** Returns the state in the first row of a result. Without a row, another statement changed the keys at the same time. */
export function stateIn(result: unknown): ClaimState {
  const [row] = rowsOf(result)
  if (row === undefined) return 'in_progress'
  const { state } = row
  if (isClaimState(state)) return state
  throw new Error('query resolved to a row without a state. Resolve to rows as objects, as the client does by default.')
}

/** Returns the parameters of the statement that writes the rows of a reservation. */
export function valuesOf({ hashes, milliseconds, owner }: SqlReservation): (string | number)[] {
  return hashes.flatMap((hash) => [hash, milliseconds, owner])
}

/** Returns the rows of a query. Clients resolve to `rows`, `{ rows }`, or `[rows, fields]`. */
export function rowsOf(result: unknown): Record<string, unknown>[] {
  const listed = Array.isArray(result) ? result : Object(result).rows
  const rows = Array.isArray(listed) && Array.isArray(listed[0]) ? listed[0] : listed
  if (Array.isArray(rows)) return rows.map(Object)
  throw new Error(`query resolved to ${kindOf(result)}, not to rows. Return the client's result unchanged.`)
}

export function hashesIn(result: unknown): string[] {
  return rowsOf(result).map(({ hash }) => {
    if (typeof hash === 'string') return hash
    throw new Error('query resolved to rows without hash. Resolve to rows as objects, as the client does by default.')
  })
}
