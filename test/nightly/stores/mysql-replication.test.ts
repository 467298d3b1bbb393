import { setTimeout as sleep } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MySqlNonceStore } from '../../../src/stores/mysql/index.js'
import { MariaDbServer, mariadbIsInstalled } from '../../support/mariadb-server.js'
import { isInstalled } from '../../support/programs.js'
import { eventually, LONG_TIMEOUT } from '../../support/servers.js'

// A server and its replica. Both must have the same rows, with each format of the binary log.

describe.runIf(isInstalled('mariadb', mariadbIsInstalled())).each(['ROW', 'MIXED', 'STATEMENT'])(
  'MySqlNonceStore with a replica, in the binlog format %s',
  (format) => {
    let [primary, replica]: MariaDbServer[] = []
    beforeAll(async () => {
      primary = await MariaDbServer.start('--log-bin=binlog', '--server-id=1', `--binlog-format=${format}`)
      replica = await MariaDbServer.start('--server-id=2')
      await replica.follow(primary)
    })
    afterAll(async () => {
      await replica?.stop()
      await primary?.stop()
    })

    it('has the same rows there, and no statement that is unsafe', async () => {
      const pool = mysql.createPool({ uri: primary?.url ?? '' })
      const warnings = new Set<string>()
      const nonces = new MySqlNonceStore({
        timeout: LONG_TIMEOUT,
        async query(sql, values) {
          const result = await pool.query(sql, values)
          if (Object(result[0]).warningStatus > 0) warnings.add(sql)
          return result
        },
      })
      await nonces.createTable()
      for (let round = 0; round < 60; round++) {
        await Promise.all([
          ...Array.from({ length: 8 }, (_, index) =>
            nonces.reserveAll(
              '42',
              [`nonce ${index} ${round % 7}`, `s ${index % 3} ${round}`],
              // Of 35 nonces that stay, each has at least eight rounds in which one of at most three is reserved. This makes 70 rows.
              index % 3 ? 600 : 0.002,
            ),
          ),
          nonces.deleteExpired({ limit: 3 }),
        ])
        await sleep(2)
        // Rows are deleted when they expired more than a minute ago.
        await pool.query(
          'UPDATE webhook_nonces SET expires_at = expires_at - INTERVAL 61 SECOND WHERE expires_at < UTC_TIMESTAMP(6)',
        )
      }
      const rows = 'SELECT HEX(key_hash), expires_at FROM hooks.webhook_nonces ORDER BY key_hash'
      const expected = await primary?.sql(rows)
      await eventually(async () => expect(await replica?.sql(rows)).toBe(expected))
      expect(expected?.split('\n').length).toBeGreaterThan(50)
      expect([...warnings]).toEqual([])
      await pool.end()
    })

    it('under READ COMMITTED, a reservation succeeds or is an error, because InnoDB does not support STATEMENT there', async () => {
      const connection = await mysql.createConnection({ uri: primary?.url ?? '' })
      await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
      const nonces = new MySqlNonceStore({
        query: (sql, values) => connection.query(sql, values),
        timeout: LONG_TIMEOUT,
      })
      const reservation = nonces.reserve('read committed', 'nonce', 600)
      if (format === 'STATEMENT') await expect(reservation).rejects.toThrow(/BINLOG_FORMAT = STATEMENT/)
      else expect(await reservation).toBe(true)
      await connection.end()
    })
  },
)
