import { describe, expect, it } from 'vitest'
import { NonceStoreError } from '../../src/index.js'
import { storeFailure } from '../../src/stores/failure.js'

// The errors are those that the six clients throw, reduced to what the package reads.

const error = (message: string, properties: object = {}) => Object.assign(new Error(message), properties)

describe('the error for a store that does not work says what to do', () => {
  it.each<[string, unknown, RegExp]>([
    ['redis: wrong password', error('WRONGPASS invalid username-password pair or user is disabled.'), /password/],
    ['redis: no password', error('NOAUTH Authentication required.'), /password/],
    ['pg: wrong password', error('password authentication failed', { code: '28P01' }), /password/],
    ['mysql2: wrong password', error('Access denied for user', { errno: 1045 }), /password/],
    ['pg: unknown database', error('database "x" does not exist', { code: '3D000' }), /database does not exist/],
    ['mysql2: unknown database', error('Unknown database', { errno: 1049 }), /database does not exist/],
    [
      'redis: missing permission',
      error("NOPERM User x has no permissions to run the 'info' command"),
      /needs \+eval \+get \+set \+del \+info /,
    ],
    [
      'redis: a script without a permission',
      error("ERR The user executing the script can't run this command"),
      /permission/,
    ],
    [
      'pg: missing permission',
      error('permission denied for table', { code: '42501' }),
      /needs SELECT, INSERT, UPDATE and DELETE/,
    ],
    ['mysql2: missing permission', error('INSERT command denied', { errno: 1142 }), /needs SELECT, INSERT and DELETE/],
    ['pg: another column', error('column "key" does not exist', { code: '42703' }), /^The table has other columns/],
    ['mysql2: another column', error("Unknown column 'key_hash'", { errno: 1054 }), /^The table has other columns/],
    ['pg: no table', error('relation does not exist', { code: '42P01' }), /table does not exist/],
    ['mysql2: no table', error("Table doesn't exist", { errno: 1146 }), /table does not exist/],
    ['pg: hot standby', error('cannot execute INSERT in a read-only transaction', { code: '25006' }), /read-only/],
    ['mysql2: read-only', error('running with the --read-only option', { errno: 1290 }), /read-only/],
    ['redis: replica', error("READONLY You can't write against a read only replica."), /read-only/],
    ['redis: no replica answers', error('NOREPLICAS Not enough good replicas to write.'), /too few replicas/],
    ['pg: TLS', error('self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), /certificate/],
    ['pg: too many clients', error('sorry, too many clients already', { code: '53300' }), /raise max_connections/],
    ['mysql2: too many connections', error('Too many connections', { errno: 1040 }), /raise max_connections/],
    [
      'mysql2: too many of a user',
      error('max_user_connections', { errno: 1203 }),
      /^The server has too many connections/,
    ],
    [
      'redis: too many clients',
      error('ERR max number of clients reached'),
      /raise max_connections \(Redis: maxclients\)/,
    ],
    ['server down', error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' }), /^No server listens/],
    ['no Unix socket', error('connect ENOENT /run/x', { code: 'ENOENT' }), /^No server listens/],
    ['no such network', error('connect ENETUNREACH', { code: 'ENETUNREACH' }), /cannot be reached/],
    [
      'no such host',
      error('getaddrinfo ENOTFOUND db', { code: 'ENOTFOUND' }),
      /^The host name of the server is unknown/,
    ],
    ['a server that hangs', error('no matter what', { code: 'ETIMEDOUT' }), /cannot be reached/],
    ['pg: no connection in time', error('timeout exceeded when trying to connect'), /cannot be reached/],
    ['postgres.js: no connection in time', error('write CONNECT_TIMEOUT db:5432'), /cannot be reached/],
    ['redis: cluster', error('None of the root nodes is available'), /cannot be reached/],
    ['ioredis: cluster', error('None of startup nodes is available'), /cannot be reached/],
    ['ioredis: Sentinel', error('All sentinels are unreachable and retry is disabled.'), /cannot be reached/],
    ['redis: invalid URL', error('Invalid URL', { code: 'ERR_INVALID_URL' }), /URL of the client is invalid/],
    ['mariadb: invalid URL', error('error parsing connection string x'), /URL of the client is invalid/],
    ['anything else', error('out of cheese'), /^The store does not work\. See the cause\.$/],
    ['nothing', undefined, /^The store does not work\. See the cause\.$/],
  ])('%s', (_, cause, message) => {
    const failure = storeFailure(cause)
    expect(failure.message).toMatch(message)
    expect(failure).toMatchObject({ code: 'ERR_NONCE_STORE', status: 503, cause })
    expect(failure.message.length).toBeLessThanOrEqual(200)
  })

  it('reads the cause of an error, and the errors of an AggregateError', () => {
    const refused = error('connect ECONNREFUSED', { code: 'ECONNREFUSED' })
    expect(storeFailure(error('no connection', { cause: refused })).message).toMatch(/No server listens/)
    expect(storeFailure(new AggregateError([refused])).message).toMatch(/No server listens/)
    const deep = error('no pool', {
      cause: error('no connection', { cause: new AggregateError([error('?'), refused]) }),
    })
    expect(storeFailure(deep)).toMatchObject({ message: expect.stringMatching(/No server listens/), cause: refused })
    const endless = error('out of cheese')
    endless.cause = endless
    expect(storeFailure(endless).message).toMatch(/See the cause/)
  })

  it('reads the last error of a cluster of ioredis', () => {
    const lastNodeError = error('WRONGPASS invalid username-password pair')
    const failure = storeFailure(error('None of startup nodes is available', { lastNodeError }))
    expect(failure).toMatchObject({ message: expect.stringMatching(/password/), cause: lastNodeError })
  })

  it('keeps an error of this package', () => {
    const invalid = Object.assign(new TypeError('table is not a name'), { code: 'ERR_INVALID_ARGUMENT' })
    expect(storeFailure(invalid)).toBe(invalid)
    const failure = new NonceStoreError('known')
    expect(storeFailure(failure)).toBe(failure)
  })
})
