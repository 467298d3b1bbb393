import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster } from 'ioredis'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lastErrorOfIoredis, onErrorOfMariadb, queryOfMysql2 } from '../../../src/stores/connect/driver-internals.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, freePort } from '../../support/servers.js'

// A new version of a driver may lack what src/stores/connect/driver-internals.ts reads of it.

/** Returns the text for a failed test: what is gone, and what to do. */
function gone(driver: string, what: string): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', driver, 'package.json'), 'utf8'))
  return `${driver} ${version} has no ${what}. Read it in another way in driver-internals.ts, or keep the old version.`
}

describe.runIf(isInstalled('mariadb', mariadbIsInstalled()))('of MySQL and MariaDB', () => {
  let server: MariaDbServer
  beforeAll(async () => {
    server = await MariaDbServer.start()
  })
  afterAll(() => server.stop())

  it('mysql2 gives the event connection a connection whose query takes a callback and comes first', async () => {
    const pool = createPool({ uri: server.url.replace('mariadb', 'mysql'), connectionLimit: 1 })
    const set = new Promise((resolve) => {
      pool.on('connection', (connection) => queryOfMysql2(connection, 'SET @number = 7', resolve))
    })
    const [rows] = await pool.query('SELECT @number AS number')
    await pool.end()
    expect(rows, gone('mysql2', 'query of a connection in the event connection')).toEqual([{ number: 7 }])
    expect(await set).toBeNull()
  })

  it('mysql2 runs no statement on a connection that was ended because its settings failed', async () => {
    await server.sql('CREATE TABLE hooks.untouched (number INT)')
    const pool = createPool({ uri: server.url.replace('mariadb', 'mysql'), connectionLimit: 1 })
    pool.on('connection', (connection) => {
      queryOfMysql2(connection, 'SET SESSION nonsense = 1', () => connection.destroy())
    })
    await expect(pool.query('INSERT INTO hooks.untouched VALUES (1)')).rejects.toThrow()
    expect(await server.sql('SELECT COUNT(*) FROM hooks.untouched')).toBe('0')
    await pool.end()
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
