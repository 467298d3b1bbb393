import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/packed.js'

// Each claim of SECURITY.md names a test. This test fails if one of them is deleted or renamed.

const DEFAULT_FILE = 'test/security.test.ts'

interface Claim {
  test: string
  file: string
}

/** Returns the rows of the tables that have a column `test`. */
function rowsOf(markdown: string): string[] {
  return markdown
    .split('\n\n')
    .filter((block) => /^\|.*\| test \|/.test(block))
    .flatMap((block) => block.trimEnd().split('\n').slice(2))
}

/** Returns the last code spans of a row: a test, and perhaps its file. */
function claimOf(row: string): Claim {
  const [last = '', before = ''] = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).reverse()
  return /^(tools\/)?test\//.test(last) ? { test: before, file: last } : { test: last, file: DEFAULT_FILE }
}

/** Returns what is wrong with a claim. */
function problemOf({ test, file }: Claim): string | undefined {
  if (!existsSync(join(ROOT, file))) return `${file} is gone`
  const source = readFileSync(join(ROOT, file), 'utf8')
  return [`'${test}'`, `"${test}"`].some((name) => source.includes(name)) ? undefined : `${file} has no test ${test}`
}

const markdown = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
const claims = rowsOf(markdown).map(claimOf)

describe('SECURITY.md', () => {
  it.each(claims)('names a test that exists: $test', (claim) => {
    expect(problemOf(claim)).toBeUndefined()
  })

  it('names each test of test/security.test.ts', () => {
    const tests = readFileSync(join(ROOT, DEFAULT_FILE), 'utf8')
    const named = claims.filter(({ file }) => file === DEFAULT_FILE).map(({ test }) => test)
    expect(named.toSorted()).toEqual(
      [...tests.matchAll(/^(?:it|inBothSchemes)\('([^']+)'/gm)].map(([, name]) => name).toSorted(),
    )
  })
})
