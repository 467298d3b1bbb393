import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { Cluster } from 'ioredis'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  connectionOfMysql2,
  lastErrorOfIoredis,
  onErrorOfMariadb,
  sessionOfPg,
  sessionOfPostgresJs,
} from '../../../src/stores/connect/driver-internals.js'
import { createCertificate } from '../../support/certificate.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, freePort, PostgresServer, postgresIsInstalled } from '../../support/servers.js'

// A new version of a driver may lack what src/stores/connect/driver-internals.ts reads of it.

/** Returns the text for a failed test: what is gone, and what to do. */
function gone(driver: string, what: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', driver, 'package.json'), 'utf8'))
  return `${driver} ${version} has no ${what}. Read it in another way in driver-internals.ts, or keep the old version.`
}

describe.runIf(isInstalled('postgresql', postgresIsInstalled()))('of PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.stop())

  it('pg has the session of a connected client', async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
    const session = sessionOfPg(client)
    await client.end()
    expect(session, gone('pg', 'processID, secretKey, host or port')).toMatchObject({
      address: { host: '127.0.0.1', port: server.port },
      pid: rows[0].pid,
      secret: expect.any(Number),
    })
  })

  it('pg and postgres.js have the settings of TLS', async () => {
    const ssl = { ca: 'an authority', key: 'a key' }
    const isConnected = { processID: 1, secretKey: 2 }
    const [named, direct] = [
      new pg.Client({ host: 'db.example.com', ssl: { ...ssl } }),
      new pg.Client({ host: '127.0.0.1', ssl: true, ...{ sslnegotiation: 'direct' } }),
    ].map((client) => sessionOfPg(Object.assign(client, isConnected)))
    const message = gone('pg', 'ssl or sslNegotiation')
    const host = 'db.example.com'
    expect(named?.tls, message).toEqual({
      options: { host, servername: host, ...ssl },
      isDirect: false,
      isOptional: false,
    })
    expect(direct?.tls, message).toEqual({
      options: { host: '127.0.0.1', ALPNProtocols: ['postgresql'] },
      isDirect: true,
      isOptional: false,
    })

    for (const [settings, tls] of [
      [{ host }, undefined],
      [
        { host, ssl },
        { options: { servername: host, ...ssl }, isDirect: false, isOptional: false },
      ],
      [
        { host, ssl: true },
        { options: { servername: host }, isDirect: false, isOptional: false },
      ],
      [
        { host: '127.0.0.1', ssl: 'prefer' },
        { options: { rejectUnauthorized: false }, isDirect: false, isOptional: true },
      ],
      [
        { host: '/run/postgresql', ssl: 'require', sslnegotiation: 'direct' },
        { options: { rejectUnauthorized: false, ALPNProtocols: ['postgresql'] }, isDirect: true, isOptional: false },
      ],
    ] as const) {
      const session = sessionOfPostgresJs(postgres(Object(settings)), { state: { pid: 1, secret: 2 } })
      expect(session, gone('postgres', 'ssl or sslnegotiation')).toMatchObject({ pid: 1, secret: 2, tls })
    }
  })

  it('postgres.js has the session of a statement, and the addresses of its servers', async () => {
    const sql = postgres(server.url, { max: 1 })
    const statement = sql.unsafe('SELECT pg_backend_pid() AS pid, pg_sleep(0.2)')
    const answer = statement.execute()
    await eventually(() => expect(Object(statement).state, gone('postgres', 'state of a statement')).toBeTruthy())
    const session = sessionOfPostgresJs(sql, statement)
    const [row] = await answer
    await sql.end()
    expect(session, gone('postgres', 'pid, secret or options')).toMatchObject({
      address: { host: '127.0.0.1', port: server.port },
      pid: row?.['pid'],
      secret: expect.any(Number),
    })
  })
})

describe.runIf(isInstalled('mariadb', mariadbIsInstalled()))('of MySQL and MariaDB', () => {
  let server: MariaDbServer
  beforeAll(async () => {
    server = await MariaDbServer.start()
  })
  afterAll(() => server.stop())

  it('mysql2 has the same connection inside each time that the pool gives it out', async () => {
    const pool = createPool({ uri: server.url.replace('mariadb', 'mysql'), connectionLimit: 1 })
    const first = await pool.getConnection()
    const inside = connectionOfMysql2(first)
    first.release()
    const second = await pool.getConnection()
    const again = connectionOfMysql2(second)
    second.release()
    await pool.end()
    expect(inside !== first && inside === again, gone('mysql2', 'connection in a connection of its pool')).toBe(true)
  })

  it('the pool of mariadb has an event for errors in the background', async () => {
    const errors: unknown[] = []
    const pool = createMariadbPool({
      host: '127.0.0.1',
      port: await freePort(),
      connectTimeout: 200,
      initializationTimeout: 300,
    })
    onErrorOfMariadb(pool, (error) => errors.push(error))
    try {
      await eventually(() => expect(errors, gone('mariadb', 'event error of a pool')).not.toEqual([]))
    } finally {
      await pool.end()
    }
  })
})

it('Node counts the bytes of a socket below TLS, and ends TLS with the socket', async () => {
  const { folder, cert, key } = createCertificate('root')
  const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => socket.pipe(socket))
  rmSync(folder, { recursive: true })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')
  // As postgres.js does.
  socket.removeAllListeners()
  const secure = connectTls({ socket, rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  await sleep(100)
  const { bytesRead, bytesWritten } = socket
  secure.write('statement')
  await once(secure, 'data')
  expect(socket.bytesRead).toBeGreaterThan(bytesRead)
  expect(socket.bytesWritten).toBeGreaterThan(bytesWritten)
  socket.destroy()
  await once(secure, 'close')
  server.close()
})

describe('of Redis', () => {
  it('the error of a cluster of ioredis has the error of the last node', async () => {
    const nodes = [{ host: '127.0.0.1', port: await freePort() }]
    const cluster = new Cluster(nodes, { lazyConnect: true, clusterRetryStrategy: () => null })
    const errors: unknown[] = []
    cluster.on('error', (error) => errors.push(error))
    await cluster.connect().catch((error: unknown) => errors.push(error))
    cluster.disconnect()
    const last = errors.map(lastErrorOfIoredis).find((error) => error !== undefined)
    expect(last, gone('ioredis', 'lastNodeError in the error of a cluster')).toBeInstanceOf(Error)
  })
})
