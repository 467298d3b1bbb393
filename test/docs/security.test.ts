import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/packed.js'

// Each claim of SECURITY.md has a test, which docs/claims.json names. This test fails if one of them is deleted or renamed.

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
interface Proof {
  file: string
  test: string
  /** The page that says it, if this is not SECURITY.md. */
  page?: string
}
const claims: { readonly [claim: string]: Proof | readonly Proof[] } = JSON.parse(read('docs/claims.json'))
const proofs = Object.entries(claims).flatMap(([claim, proof]) => [proof].flat().map((one) => ({ claim, ...one })))
const elsewhere = proofs.filter(({ page }) => page !== undefined)

/** Returns the first cells of the tables that have a column `test`. */
function claimsIn(markdown: string): string[] {
  return markdown
    .split('\n\n')
    .filter((block) => /^\|.*\| test \|/.test(block))
    .flatMap((block) => block.trimEnd().split('\n').slice(2))
    .map((row) => /^\| (.+?) \|/.exec(row)?.[1] ?? '')
}

describe('SECURITY.md', () => {
  it.each(proofs)('has a test for: $claim', ({ file, test }) => {
    expect(existsSync(join(ROOT, file)), file).toBe(true)
    const source = read(file)
    expect([`'${test}'`, `"${test}"`].some((name) => source.includes(name))).toBe(true)
  })

  it('has exactly these claims', () => {
    const inTables = Object.keys(claims).filter((claim) => !elsewhere.some((one) => one.claim === claim))
    expect(claimsIn(read('SECURITY.md')).toSorted()).toEqual(inTables.toSorted())
  })

  it.each(elsewhere)('leaves to $page: $claim', ({ claim, page = '' }) => {
    expect(read(page).replace(/\s+/g, ' ')).toContain(claim)
  })

  it('names each test of test/security.test.ts', () => {
    const tests = [...read('test/security.test.ts').matchAll(/^(?:it|inBothSchemes)\(\s*'([^']+)'/gm)].map(
      ([, name]) => name,
    )
    const named = proofs.filter(({ file }) => file === 'test/security.test.ts')
    expect(named.map(({ test }) => test).toSorted()).toEqual(tests.toSorted())
  })
})
