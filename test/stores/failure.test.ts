import { describe, expect, it } from 'vitest'
import { NonceStoreError } from '../../src/index.js'
import { storeFailure } from '../../src/stores/failure.js'

// The errors are those that the six clients throw, reduced to what the package reads.

const error = (message: string, properties: object = {}) => Object.assign(new Error(message), properties)

/** The start of each message, with the codes, numbers, names and messages of errors of clients. */
const REASONS: readonly [RegExp, codes: (string | number)[], messages?: string[]][] = [
  [/^The URL of the client is invalid\./, ['ERR_INVALID_URL'], ['error parsing connection string x']],
  [
    /^The server refused the user name or the password\./,
    ['28P01', '28000', 1045, 1698],
    ['WRONGPASS invalid username-password pair', 'NOAUTH Authentication required.', 'ERR AUTH failed: x'],
  ],
  [/^The database does not exist\./, ['3D000', 1049]],
  [/^The user lacks a permission\. .* SELECT, INSERT, UPDATE and DELETE on the table\./, ['42501']],
  [/^The user lacks a permission\. .* SELECT, INSERT, UPDATE and DELETE on the table\./, [1044, 1142, 1143, 1227]],
  [
    /^The user lacks a permission\. The user needs \+eval \+get \+set \+del \+info /,
    [],
    ["NOPERM User x has no permissions to run the 'info' command", "ERR The user executing the script can't run this"],
  ],
  [/^The role lacks a permission\./, ['AccessDeniedException']],
  [
    /^AWS refused the credentials/,
    ['CredentialsProviderError', 'ExpiredTokenException', 'InvalidSignatureException', 'UnrecognizedClientException'],
  ],
  [/^The table does not exist\. Create the table/, ['ResourceNotFoundException']],
  [/^The table has the wrong key/, ['ValidationException']],
  [/^The table does not exist\. Call createTable\(\) first\./, ['42P01', 1146]],
  [
    /^The server has too many connections\. Open fewer per process or raise max_connections/,
    ['53300', 1040, 1203],
    ['ERR max number of clients reached'],
  ],
  [/^The table has the wrong columns/, ['42703', '42804', '42P10', '23502', 1054, 1364, 1406]],
  [/^The server is too old to skip locked rows\. Use MySQL 8\.0, MariaDB 10\.6/, [1064]],
  [/^The server is read-only or a replica\./, ['25006', 1290, 1792, 1836], ["READONLY You can't write."]],
  [/^Too few replicas of Redis respond/, [], ['NOREPLICAS Not enough good replicas to write.']],
  [
    /^The server's TLS certificate is not trusted\./,
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['Certificate has expired'],
  ],
  [/^The host name of the server is unknown\./, ['ENOTFOUND', 'EAI_AGAIN']],
  [/^No server listens at the address\./, ['ECONNREFUSED', 'ENOENT']],
  [/^A statement of the store waited too long\./, ['55P03', '57014', 1205, 1969, 3024]],
  [
    /^The server cannot be reached/,
    ['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'AbortError', 'TimeoutError'],
    [
      ...['timeout exceeded when trying to connect', 'write CONNECT_TIMEOUT db:5432', 'Connection timed out'],
      ...['None of the root nodes is available', 'None of startup nodes is available'],
      ...['All sentinels are unreachable and retry is disabled.'],
    ],
  ],
  [
    /^The client is not connected and does not say why\./,
    [],
    [
      ...['Reached the max retries per request limit'],
      ...["Stream isn't writeable and enableOfflineQueue options is false", 'Connection is closed.'],
      ...['The client is closed', 'The client is offline', 'Socket closed unexpectedly'],
    ],
  ],
  [/^The store does not work\. See the cause\.$/, ['55000', 9999], ['out of cheese']],
]

describe('the error for a store that does not work says what to do', () => {
  it.each(REASONS)('%s', (expected, codes, messages = []) => {
    // MySQL has numbers in errno, and an SDK of AWS has names. Everything else has a code.
    const ofCodes = codes.flatMap((code) =>
      (typeof code === 'number' ? ['errno'] : ['code', 'name']).map((name) =>
        error('no matter what', { [name]: code }),
      ),
    )
    for (const cause of [...ofCodes, ...messages.map((message) => error(message))]) {
      const failure = storeFailure(cause)
      expect(failure.message, JSON.stringify({ ...cause, text: cause.message })).toMatch(expected)
      expect(failure).toMatchObject({ code: 'ERR_NONCE_STORE', status: 503, cause })
      expect(failure.message.length).toBeLessThanOrEqual(200)
    }
  })

  it('says so if nothing was thrown', () => {
    expect(storeFailure(undefined).message).toBe('The store does not work. See the cause.')
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
