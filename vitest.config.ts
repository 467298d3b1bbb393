import { defineConfig } from 'vitest/config'

// One seed for all property tests of a run, said up front, so that any run can be repeated.
const seed = process.env['FC_SEED'] ?? String(Date.now() % 2 ** 31)
const runs = process.env['FC_RUNS'] ?? '1000'
console.log(`fast-check: ${runs} runs a property, seed ${seed} (repeat with FC_SEED=${seed})`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/fast-check.ts'],
    env: { FC_SEED: seed, FC_RUNS: runs },
    // Most integration tests wait for real time to pass: two files at once, even where there is one core to spare, and
    // all cases of a contract.
    maxWorkers: 2,
    maxConcurrency: 20,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: {
      include: ['src/**'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})
