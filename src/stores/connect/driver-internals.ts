// The undocumented parts of the drivers that the stores read. No other file reads any. A new version of a driver may change them without
// notice: test/integration/driver-internals.test.ts then fails, and names what is missing.
//
// | driver   | tested with | what is read                                   | what it is for, and what happens without it               |
// |----------|-------------|------------------------------------------------|-----------------------------------------------------------|
// | pg       | 8           | processID, secretKey, host, port of a client   | cancels a statement without an answer; else it goes on    |
// | postgres | 3           | state of a statement, options of the client    | the same                                                  |
// | mysql2   | 3           | connection of a pool's connection              | sets up each connection once; else before each statement  |
// | mariadb  | 3           | the event error of a pool                      | reports errors to onError; else one would end the process |
// | redis    | 5, 6        | the listener for abort on the signal of a node | closes connections that are being opened; else they stay  |
// | redis    | 5, 6        | its cache of classes: the JSON of all options  | a new connection is ready at once; else it takes 35 ms    |
// | ioredis  | 5, 6        | lastNodeError of the error of a cluster        | says why no node can be reached; else nothing says it     |

/** The session of a statement, as CancelRequest of PostgreSQL's protocol names it. */
export interface PostgresSession {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** The number of the server process, and its secret key. */
  readonly pid: number
  readonly secret: number
}

/** Returns the session of a client of pg, or `undefined` before it is connected. */
export function sessionOfPg(client: object): PostgresSession | undefined {
  const { host, port, processID: pid, secretKey: secret } = Object(client)
  return typeof pid === 'number' && typeof secret === 'number' ? { host, port, pid, secret } : undefined
}

/** The part of the settings of postgres.js that names its servers. */
export interface PostgresJsServers {
  /** The path of a Unix socket. */
  readonly path?: unknown
  readonly host: readonly string[]
  readonly port: readonly number[]
}

/** Returns the session that runs a statement of postgres.js, or `undefined` if the statement was not sent. */
export function sessionOfPostgresJs(
  sql: unknown,
  statement: unknown,
): { readonly servers: PostgresJsServers; readonly pid: number; readonly secret: number } | undefined {
  const { pid, secret } = Object(Object(statement).state)
  const servers: PostgresJsServers | undefined = Object(sql).options
  return typeof pid === 'number' && typeof secret === 'number' && servers ? { servers, pid, secret } : undefined
}

/** Returns the inner connection of mysql2. The pool wraps it in a new object each time. */
export function connectionOfMysql2(connection: object): object {
  return Object(connection).connection ?? connection
}

/** Listens for the background errors of a mariadb pool. The type of the pool lacks this event. */
export function onErrorOfMariadb(pool: object, listener: (error: unknown) => void): void {
  Object(pool).on('error', listener)
}

/**
 * Closes all connections that a client of redis has made with this signal, also those that are being opened. The signal is not
 * aborted, because Node would still open a later connection, and the client would not know about it.
 */
export function closeSocketsOfNodeRedis(signal: AbortSignal | undefined): void {
  signal?.dispatchEvent(new Event('abort'))
}

/**
 * Returns socket options that JSON leaves out. For each connection, redis looks up a class by the JSON of all options. If the address
 * were part of the JSON, redis would build a class with all commands for each node.
 */
export function socketOfNodeRedis<Options extends object>(options: Options): Options {
  return { ...options, ...{ toJSON: () => undefined } }
}

/** Returns the error of the last node that a cluster of ioredis tried, or `undefined`. */
export function lastErrorOfIoredis(error: unknown): unknown {
  return Object(error).lastNodeError ?? undefined
}
