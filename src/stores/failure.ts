import { NonceStoreError } from '../errors.js'
import { withoutCredentials } from './credentials.js'

/** A reason why a store does not work: codes, numbers or messages of the client's error, and what to do. */
type Reason = readonly [signs: readonly (string | number | RegExp)[], message: string]

/** The server sent no response in time. This may pass without a change. */
const UNREACHABLE: Reason = [
  [
    ...['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'AbortError', 'TimeoutError'],
    // Clients use these messages after their own time-outs, or after they tried several servers.
    /timeout|timed out|(sentinels?|(root|startup) nodes?)\b.*\b(unreachable|available)/i,
  ],
  'The server cannot be reached or does not respond in time. Start the server, correct the address in the client, or raise its time-outs if the server is far away.',
]

const LACKS_PERMISSION =
  'The user lacks a permission. The user needs SELECT, INSERT, UPDATE and DELETE on the table. If the table is absent, the user also needs CREATE on the'

/** The first reason that matches is used. The messages are safe to send, because they contain no host and no user. */
const REASONS: readonly Reason[] = [
  [
    ['ERR_INVALID_URL', /^error parsing connection string/],
    'The URL of the client is invalid. Encode the user name and the password with encodeURIComponent.',
  ],
  [
    ['28P01', '28000', 1045, 1698, /\bWRONGPASS\b|\bNOAUTH\b|AUTH failed/],
    'The server refused the user name or the password. Correct both in the client.',
  ],
  [['3D000', 1049], 'The database does not exist. Correct the name in the client or create the database.'],
  [['42501'], `${LACKS_PERMISSION} schema.`],
  [[1044, 1142, 1143, 1227], `${LACKS_PERMISSION} database.`],
  [
    [/\bNOPERM\b|user executing the script can't/],
    'The user lacks a permission. The user needs +eval +get +set +del +info on the keys webhook-nonce:*, and in a cluster +cluster|slots +cluster|info +asking.',
  ],
  [['AccessDeniedException'], 'The role lacks a permission. The role needs dynamodb:PutItem on the table.'],
  [
    ['CredentialsProviderError', 'ExpiredTokenException', 'InvalidSignatureException', 'UnrecognizedClientException'],
    "AWS refused the credentials, or the SDK found none. Correct the client's credentials.",
  ],
  [
    ['ResourceNotFoundException'],
    "The table does not exist. Create the table, or correct the table option or the client's region.",
  ],
  [['ValidationException'], 'The table has the wrong key. Create a table whose only key is the string key_hash.'],
  [['42P01', 1146], 'The table does not exist. Call createTable() first.'],
  [
    ['53300', 1040, 1203, /max number of clients/],
    'The server has too many connections. Open fewer per process or raise max_connections (Redis: maxclients).',
  ],
  [
    ['42703', '42804', '42P10', '23502', 1054, 1364, 1406],
    'The table has the wrong columns. Set the table option to another name or drop the table, then call createTable().',
  ],
  [[1064], 'The server is too old to skip locked rows. Use MySQL 8.0, MariaDB 10.6 or a later version.'],
  [['25006', 1290, 1792, 1836, /\bREADONLY\b/], 'The server is read-only or a replica. Connect to the primary.'],
  [[/\bNOREPLICAS\b/], 'Too few replicas of Redis respond. Start a replica or lower min-replicas-to-write.'],
  [
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', /certificate/i],
    "The server's TLS certificate is not trusted. Set its certificate authority in the client.",
  ],
  [['ENOTFOUND', 'EAI_AGAIN'], 'The host name of the server is unknown. Correct it in the client or check the DNS.'],
  [
    ['ECONNREFUSED', 'ENOENT'],
    'No server listens at the address. Start the server, or correct the host and port in the client.',
  ],
  [
    ['55P03', '57014', 1205, 1969, 3024],
    'A statement of the store waited too long. Check which session locks the table and whether the server is busy.',
  ],
  UNREACHABLE,
  // ioredis and node-redis use these messages while they have no connection. The reason is only in their `error` events.
  [
    [/max retries per request|enableOfflineQueue|Connection is closed|client is (offline|closed)|Socket closed/i],
    "The client is not connected and does not say why. To see the reason, log the client's error event.",
  ],
]

/** Returns the error for a store that does not work. Its `cause` is the client's error that says why, without credentials. */
export function storeFailure(error: unknown): Error {
  const { reason, cause } = findReason(error)
  if (reason !== undefined) return new NonceStoreError(reason[1], { cause: withoutCredentials(cause) })
  if (error instanceof Error && ['ERR_INVALID_ARGUMENT', 'ERR_NONCE_STORE'].includes(Object(error).code)) return error
  return new NonceStoreError('The store does not work. See the cause.', { cause: withoutCredentials(error) })
}

/** Returns whether an error means that the server sent no response in time. */
export function isUnreachable(error: unknown): boolean {
  return findReason(error).reason === UNREACHABLE
}

function findReason(error: unknown): { reason?: Reason; cause?: unknown } {
  const causes = chainOf(error)
  for (const reason of REASONS) {
    const cause = causes.find((link) => fits(reason, link))
    if (cause !== undefined) return { reason, cause }
  }
  return {}
}

function fits([signs]: Reason, error: unknown): boolean {
  const { code, errno, name, message } = Object(error)
  return signs.some((sign) =>
    sign instanceof RegExp ? sign.test(String(message)) : [code, errno, name].includes(sign),
  )
}

/** Returns an error, its causes, the errors of an `AggregateError`, and the last error of an ioredis cluster. Stops at about ten errors. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [error]
  for (let index = 0; index < chain.length && chain.length < 10; index++) {
    const { cause, errors, lastNodeError } = Object(chain[index])
    if (cause !== undefined) chain.push(cause)
    if (lastNodeError !== undefined) chain.push(lastNodeError)
    if (Array.isArray(errors)) chain.push(...errors)
  }
  return chain
}
