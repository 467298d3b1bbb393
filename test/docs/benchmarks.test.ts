import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fillTables } from '../bench/page.js'
import { ROOT } from '../support/packed.js'

// The figures of the page of benchmarks are those of docs/benchmarks.json.

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const runs: Parameters<typeof fillTables>[1] = JSON.parse(read('docs/benchmarks.json'))

describe('docs/trust/benchmarks.md', () => {
  it('has the figures of docs/benchmarks.json', () => {
    const page = read('docs/trust/benchmarks.md')
    expect(page).toContain('1,')
    expect(fillTables(page, runs)).toBe(page)
  })
})
