import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MySqlNonceStore, type SqlNonceStoreOptions } from '../../../src/stores/mysql/index.js'

// Tests that need no server. The rest is in test/integration/mysql.test.ts.

const TAKEN = Object.assign(new Error('Duplicate entry'), { errno: 1062, sqlState: '23000' })
const DEADLOCK = Object.assign(new Error('Deadlock found'), { errno: 1213, sqlState: '40001' })

// The tests compare whole statements, because a small change removes the protection. With NOW(), rows expire by the time zone of a
// connection. With INSERT IGNORE, a taken key causes no error.
const INSERT =
  'INSERT INTO `webhook_nonces` (key_hash, expires_at, reserved_by) VALUES (UNHEX(?), UTC_TIMESTAMP(6) + INTERVAL ? * 1000 MICROSECOND, UNHEX(?))'
const DELETE = 'DELETE FROM `webhook_nonces` WHERE key_hash IN (UNHEX(?)) AND expires_at < UTC_TIMESTAMP(6)'

const LONG_AGO = 'UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE'
const selectionOf = (limit: number) =>
  `SELECT HEX(nonce.key_hash) AS hash FROM (SELECT key_hash FROM \`webhook_nonces\` WHERE expires_at < ${LONG_AGO} ORDER BY expires_at LIMIT ${limit}) AS expired STRAIGHT_JOIN \`webhook_nonces\` AS nonce FORCE INDEX (PRIMARY) USING (key_hash) FOR UPDATE SKIP LOCKED`
const deletionOf = (count: number) =>
  `DELETE nonce FROM \`webhook_nonces\` AS nonce FORCE INDEX (PRIMARY) WHERE key_hash IN (${Array(count).fill('UNHEX(?)').join()}) AND expires_at < ${LONG_AGO}`

/** `printf '2:42nonce' | sha256sum` */
const HASH = 'c8a607dc8326f7628b4b43b869533ee27d40ffb6962ab966056792cc26a002cc'

// The first sweep comes after the 64th reservation.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

/** A store whose client gives these answers, one per statement. If an answer is an error, the client throws it. */
function storeWith(...answers: unknown[]) {
  const statements: string[] = []
  const parameters: unknown[][] = []
  const query: SqlNonceStoreOptions['query'] = async (sql, values) => {
    statements.push(sql.replaceAll(/\s+/g, ' '))
    parameters.push(values)
    const answer = answers[statements.length - 1]
    if (answer instanceof Error) throw answer
    return answer
  }
  return { store: new MySqlNonceStore({ query }), statements, parameters }
}

describe('a reservation', () => {
  it.each<[string, unknown]>([
    ['mysql2', [{ affectedRows: 1 }, undefined]],
    ['mariadb', { affectedRows: 1 }],
    ['a client that counts in bigints', { affectedRows: 1n }],
  ])('is one statement, with the answer of %s', async (_, answer) => {
    const { store, statements, parameters } = storeWith(answer)
    expect(await store.reserve('42', 'nonce', 600)).toBe(true)
    expect(statements).toEqual([INSERT])
    expect(parameters).toEqual([[HASH, 600_001, '']])
  })

  it('of two keys is also one statement', async () => {
    const { store, statements } = storeWith({ affectedRows: 2 })
    expect(await store.reserveAll('42', ['nonce', 'signature 00'], 600)).toBe(true)
    expect(statements).toEqual([`${INSERT},(UNHEX(?), UTC_TIMESTAMP(6) + INTERVAL ? * 1000 MICROSECOND, UNHEX(?))`])
  })

  it('inserts its keys in one order, so that two statements rarely wait for each other', async () => {
    const inserted: unknown[][] = []
    const query: SqlNonceStoreOptions['query'] = async (_, values) => {
      inserted.push(values.map(String))
      return { affectedRows: 2 }
    }
    await new MySqlNonceStore({ query }).reserveAll('42', ['one', 'other'], 600)
    await new MySqlNonceStore({ query }).reserveAll('42', ['other', 'one'], 600)
    expect(inserted[1]).toEqual(inserted[0])
  })

  it('of a taken key deletes the row if it has expired, and inserts again', async () => {
    const live = storeWith(TAKEN, { affectedRows: 0 }, TAKEN)
    expect(await live.store.reserve('42', 'nonce', 600)).toBe(false)
    expect(live.statements).toEqual([INSERT, DELETE, INSERT])
    expect(live.parameters[1]).toEqual([HASH])
    const expired = storeWith(TAKEN, { affectedRows: 1 }, { affectedRows: 1 })
    expect(await expired.store.reserve('42', 'nonce', 600)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a string', 'OK'],
    ['rows', [[{ hash: 'ab' }], []]],
    ['no row, as INSERT IGNORE has', { affectedRows: 0 }],
    ['two rows, as ON DUPLICATE KEY UPDATE has', { affectedRows: 2 }],
  ])('is an error when the client resolves to %s', async (_, answer) => {
    const { store } = storeWith(answer)
    await expect(store.reserve('42', 'nonce', 600)).rejects.toThrow(/query resolved to .*\. (Return|Resolve to|Run) /)
  })

  it.each<[string, unknown]>([
    ['40001', DEADLOCK],
    ['40000', Object.assign(new Error('Plugin instructed the server to rollback'), { errno: 3101, sqlState: '40000' })],
    ['HY000 and the number 1020', Object.assign(new Error('Record has changed'), { errno: 1020, sqlState: 'HY000' })],
  ])('that the server undid with SQLSTATE %s is tried again', async (_, error) => {
    const { store, statements } = storeWith(error, { affectedRows: 1 })
    expect(await store.reserve('42', 'nonce', 600)).toBe(true)
    expect(statements).toHaveLength(2)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an error with another number', Object.assign(new Error('Lock wait timeout'), { errno: 1205, sqlState: 'HY000' })],
    ['another violated constraint', Object.assign(new Error('cannot be null'), { errno: 1048, sqlState: '23000' })],
  ])('that fails for another reason is not tried again: %s', async (_, reason) => {
    let calls = 0
    const query = () => {
      calls++
      return Promise.reject(reason)
    }
    await expect(new MySqlNonceStore({ query }).reserve('42', 'nonce', 600)).rejects.toEqual(reason)
    expect(calls).toBe(1)
  })
})

describe('a claim', () => {
  // If a row has another owner, the subquery fails, which undoes the whole statement.
  const upsertOf = (isOwn: string) =>
    `${INSERT} ON DUPLICATE KEY UPDATE reserved_by = IF(expires_at < UTC_TIMESTAMP(6) OR ${isOwn}, VALUES(reserved_by), (SELECT 1 UNION SELECT 2)), expires_at = VALUES(expires_at)`
  const stateOf = (isOwn: string) =>
    `SELECT MIN(OCTET_LENGTH(reserved_by) = 15) AS claims FROM \`webhook_nonces\` WHERE key_hash IN (UNHEX(?)) AND expires_at >= UTC_TIMESTAMP(6) AND NOT (${isOwn})`
  const OTHERS = Object.assign(new Error('Subquery returns more than 1 row'), { errno: 1242 })
  /** `printf owner | sha256sum`: its first 15 bytes are a claim, and its first 16 bytes are a record. */
  const CLAIM = '4c1029697ee358715d3a14a2add817'
  const RECORD = `${CLAIM}c4`

  it.each([
    ['overwrites claims of its owner', false, CLAIM, 'reserved_by = UNHEX(?)'],
    ['with isDone also overwrites records of its owner', true, RECORD, 'SUBSTR(reserved_by, 1, 15) = UNHEX(?)'],
  ])('%s', async (_, isDone, written, isOwn) => {
    const { store, statements, parameters } = storeWith(OTHERS, [[{ claims: 0 }], []])
    expect(await store.claim('42', ['nonce'], 30, 'owner', isDone)).toBe('taken')
    expect(statements).toEqual([upsertOf(isOwn), stateOf(isOwn)])
    expect(parameters).toEqual([
      [HASH, 30_001, written, CLAIM],
      [HASH, CLAIM],
    ])
  })

  it.each([
    ['that nobody else has', { affectedRows: 1 }, 'claimed', []],
    ['that is claimed', OTHERS, 'in_progress', ['1']],
    ['that is free when its state is read', OTHERS, 'in_progress', [null]],
  ])('of a key %s', async (_, answer, state, claims) => {
    const { store } = storeWith(answer, [claims.map((value) => ({ claims: value })), []])
    expect(await store.claim('42', ['nonce'], 30, 'owner')).toBe(state)
  })

  it('fails if the statement fails for another reason', async () => {
    const error = Object.assign(new Error('read only'), { errno: 1290 })
    await expect(storeWith(error).store.claim('42', ['nonce'], 30, 'owner')).rejects.toEqual(error)
  })
})

describe('deleteExpired', () => {
  /** The two responses to a batch of so many rows. */
  const batchOf = (rows: number, affectedRows = rows) => [
    [Array.from({ length: rows }, (_, index) => ({ hash: String(index) })), []],
    { affectedRows },
  ]

  it('reads the keys of rows that expired more than a minute ago, skips locked rows, and deletes by primary key', async () => {
    const { store, statements, parameters } = storeWith([[{ hash: 'AB' }, { hash: 'CD' }], []], { affectedRows: 2 })
    expect(await store.deleteExpired({ limit: 5 })).toBe(2)
    expect(statements).toEqual([selectionOf(5), deletionOf(2)])
    expect(parameters).toEqual([[], ['AB', 'CD']])
  })

  it('deletes batches of 256 rows by default, until a batch is less than half full', async () => {
    const { store, statements } = storeWith(...batchOf(256), ...batchOf(128), ...batchOf(127))
    expect(await store.deleteExpired()).toBe(511)
    const batches = [256, 128, 127].flatMap((rows) => [selectionOf(256), deletionOf(rows)])
    expect(statements).toEqual(batches)
  })

  it('ends if no row is left, or if others have deleted most of the rows meanwhile', async () => {
    const empty = storeWith(...batchOf(3), [[], []])
    expect(await empty.store.deleteExpired({ limit: 3 })).toBe(3)
    expect(empty.statements).toEqual([selectionOf(3), deletionOf(3), selectionOf(3)])
    const raced = storeWith(...batchOf(256, 3))
    expect(await raced.store.deleteExpired()).toBe(3)
    expect(raced.statements).toHaveLength(2)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a result', { affectedRows: 0 }],
    ['rows as lists, as with rowsAsArray', [[['AB'], ['CD']], []]],
  ])('is an error when the client resolves to %s', async (_, answer) => {
    const { store } = storeWith(answer)
    await expect(store.deleteExpired()).rejects.toThrow(/(not to rows|rows without hash)\. (Resolve to|Return)/)
  })
})

describe('options', () => {
  const query = async () => []
  it.each<[unknown, RegExp]>([
    [{ query: 'SELECT' }, /^query .*a string/],
    [{ query, tabel: 'nonces' }, /^options\.tabel .*query, table, timeout/],
    [{ query, table: 'a`; DROP TABLE users; --' }, /^table /],
    [{ query, table: 't'.repeat(65) }, /^table .*\b64\b/],
    [{ query, timeout: 0 }, /^timeout /],
  ])('%o is refused', (options, message) => {
    const create = () => Reflect.construct(MySqlNonceStore, [options])
    expect(create).toThrow(message)
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
  })
})
