import { describe, expect, it } from 'vitest'
import { bundled } from '../support/bundled.js'
import { entriesOf, sharedInstall } from '../support/packed.js'

// The bytes that the package adds to a program, bundled and minified by esbuild.

/** The largest size at start, gzipped. If you raise a budget, say why in the commit. */
const BUDGETS: readonly (readonly [source: string, gzipped: number])[] = [
  // The import of a handler, with the hints of its messages: 5 KB.
  ["import { verify } from 'inbound-webhook-auth'; verify()", 5632],
  ["import { sign } from 'inbound-webhook-auth'; sign()", 2048],
  // The tables of MemoryNonceStore that are split take 150 bytes, and make a `verify` 6 % faster.
  ["export * from 'inbound-webhook-auth'", 9728],
  // These sizes include the functions that connect, and that keep a working client.
  ["export * from 'inbound-webhook-auth/redis'", 4608],
  ["export * from 'inbound-webhook-auth/postgres'", 6144],
  ["export * from 'inbound-webhook-auth/sqlite'", 2048],
  ["export * from 'inbound-webhook-auth/mysql'", 5632],
  ["export * from 'inbound-webhook-auth/dynamodb'", 1792],
  // Most of this size is messages, each of which names a cause and its fix.
  ["export * from 'inbound-webhook-auth/testing'", 5760],
  // It has many tables and texts. No handler loads it. The causes that real senders showed took 4 KB.
  ["export * from 'inbound-webhook-auth/diagnose'", 30_176],
  // The stores alone, for users with a connection of their own.
  ["import { RedisNonceStore } from 'inbound-webhook-auth/redis'; new RedisNonceStore()", 1536],
  ["import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'; new PostgresNonceStore()", 2560],
  ["import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'; new MySqlNonceStore()", 2432],
]

const folder = sharedInstall()

describe('the size of', async () => {
  const rows = await Promise.all(
    BUDGETS.map(async ([source, budget]) => ({ source, ...(await bundled(source, folder)), budget })),
  )
  console.table(Object.fromEntries(rows.map(({ source, ...sizes }) => [source, sizes])))

  it.each(rows)('$source is within $budget bytes', ({ gzipped, budget }) => {
    expect(gzipped).toBeGreaterThan(0)
    expect(gzipped).toBeLessThanOrEqual(budget)
  })

  it('every entry has a budget', () => {
    const budgeted = BUDGETS.map(([source]) => source).filter((source) => source.startsWith('export *'))
    expect(budgeted).toEqual([...entriesOf(folder).keys()].map((name) => `export * from '${name}'`))
  })
})
