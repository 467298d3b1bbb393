import { MySqlTransactionStore } from '../../../src/stores/mysql/index.js'
import { PostgresTransactionStore } from '../../../src/stores/postgres/index.js'
import { TestClock } from '../request.js'

interface Row {
  expiresAt: number
  owner: string
}

/** A database in memory, which understands only the statements of a transaction store. */
export class SimulatedDatabase {
  readonly clock = new TestClock()
  /** The committed nonces, by table and hash. */
  readonly nonces = new Map<string, Row>()
  /** How many rows the work has committed. */
  rows = 0
  readonly locks = new Map<string, Session>()
  readonly sessions: Session[] = []

  newSession(): Session {
    const session = new Session(this, this.sessions.length + 1)
    this.sessions.push(session)
    return session
  }

  /** The two functions of a client that has a session of its own for each transaction. */
  readonly client = {
    begin: async (run: (session: Session) => Promise<unknown>): Promise<void> => {
      const session = this.newSession()
      try {
        await run(session)
        session.commit()
      } finally {
        session.end()
      }
    },
    query: async (session: Session, text: string): Promise<unknown> => session.query(text),
  }
}

/** A connection, as the server sees it. */
export class Session {
  #nonces = new Map<string, Row | undefined>()
  #rows = 0
  /** The owner that the transaction in PostgreSQL has set. */
  #owner: string | undefined
  /** Whether the server has ended the connection. */
  isOver = false
  /** Whether the client has lost the connection, which the server does not know yet. */
  isCut = false

  constructor(
    readonly database: SimulatedDatabase,
    readonly id: number,
  ) {}

  query(text: string): Record<string, unknown>[] {
    this.#assertConnected()
    if (text.includes('pg_terminate_backend(')) return this.#endSelf(text)
    if (text.includes('pg_try_advisory_xact_lock(')) return [{ locked: this.#lockInPostgres(text) }]
    if (text.includes('GET_LOCK(')) return [this.#lockInMySql(text)]
    if (text.includes('RELEASE_LOCK(')) return this.#unlock(text)
    if (text.startsWith('KILL ')) return this.#kill(text)
    if (text.startsWith('INSERT ')) return this.#upsert(text)
    if (/^(SELECT|DELETE) /.test(text)) return this.#select(text)
    throw new Error(`The simulated database does not know this statement: ${text}`)
  }

  insertRow(): void {
    this.#assertConnected()
    this.#rows++
  }

  commit(): void {
    this.#assertConnected()
    for (const [hash, row] of this.#nonces) {
      if (row === undefined) this.database.nonces.delete(hash)
      else this.database.nonces.set(hash, row)
    }
    this.database.rows += this.#rows
    this.#endTransaction()
  }

  rollBack(): void {
    this.#endTransaction()
  }

  /** The server notices that the connection is lost, or kills the connection. */
  end(): void {
    this.#endTransaction()
    this.isOver = true
    for (const [name, holder] of this.database.locks) if (holder === this) this.database.locks.delete(name)
  }

  #assertConnected(): void {
    if (this.isOver || this.isCut) throw new Error('The connection is lost.')
  }

  #endTransaction(): void {
    this.#nonces.clear()
    this.#rows = 0
    this.#owner = undefined
    for (const [name, holder] of this.database.locks) {
      if (holder === this && name.startsWith('pg ')) this.database.locks.delete(name)
    }
  }

  #isFree(name: string): boolean {
    return (this.database.locks.get(name) ?? this) === this
  }

  #lockInPostgres(text: string): number {
    const names = [...text.matchAll(/pg_try_advisory_xact_lock\((\('x' .*? # '[\w."]+'::regclass::oid::int8)\)/g)].map(
      ([, number]) => `pg ${number}`,
    )
    this.#owner = /set_config\('inbound_webhook_auth.owner', '(\w+)', true\)/.exec(text)?.[1]
    if (!names.every((name) => this.#isFree(name))) return 0
    for (const name of names) this.database.locks.set(name, this)
    return 1
  }

  /** Takes one lock after the other, and keeps the locks before one that is taken, as MySQL does. */
  #lockInMySql(text: string): Record<string, unknown> {
    const paths = [...text.matchAll(/(LEFT\(SHA2\(CONCAT\(IF\([^?]*?'\w{64}'\), 256\), 50\)) AS name_/g)]
    const digits = paths.map(([, sql = '']) => {
      const [, table, hash = ''] = /'(\w+)'\), LOWER\(.*'(\w{64})'\)/.exec(sql) ?? []
      return `${table} ${hash}`.slice(0, 50)
    })
    const isLocked = digits.every((name) => {
      if (!this.#isFree(name)) return false
      this.database.locks.set(name, this)
      return true
    })
    const names = digits.map((name, index) => [`name_${index}`, name])
    return { locked: isLocked ? 1 : 0, connection: this.id, ...Object.fromEntries(names) }
  }

  #unlock(text: string): Record<string, unknown>[] {
    for (const [, name = ''] of text.matchAll(/RELEASE_LOCK\('webhook_nonce (.*?)'\)/g)) {
      if (this.database.locks.get(name) === this) this.database.locks.delete(name)
    }
    return []
  }

  #endSelf(text: string): Record<string, unknown>[] {
    if (this.#owner === undefined || !text.endsWith(`= '${this.#owner}'`)) return []
    this.end()
    throw Object.assign(new Error('terminating connection due to administrator command'), { severity: 'FATAL' })
  }

  /** Kills the connection whose number the condition selects. There is no connection 0. */
  #kill(text: string): never {
    const statement = text.replaceAll('CONNECTION_ID()', String(this.id))
    const [, condition = '', id] = /^KILL IF\((.*), (\d+), 0\)$/.exec(statement) ?? []
    const isHolder = [...condition.matchAll(/IS_USED_LOCK\('webhook_nonce (.*?)'\) = (\d+)/g)].some(
      ([, name = '', holder]) => this.database.locks.get(name)?.id === Number(holder),
    )
    const session = isHolder ? this.database.sessions[Number(id) - 1] : undefined
    if (session === undefined) throw Object.assign(new Error('Unknown thread id: 0'), { errno: 1094 })
    session.end()
    throw Object.assign(new Error('Query execution was interrupted'), { errno: 1317 })
  }

  #find(key: string): Row | undefined {
    return this.#nonces.has(key) ? this.#nonces.get(key) : this.database.nonces.get(key)
  }

  #upsert(text: string): Record<string, unknown>[] {
    const { clock } = this.database
    const values = /(?:decode|UNHEX)\('(\w+)'(?:, 'hex')?\), \S+ \+ (?:INTERVAL )?(\d+)\D.*?(?:decode|UNHEX)\('(\w+)'/gs
    const written = []
    for (const [, hash = '', milliseconds, owner = ''] of text.matchAll(values)) {
      const key = keyOf(text, hash)
      // A server waits for the row until it gives up. MySQL unlocks its named locks before the commit, so only the row holds off a copy then.
      if (this.database.sessions.some((other) => other !== this && other.#nonces.has(key))) {
        throw Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205 })
      }
      const found = this.#find(key)
      const row = { expiresAt: clock.now() + Number(milliseconds), owner }
      if (found === undefined || text.includes('ON CONFLICT')) {
        if (found !== undefined && found.expiresAt >= clock.now()) continue
        this.#nonces.set(key, row)
        written.push({ hash })
      } else this.#nonces.set(key, assignInOrder(text, found, row, clock.now()))
    }
    return text.includes('RETURNING') ? written : Object.assign([], { affectedRows: 1 })
  }

  /** Selects the state of rows, or deletes rows: those whose owner begins with the owner in the statement, or all. */
  #select(text: string): Record<string, unknown>[] {
    const hashes = [...text.matchAll(/(?:decode|UNHEX)\('(\w*)'/g)].map(([, digits]) => String(digits))
    const owner = text.includes('reserved_by') ? String(hashes.shift()) : ''
    const found = hashes.flatMap((hash) => {
      const row = this.#find(keyOf(text, hash))
      if (row === undefined) return []
      const state = row.owner === owner ? 'own' : row.owner.length === 30 ? 'in_progress' : 'taken'
      return [{ hash, state, isDeleted: text.startsWith('DELETE ') && row.owner.startsWith(owner) }]
    })
    for (const { hash, isDeleted } of found) if (isDeleted) this.#nonces.set(keyOf(text, hash), undefined)
    return found
  }
}

/** Returns a row's key: the name of the table in the statement, and the hash. */
function keyOf(text: string, hash: string): string {
  return `${/(?:INTO|FROM) (\S+)/.exec(text)?.[1]} ${hash}`
}

/** Assigns the columns of `ON DUPLICATE KEY UPDATE` from left to right, so that a later condition reads the new values, as in MySQL. */
function assignInOrder(text: string, old: Row, inserted: Row, now: number): Row {
  const row = { ...old }
  for (const [, column] of text.matchAll(/(\w+) = IF\(expires_at < UTC_TIMESTAMP\(6\), VALUES\(\1\), \1\)/g)) {
    if (row.expiresAt >= now) continue
    if (column === 'expires_at') row.expiresAt = inserted.expiresAt
    else row.owner = inserted.owner
  }
  return row
}

export type SimulatedStore = PostgresTransactionStore<Session> | MySqlTransactionStore<Session>

export const SIMULATED = [
  ['PostgreSQL', PostgresTransactionStore<Session>],
  ['MySQL', MySqlTransactionStore<Session>],
] as const
