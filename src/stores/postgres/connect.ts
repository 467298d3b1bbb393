import type { ConnectSqlOptions } from '../connect/sql.js'

/** Options of `connectPg` and `connectPostgresJs`. */
export interface ConnectPostgresOptions extends ConnectSqlOptions {
  /**
   * Whether to use prepared statements, which each connection plans only once. By default `true`. Pass `false` for PgBouncer before 1.21 in
   * transaction mode, which does not support prepared statements.
   */
  prepare?: boolean | undefined
}
