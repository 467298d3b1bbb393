import { kindOf } from '../../arguments.js'
import { NonceStoreError } from '../../errors.js'
import type { SqlDialect, SqlQuery, SqlReservation } from '../sql-dialect.js'
import { COLUMNS, hashesIn, IS_CLAIM, markIn, rowsOf, valuesOf } from '../sql-dialect.js'
import { SqlNonceStore, type SqlNonceStoreOptions } from '../sql-store.js'

/** ER_CHECKREAD (the row has changed), ER_DUP_ENTRY, ER_NO_SUCH_TABLE, ER_SUBQUERY_NO_1_ROW and ER_READ_ONLY_MODE. */
const CHANGED = 1020
const DUPLICATE_ENTRY = 1062
const NO_SUCH_TABLE = 1146
const TWO_ROWS = 1242
const READ_ONLY = 1836

export const NOW = 'UTC_TIMESTAMP(6)'

/** Rows that expired before this time are deleted. A later row may be needed, because its nonce may be sent again now. */
const LONG_AGO = `${NOW} - INTERVAL 1 MINUTE`

export function insertOf(table: string, count: number): string {
  const row = `(UNHEX(?), ${NOW} + INTERVAL ? * 1000 MICROSECOND, UNHEX(?))`
  return `INSERT INTO ${table} (${COLUMNS}) VALUES ${Array(count).fill(row).join()}`
}

/** Inserts all rows and resolves to `true`. If one of the rows exists, inserts none and resolves to `false`. */
async function insert(query: SqlQuery, table: string, reservation: SqlReservation): Promise<boolean> {
  const count = reservation.hashes.length
  try {
    if (affectedRows(await query(insertOf(table, count), valuesOf(reservation))) === count) return true
  } catch (error) {
    // Affected rows do not show a taken key, because their number depends on the client's `FOUND_ROWS` flag.
    if (Object(error).errno === DUPLICATE_ENTRY) return false
    throw error
  }
  throw new Error(
    'query resolved to the wrong number of affected rows. Run the statement unchanged, on an InnoDB table.',
  )
}

/** Deletes the rows that expired before a time and resolves to their number. `target` is the SQL between `DELETE` and `WHERE`. */
async function deleteRows(query: SqlQuery, target: string, hashes: readonly string[], time: string): Promise<number> {
  const parameters = hashes.map(() => 'UNHEX(?)').join()
  const text = `DELETE ${target} WHERE key_hash IN (${parameters}) AND expires_at < ${time}`
  return affectedRows(await query(text, [...hashes]))
}

/** Returns how many rows a statement affected. mysql2 resolves to [result, fields], and mariadb to the result. */
function affectedRows(result: unknown): number {
  const { affectedRows: count } = Object(Array.isArray(result) ? result[0] : result)
  if (typeof count === 'number' || typeof count === 'bigint') return Number(count)
  throw new Error(`query resolved to ${kindOf(result)} without affectedRows. Return the client's result unchanged.`)
}

export const MYSQL: SqlDialect = {
  quote: '`',
  prefix: 'database',
  maxNameLength: 64,
  bytes: () => 'UNHEX(?)',

  isUndone(error) {
    const { errno, sqlState } = Object(error)
    // SQLSTATE class 40 is a deadlock, or a conflict between nodes.
    return errno === CHANGED || String(sqlState).startsWith('40')
  },

  async reserve(query, table, { hashes, ...rest }) {
    // All processes lock keys in the same order, so two statements rarely wait for each other.
    const reservation = { hashes: [...hashes].sort(), ...rest }
    if (await insert(query, table, reservation)) return true
    // The row of a taken key may have expired. An expired row is deleted, so that the key can be inserted.
    await deleteRows(query, `FROM ${table}`, reservation.hashes, NOW)
    return insert(query, table, reservation)
  },

  async claim(query, table, claim) {
    const { hashes, mark, isDone } = claim
    const isOwn = `${isDone ? markIn('reserved_by') : 'reserved_by'} = UNHEX(?)`
    // If a key belongs to somebody else, the subquery fails, which undoes all rows, whatever the SQL mode is.
    const upsert = `${insertOf(table, hashes.length)} ON DUPLICATE KEY UPDATE
      reserved_by = IF(expires_at < ${NOW} OR ${isOwn}, VALUES(reserved_by), (SELECT 1 UNION SELECT 2)), expires_at = VALUES(expires_at)`
    try {
      await query(upsert, [...valuesOf(claim), mark])
      return 'claimed'
    } catch (error) {
      if (Object(error).errno !== TWO_ROWS) throw error
    }
    const keys = hashes.map(() => 'UNHEX(?)').join()
    const select = `SELECT MIN(${IS_CLAIM}) AS claims FROM ${table}
      WHERE key_hash IN (${keys}) AND expires_at >= ${NOW} AND NOT (${isOwn})`
    const [row] = rowsOf(await query(select, [...hashes, mark]))
    return row?.['claims'] === null || Number(row?.['claims']) !== 0 ? 'in_progress' : 'taken'
  },

  async createTable(query, table) {
    try {
      return await query(`SELECT ${COLUMNS} FROM ${table} LIMIT 0`, [])
    } catch (error) {
      if (Object(error).errno !== NO_SUCH_TABLE) throw error
    }
    const text = `CREATE TABLE IF NOT EXISTS ${table} (
      key_hash BINARY(32) NOT NULL PRIMARY KEY,
      expires_at DATETIME(6) NOT NULL,
      reserved_by VARBINARY(16) NOT NULL,
      KEY expires_at (expires_at)
    ) ENGINE = InnoDB`
    return query(text, [])
  },

  async checkSettings(query, table) {
    const [name, database] = table.replaceAll('`', '').split('.').reverse()
    // A user who may write to a read-only server gets no error there. A replica of Aurora reports only InnoDB as read-only.
    const settings = `SELECT @@autocommit AS autocommit, @@global.read_only + @@global.innodb_read_only AS read_only,
      (SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_NAME = '${name}'
        AND TABLE_SCHEMA = ${database === undefined ? 'DATABASE()' : `'${database}'`}) AS engine`
    // If the server does not know a setting, the reservations of the check show what is wrong.
    const [row] = rowsOf(await query(settings, []).catch(() => []))
    // A view has no engine.
    const { autocommit, read_only: readOnly, engine } = { autocommit: 1, read_only: 0, engine: null, ...row }
    if (Number(autocommit) === 0) {
      throw new NonceStoreError(
        'autocommit is off. Run SET SESSION autocommit = 1 on each connection, because otherwise nothing is stored.',
      )
    }
    if (Number(readOnly) > 0) throw Object.assign(new Error('The server accepts no writes.'), { errno: READ_ONLY })
    if (typeof engine === 'string' && engine !== 'InnoDB') {
      throw new NonceStoreError(
        `The table uses ${engine}, which cannot roll back a failed statement. Run ALTER TABLE ${table} ENGINE = InnoDB.`,
      )
    }
    // The sweeps need SKIP LOCKED, and their errors are ignored.
    await query(`SELECT 1 FROM ${table} LIMIT 0 FOR UPDATE SKIP LOCKED`, [])
  },

  async deleteExpired(query, table, limit) {
    // With another index, or with none in a small table, the statements would lock all rows that they read.
    const nonce = `${table} AS nonce FORCE INDEX (PRIMARY)`
    // The inner query locks nothing. DELETE … LIMIT would lock a range of the index, so new keys would wait behind a locked row.
    const select = `SELECT HEX(nonce.key_hash) AS hash
      FROM (SELECT key_hash FROM ${table} WHERE expires_at < ${LONG_AGO} ORDER BY expires_at LIMIT ${limit}) AS expired
      STRAIGHT_JOIN ${nonce} USING (key_hash) FOR UPDATE SKIP LOCKED`
    const hashes = hashesIn(await query(select, []))
    return hashes.length === 0 ? 0 : deleteRows(query, `nonce FROM ${nonce}`, hashes, LONG_AGO)
  },
}

/**
 * A nonce store in MySQL or MariaDB (InnoDB), for any client.
 *
 * A reservation is one `INSERT` of all its keys, which fails as a whole if one key is taken. The expiry is measured with the server's
 * clock. Create the table with {@link MySqlNonceStore.createTable}, and check it with {@link MySqlNonceStore.check}.
 * The store deletes expired rows by itself.
 *
 * @throws `TypeError` or `RangeError` with `code` `ERR_INVALID_ARGUMENT` for an invalid option.
 *
 * @example
 * ```ts
 * import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'
 * import mysql from 'mysql2/promise'
 *
 * const pool = mysql.createPool({ uri: 'mysql://127.0.0.1/hooks', connectTimeout: 1000 })
 *
 * const nonceStore = new MySqlNonceStore({ query: (text, values) => pool.query(text, values) })
 * ```
 */
export class MySqlNonceStore extends SqlNonceStore {
  constructor(options: SqlNonceStoreOptions) {
    super(options, MYSQL)
  }
}
