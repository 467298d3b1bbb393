import { describe, expect, it } from 'vitest'
import { bundled } from '../support/bundled.js'
import { entriesOf, sharedInstall } from '../support/packed.js'

// The bytes that the package adds to a program, bundled and minified by esbuild.

/** The largest size at start of what every handler or sender loads, gzipped. If you raise one, say why in the commit. */
const EXACT: readonly (readonly [source: string, gzipped: number])[] = [
  ["import { verify } from 'inbound-webhook-auth'; verify()", 6354],
  ["import { sign } from 'inbound-webhook-auth'; sign()", 1956],
]

/** The sizes of everything else, gzipped. Each may grow by {@link ROOM}. */
const ROUGH: readonly (readonly [source: string, gzipped: number])[] = [
  ["export * from 'inbound-webhook-auth'", 11_590],
  ["export * from 'inbound-webhook-auth/redis'", 7690],
  ["export * from 'inbound-webhook-auth/postgres'", 8360],
  ["export * from 'inbound-webhook-auth/sqlite'", 1914],
  ["export * from 'inbound-webhook-auth/mysql'", 7570],
  ["export * from 'inbound-webhook-auth/dynamodb'", 2030],
  ["export * from 'inbound-webhook-auth/testing'", 17_700],
  ["export * from 'inbound-webhook-auth/diagnose'", 36_060],
  // The stores alone, for users with a connection of their own.
  ["import { RedisNonceStore } from 'inbound-webhook-auth/redis'; new RedisNonceStore()", 1850],
  ["import { PostgresNonceStore } from 'inbound-webhook-auth/postgres'; new PostgresNonceStore()", 2940],
  ["import { MySqlNonceStore } from 'inbound-webhook-auth/mysql'; new MySqlNonceStore()", 2830],
]

const ROOM = 1.05

const BUDGETS = [...EXACT, ...ROUGH.map(([source, gzipped]) => [source, Math.floor(gzipped * ROOM)] as const)]

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

  it('an entry that is imported but not used is nothing', async () => {
    for (const name of entriesOf(folder).keys()) {
      const { minified } = await bundled(`import * as entry from '${name}'`, folder)
      expect([name, minified]).toEqual([name, 0])
    }
  })

  it('every entry has a budget', () => {
    const budgeted = BUDGETS.map(([source]) => source).filter((source) => source.startsWith('export *'))
    expect(budgeted).toEqual([...entriesOf(folder).keys()].map((name) => `export * from '${name}'`))
  })
})
