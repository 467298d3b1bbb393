import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fillTables } from '../bench/tables.js'
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

describe('docs/benchmarks.svg', () => {
  it('shows the ratios of handlers, and of three sizes of verifiers, on the newest Node in docs/benchmarks.json', () => {
    const chart = read('docs/benchmarks.svg')
    const run = runs.at(-1)
    const verification = run?.verification.filter(({ bodyBytes }) => [256, 16_384, 262_144].includes(bodyBytes)) ?? []
    const libraries = Object.keys(run?.versions ?? {})
    const ratios = [...(run?.handlers.sizes ?? []), ...verification].flatMap(({ timings }) =>
      timings.filter(({ name }) => libraries.includes(name)).map(({ ratio }) => ratio.toFixed(2)),
    )
    expect(ratios.length).toBe(9 + 18)
    expect([...chart.matchAll(/>(\d+\.\d\d)<\/text>/g)].map(([, ratio]) => ratio)).toEqual(ratios)
  })
})
