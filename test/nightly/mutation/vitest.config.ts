import { defineConfig } from 'vitest/config'

// The tests that run on a mutant are a choice of these: see parts.js.

process.env['FC_RUNS'] ??= '50'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'tools/test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: 'tools/test/cli/program.ts',
    isolate: false,
    // Instrumented code is slow. On a busy processor, the test of 2^20 tokens takes more than 20 s.
    testTimeout: 60_000,
  },
})
