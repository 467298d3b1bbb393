// Only this file reads undocumented parts of drivers. A new version of a driver can change these parts without notice. Then
// test/nightly/stores/driver-internals.test.ts fails, and names what is missing.
//
// | driver   | tested with | what is read                                   | what it is for, and what happens without it               |
// |----------|-------------|------------------------------------------------|-----------------------------------------------------------|
// | mysql2   | 3           | query of a connection in the event connection  | sets up each connection; else autocommit may be off       |
// | mariadb  | 3           | the event error of a pool                      | reports errors to onError; else an error ends the process |
// | ioredis  | 5, 6        | lastNodeError of the error of a cluster        | says why no node can be reached; else the reason is lost  |

/** Runs a statement on a connection that a pool of mysql2 has opened. The connection takes a callback, although its type does not. */
export function queryOfMysql2(connection: object, sql: string, callback: (error: unknown) => void): void {
  Object(connection).query(sql, callback)
}

/** Listens for background errors of a mariadb pool. The TypeScript type of the pool does not declare this event. */
export function onErrorOfMariadb(pool: object, listener: (error: unknown) => void): void {
  Object(pool).on('error', listener)
}

/** Returns the error of the last node that a cluster of ioredis tried, or `undefined`. */
export function lastErrorOfIoredis(error: unknown): unknown {
  return Object(error).lastNodeError ?? undefined
}
