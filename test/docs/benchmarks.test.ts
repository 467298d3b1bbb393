import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fillTables } from '../bench/tables.js'
import { ROOT } from '../support/packed.js'

// The figures of the README and of the page of benchmarks are those of docs/benchmarks.json.

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

describe('the README', () => {
  const readme = read('README.md').replace(/\s+/g, ' ')

  /** How long Stripe's verifier takes, as a multiple of this library's time. */
  const stripe = (bodyBytes: number) =>
    runs.map(({ verification }) => {
      const timings = verification.find((one) => one.bodyBytes === bodyBytes)?.timings ?? []
      const ratio = (name: string) => timings.find((one) => one.name === name)?.ratio ?? Number.NaN
      return ratio('stripe') / ratio('inbound-webhook-auth')
    })

  it("compares itself with Stripe's verifier as measured", () => {
    expect(readme).toContain(
      "Stripe's verifier is up to 15 % faster with bodies up to 1 KB. It takes longer with 16 KB, and at least twice as long from 256 KB on.",
    )
    for (const ratio of [...stripe(256), ...stripe(1024)]) {
      expect(ratio).toBeGreaterThan(0.865)
      expect(ratio).toBeLessThan(1)
    }
    for (const ratio of stripe(16_384)) expect(ratio).toBeGreaterThan(1.05)
    for (const ratio of [...stripe(262_144), ...stripe(1_048_576)]) {
      expect(ratio).toBeGreaterThan(1.95)
    }
  })

  it('says the size of the bundle', () => {
    expect(readme).toContain('`verify` adds 6 KB to a bundle, minified and gzipped, or 8 KB with `MemoryNonceStore`.')
    const kilobytes = (name: string) =>
      Math.round((runs[0]?.sizes.find((one) => one.name === name)?.gzipped ?? 0) / 1024)
    expect(kilobytes('verify')).toBe(6)
    expect(kilobytes('verify and MemoryNonceStore')).toBe(8)
  })
})
