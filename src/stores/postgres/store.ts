import { rowsOf, type SqlDialect, SqlNonceStore, type SqlNonceStoreOptions } from '../sql-store.js'

export const COLUMNS = 'key, expires_at, reserved_by'

/** Error codes (PostgreSQL, appendix A) after which the statement has changed nothing. */
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const FAILED_CAST = '22P02'

/** The server logs this text if the server undid a statement because a key after the first key was taken. */
const PARTLY = 'a key was taken, so nothing is reserved; last keys written:'

/**
 * Returns the statement that reserves this number of keys. The parameters are the milliseconds, the owner and the hash of each key.
 *
 * clock_timestamp() is used, because now() is the time when the transaction started.
 */
function reservationOf(table: string, count: number): string {
  const keys = Array.from({ length: count }, (_, index) => `decode($${index + 3}, 'hex')`)
  const values = "clock_timestamp() + $1::float8 * interval '1 millisecond', decode($2, 'hex')"
  const insert = `INSERT INTO ${table} AS nonce (${COLUMNS})`
  // The statement writes no reserved row, and returns only rows that were written.
  const write = `
    ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, reserved_by = excluded.reserved_by
    WHERE nonce.expires_at < clock_timestamp()
    RETURNING true AS reserved`
  if (count === 1) return `${insert} VALUES (${keys[0]}, ${values}) ${write}`

  // Each key is inserted only if the key before it was inserted. If the first key is taken, nothing is written. If a later key is taken,
  // the cast fails, which undoes the statement.
  const inserts = keys.map((key, index) => {
    const before = index === 0 ? '' : `FROM written_${index - 1}`
    return `written_${index} AS (${insert} SELECT ${key}, ${values} ${before} ${write})`
  })
  return `
    WITH ${inserts.join(', ')}
    SELECT CASE count WHEN 1 THEN true ELSE ('${PARTLY} ' || count)::boolean END AS reserved
    FROM written_0, (SELECT count(*) FROM written_${count - 1}) AS last`
}

export const POSTGRES: SqlDialect = {
  quote: '"',
  prefix: 'schema',
  // PostgreSQL truncates a name after 63 bytes. The name of the index is the table's name and a suffix.
  maxNameLength: 48,

  isUndone(error) {
    return [SERIALIZATION_FAILURE, DEADLOCK].includes(Object(error).code)
  },

  async reserve(query, table, { hashes, owner }, milliseconds) {
    let result: unknown
    try {
      result = await query(reservationOf(table, hashes.length), [milliseconds, owner, ...hashes])
    } catch (error) {
      if (Object(error).code === FAILED_CAST) return false
      throw error
    }
    const [row] = rowsOf(result)
    if (row === undefined) return false
    if (row['reserved'] === true) return true
    throw new Error(
      'query resolved to rows that are not objects of this statement. Resolve to the rows as objects, or to { rows }.',
    )
  },

  release(query, table, { hashes, owner }) {
    const keys = hashes.map((_, index) => `decode($${index + 2}, 'hex')`)
    const text = `DELETE FROM ${table} WHERE reserved_by = decode($1, 'hex') AND key IN (${keys.join()})`
    return query(text, [owner, ...hashes])
  },

  async createTable(query, table) {
    const index = table.replace(/"$/, '_expires_at"')
    // The statement first checks whether table and index exist, because CREATE INDEX IF NOT EXISTS waits for every open write, and all
    // later writes then wait for CREATE INDEX. If a column is missing, the check of the columns fails with the name of this column. One of
    // two concurrent CREATE TABLE IF NOT EXISTS can fail, so a lock lets only one process continue at a time.
    await query(
      `DO $$ BEGIN
        IF to_regclass('${table}') IS NOT NULL THEN
          PERFORM ${COLUMNS} FROM ${table} LIMIT 0;
          IF to_regclass('${index}') IS NOT NULL THEN RETURN; END IF;
        END IF;
        PERFORM pg_advisory_xact_lock(hashtext('inbound-webhook-auth'), hashtext('${table}'));
        CREATE TABLE IF NOT EXISTS ${table} (
          key bytea PRIMARY KEY, expires_at timestamptz NOT NULL, reserved_by bytea NOT NULL
        );
        CREATE INDEX IF NOT EXISTS ${index.split('.').at(-1)} ON ${table} (expires_at);
      END $$`,
      [],
    )
  },

  checkTable(query, table) {
    return query(`SELECT ${COLUMNS} FROM ${table} LIMIT 0`, [])
  },

  async deleteExpired(query, table, limit) {
    // The rows are locked, so that no row is reserved before it is deleted. Rows that are being reserved are skipped.
    const [row] = rowsOf(
      await query(
        `WITH expired AS MATERIALIZED (
          SELECT key FROM ${table} WHERE expires_at < (SELECT clock_timestamp())
          ORDER BY expires_at LIMIT $1::int8 FOR UPDATE SKIP LOCKED
        ), deleted AS (
          DELETE FROM ${table} AS nonce USING expired
          WHERE nonce.key = expired.key AND nonce.expires_at < clock_timestamp()
          RETURNING true
        )
        SELECT count(*)::int4 AS count FROM deleted`,
        [limit],
      ),
    )
    return Number(row?.['count'])
  },
}

/**
 * A nonce store in PostgreSQL that works with any client.
 *
 * A reservation is one statement and uses the database's clock. Create the table with {@link
 * PostgresNonceStore.createTable}. Run {@link PostgresNonceStore.deleteExpired} on a schedule, because expired rows
 * take space until they are deleted.
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
 * export const nonceStore = new PostgresNonceStore({ query: (text, values) => pool.query(text, values) })
 * ```
 */
export class PostgresNonceStore extends SqlNonceStore {
  constructor(options: SqlNonceStoreOptions) {
    super(options, POSTGRES)
  }
}
