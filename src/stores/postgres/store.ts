import { COLUMNS, IS_CLAIM, markIn, rowsOf, type SqlClaim, type SqlDialect, stateIn, valuesOf } from '../sql-dialect.js'
import { SqlNonceStore, type SqlNonceStoreOptions } from '../sql-store.js'

/** Error codes (PostgreSQL, appendix A) after which the statement has changed nothing. */
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const FAILED_CAST = '22P02'

/** The server logs this text if the server undid a statement because another statement took a key at the same time. */
const PARTLY = 'a key was taken, so nothing is reserved; last keys written:'

const bytes = (parameter: number) => `decode($${parameter}, 'hex')`

/** Returns the values of a row. clock_timestamp() is used, because now() is the time when the transaction started. */
export function rowOf(index: number): string {
  const first = 3 * index + 1
  return `${bytes(first)}, clock_timestamp() + $${first + 1}::float8 * interval '1 millisecond', ${bytes(first + 2)}`
}

/** Returns the statement that writes rows, except for keys that are reserved or claimed. `isOwn` is the condition for rows to overwrite. */
export function upsert(table: string, rows: string, isOwn = 'false'): string {
  return `INSERT INTO ${table} AS nonce (${COLUMNS}) ${rows}
    ON CONFLICT (key_hash) DO UPDATE SET expires_at = excluded.expires_at, reserved_by = excluded.reserved_by
    WHERE nonce.expires_at < clock_timestamp() OR ${isOwn}`
}

/** Returns SQL that locks a key of a table without waiting, until the transaction or the statement ends. `hash` is SQL for the hex digits. */
export function tryLock(table: string, hash: string): string {
  return `pg_try_advisory_xact_lock(('x' || left(${hash}, 15))::bit(60)::int8 # '${table}'::regclass::oid::int8)`
}

/** Returns the statement that reserves `count` keys. `RETURNING` returns only the rows that were written. */
function reservationOf(table: string, count: number): string {
  if (count === 1) return `${upsert(table, `VALUES (${rowOf(0)})`)} RETURNING 'claimed' AS state`

  // If a key is taken, nothing is written.
  const keys = Array.from({ length: count }, (_, index) => bytes(3 * index + 1)).join()
  const isFree = `WHERE NOT EXISTS (SELECT FROM ${table} WHERE key_hash IN (${keys}) AND expires_at >= clock_timestamp())`
  return `WITH ${chain(table, count, isFree)} SELECT state FROM written`
}

/**
 * Returns queries that write rows, and `written`, which has no row if the first key was not written. Each key is inserted only if the key
 * before it was, and the first key on a `condition`. If another statement takes a later key meanwhile, the cast fails and nothing is written.
 */
function chain(table: string, count: number, condition: string, isOwn?: string): string {
  const inserts = Array.from({ length: count }, (_, index) => {
    const from = index === 0 ? condition : `FROM written_${index - 1}`
    return `written_${index} AS (${upsert(table, `SELECT ${rowOf(index)} ${from}`, isOwn)} RETURNING true)`
  })
  return `${inserts.join(', ')}, written AS (
    SELECT CASE count WHEN 1 THEN 'claimed' ELSE ('${PARTLY} ' || count)::boolean::text END AS state
    FROM written_0, (SELECT count(*) FROM written_${count - 1}) AS last
  )`
}

/**
 * Returns the statement that claims keys, or records them as done. A key that a transaction holds has no visible row, so keys are locked as
 * the transaction store locks them. The owner's own keys need no lock: a copy locks them for a moment, and must not end the claim.
 */
function claimOf(table: string, { hashes, isDone }: SqlClaim): string {
  const count = hashes.length
  const keys = hashes.map((_, index) => bytes(3 * index + 1)).join()
  const locks = hashes.map((_, index) => tryLock(table, `$${3 * index + 1}`)).join(' AND ')
  const mark = bytes(3 * count + 1)
  const isOwn = `${isDone ? markIn('nonce.reserved_by') : 'nonce.reserved_by'} = ${mark}`
  return `
    WITH live AS MATERIALIZED (
      SELECT CASE WHEN ${isOwn} THEN 'claimed' WHEN ${IS_CLAIM} THEN 'in_progress' ELSE 'taken' END AS state
      FROM ${table} AS nonce WHERE key_hash IN (${keys}) AND expires_at >= clock_timestamp()
    ), decision AS MATERIALIZED (
      SELECT CASE
        WHEN bool_or(state = 'taken') THEN 'taken'
        WHEN bool_or(state = 'in_progress') THEN 'in_progress'
        WHEN count(*) = ${count} THEN 'claimed'
        WHEN ${locks} THEN 'claimed'
        ELSE 'in_progress' END AS state
      FROM live
    ), ${chain(table, count, "FROM decision WHERE state = 'claimed'", isOwn)}
    SELECT state FROM decision WHERE state <> 'claimed' UNION ALL SELECT state FROM written`
}

export const POSTGRES: SqlDialect = {
  quote: '"',
  prefix: 'schema',
  // PostgreSQL truncates a name after 63 bytes. The name of the index is the table's name and a suffix.
  maxNameLength: 48,
  bytes,

  isUndone(error) {
    return [SERIALIZATION_FAILURE, DEADLOCK].includes(Object(error).code)
  },

  async reserve(query, table, reservation) {
    try {
      const text = reservationOf(table, reservation.hashes.length)
      return stateIn(await query(text, valuesOf(reservation))) === 'claimed'
    } catch (error) {
      if (Object(error).code === FAILED_CAST) return false
      throw error
    }
  },

  async claim(query, table, claim) {
    try {
      return stateIn(await query(claimOf(table, claim), [...valuesOf(claim), claim.mark]))
    } catch (error) {
      if (Object(error).code === FAILED_CAST) return 'in_progress'
      throw error
    }
  },

  async createTable(query, table) {
    const index = table.replace(/"$/, '_expires_at"')
    // The statement first checks whether table and index exist. Otherwise, CREATE INDEX IF NOT EXISTS would wait for every open write, and
    // all later writes would wait for CREATE INDEX. If a column is missing, the check of the columns fails with the name of this column.
    // One of two concurrent CREATE TABLE IF NOT EXISTS can fail, so a lock lets only one process continue at a time.
    const text = `DO $$ BEGIN
      IF to_regclass('${table}') IS NOT NULL THEN
        PERFORM ${COLUMNS} FROM ${table} LIMIT 0;
        IF to_regclass('${index}') IS NOT NULL THEN RETURN; END IF;
      END IF;
      PERFORM pg_advisory_xact_lock(hashtext('inbound-webhook-auth'), hashtext('${table}'));
      CREATE TABLE IF NOT EXISTS ${table} (
        key_hash bytea PRIMARY KEY, expires_at timestamptz NOT NULL, reserved_by bytea NOT NULL
      );
      CREATE INDEX IF NOT EXISTS ${index.split('.').at(-1)} ON ${table} (expires_at);
    END $$`
    await query(text, [])
  },

  async deleteExpired(query, table, limit) {
    // The rows are locked, so that no other statement reserves a row before it is deleted. Locked rows are skipped.
    const text = `WITH expired AS MATERIALIZED (
      SELECT key_hash FROM ${table} WHERE expires_at < (SELECT clock_timestamp())
      ORDER BY expires_at LIMIT $1::int8 FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM ${table} AS nonce USING expired
      WHERE nonce.key_hash = expired.key_hash AND nonce.expires_at < clock_timestamp()
      RETURNING true
    )
    SELECT count(*)::int4 AS count FROM deleted`
    const [row] = rowsOf(await query(text, [limit]))
    const count = Number(row?.['count'])
    if (Number.isNaN(count)) {
      throw new Error('query resolved to no count. Resolve to the rows as objects, or to { rows }.')
    }
    return count
  },
}

/**
 * A nonce store in PostgreSQL. The store works with any client.
 *
 * A reservation is one statement and uses the database's clock. Create the table with {@link PostgresNonceStore.createTable}. The store
 * deletes expired rows by itself.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import pg from 'pg'
 * import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'
 *
 * const pool = new pg.Pool({ connectionTimeoutMillis: 1000, query_timeout: 1000 })
 *
 * const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
 * ```
 */
export class PostgresNonceStore extends SqlNonceStore {
  constructor(options: SqlNonceStoreOptions) {
    super(options, POSTGRES)
  }
}
