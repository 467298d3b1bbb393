import { describe, expect, it } from 'vitest'
import { bundled } from '../support/bundled.js'
import { entriesOf, sharedInstall } from '../support/packed.js'

// The bytes that the package adds to a program, bundled and minified by esbuild.

/** What a program loads at its start, gzipped. It may grow by a tenth. Then write the new size, and say why in the commit. */
const SIZES: readonly (readonly [source: string, gzipped: number])[] = [
  ["import { verify } from 'inbound-webhook-auth'; verify()", 6354],
  ["import { receive } from 'inbound-webhook-auth'; receive()", 8318],
  ["export * from 'inbound-webhook-auth'", 13_776],
  ["export * from 'inbound-webhook-auth/redis'", 5522],
  ["export * from 'inbound-webhook-auth/postgres'", 8388],
  ["export * from 'inbound-webhook-auth/sqlite'", 3099],
  ["export * from 'inbound-webhook-auth/mysql'", 8728],
  ["export * from 'inbound-webhook-auth/dynamodb'", 5512],
  ["export * from 'inbound-webhook-auth/standard-webhooks'", 10_797],
]

const ROOM = 1.1

const folder = sharedInstall()

describe('the size of', async () => {
  const rows = await Promise.all(
    SIZES.map(async ([source, size]) => ({
      source,
      ...(await bundled(source, folder)),
      budget: Math.floor(ROOM * size),
    })),
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

  it('every entry has a size', () => {
    const budgeted = SIZES.map(([source]) => source).filter((source) => source.startsWith('export *'))
    expect(budgeted).toEqual([...entriesOf(folder).keys()].map((name) => `export * from '${name}'`))
  })
})
