import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Address } from './sockets.js'

// Only this file reads undocumented parts of drivers. A new version of a driver can change these parts without notice. Then
// test/nightly/stores/driver-internals.test.ts fails, and names what is missing.
//
// | driver   | tested with | what is read                                   | what it is for, and what happens without it               |
// |----------|-------------|------------------------------------------------|-----------------------------------------------------------|
// | pg       | 8           | processID, secretKey, host, port of a client   | cancels a late statement, which otherwise continues        |
// | pg       | 8           | ssl and sslNegotiation of a client             | cancels over TLS; else the secret key goes in clear text  |
// | postgres | 3           | state of a statement, options of the client    | the same as the two rows of pg                            |
// | mysql2   | 3           | connection of a pool's connection              | sets up each connection once; else before each statement  |
// | mariadb  | 3           | the event error of a pool                      | reports errors to onError; else an error ends the process |
// | ioredis  | 5, 6        | lastNodeError of the error of a cluster        | says why no node can be reached; else the reason is lost  |

/** The data that a CancelRequest of PostgreSQL's protocol needs to cancel a statement. */
export interface PostgresSession {
  readonly address: Address
  /** The number of the server process, and its secret key. */
  readonly pid: number
  readonly secret: number
  /** How the connection is encrypted, or `undefined`. */
  readonly tls: PostgresTls | undefined
}

/** How a driver encrypts a connection to PostgreSQL. */
export interface PostgresTls {
  /** The options that the driver passes to `connect` of `node:tls`, besides the socket. */
  readonly options: ConnectionOptions
  /** Whether TLS begins immediately, without the message SSLRequest. */
  readonly isDirect: boolean
  /** Whether the driver continues without encryption if the server has no TLS. */
  readonly isOptional: boolean
}

/** Returns the session of a client of pg, or `undefined` before it is connected. */
export function sessionOfPg(client: object): PostgresSession | undefined {
  const { host, port, processID: pid, secretKey: secret, ssl, sslNegotiation } = Object(client)
  if (typeof pid !== 'number' || typeof secret !== 'number') return undefined
  // `key` is copied separately, because the spread skips a property that is not enumerable.
  const { key } = Object(ssl)
  const options = { host, ...Object(ssl), ...(key && { key }), ...servernameOf(host) }
  return {
    address: postgresAddress(host, port),
    pid,
    secret,
    tls: ssl ? tlsOf(options, sslNegotiation, false) : undefined,
  }
}

/** Returns where a server listens. If the host is a folder, the server listens at a Unix socket in this folder. */
export function postgresAddress(host: string, port: number): Address {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** Returns the option `servername`, or no option for an IP address, which must not be a `servername` (RFC 6066, section 3). */
function servernameOf(host: string): ConnectionOptions {
  return isIP(host) === 0 ? { servername: host } : {}
}

function tlsOf(options: ConnectionOptions, negotiation: unknown, isOptional: boolean): PostgresTls {
  const isDirect = negotiation === 'direct'
  return { options: isDirect ? { ...options, ALPNProtocols: ['postgresql'] } : options, isDirect, isOptional }
}

/** The servers of a client of postgres.js. */
export interface PostgresJsServers {
  /** The path of a Unix socket. */
  readonly path?: unknown
  readonly host: readonly string[]
  readonly port: readonly number[]
}

/** Returns the address of the server with the number `index`. */
export function addressOfPostgresJs({ path, host, port }: PostgresJsServers, index: number): Address {
  return typeof path === 'string' ? { path } : { host: String(host[index]), port: Number(port[index]) }
}

/** Returns the session that runs a statement of postgres.js, or `undefined` if the statement was not sent. */
export function sessionOfPostgresJs(sql: unknown, statement: unknown): PostgresSession | undefined {
  const { pid, secret } = Object(Object(statement).state)
  const { options } = Object(sql)
  if (typeof pid !== 'number' || typeof secret !== 'number' || options === undefined) return undefined
  const { ssl, sslnegotiation, path, host } = options
  const name = path ? {} : servernameOf(String(host[0]))
  const settings = UNVERIFIED.includes(ssl) ? { rejectUnauthorized: false } : typeof ssl === 'object' ? ssl : {}
  const tls = ssl ? tlsOf({ ...name, ...settings }, sslnegotiation, ssl === 'prefer') : undefined
  return { address: addressOfPostgresJs(options, 0), pid, secret, tls }
}

/** The values of `ssl` of postgres.js that accept any certificate. */
const UNVERIFIED: readonly unknown[] = ['require', 'allow', 'prefer']

/** Returns the inner connection of mysql2, which stays the same, although the pool wraps it in a new object each time. */
export function connectionOfMysql2(connection: object): object {
  return Object(connection).connection ?? connection
}

/** Listens for background errors of a mariadb pool. The TypeScript type of the pool does not declare this event. */
export function onErrorOfMariadb(pool: object, listener: (error: unknown) => void): void {
  Object(pool).on('error', listener)
}

/** Returns the error of the last node that a cluster of ioredis tried, or `undefined`. */
export function lastErrorOfIoredis(error: unknown): unknown {
  return Object(error).lastNodeError ?? undefined
}
