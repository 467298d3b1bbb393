import { defineConfig } from 'vitest/config'

// The tests that run on each mutant: those of the core, without the slow ones.

process.env['FC_RUNS'] ??= '50'
process.env['FC_SEED'] ??= '7'

export default defineConfig({
  test: {
    include: [
      'test/*.test.ts',
      'test/property/memory-nonce-store.test.ts',
      'test/rules/*.test.ts',
      'test/stores/keys.test.ts',
      'test/stores/memory.test.ts',
      'test/stores/with-timeout.test.ts',
    ],
    exclude: ['test/denial-of-service.test.ts', 'test/rules/largest-body.test.ts'],
    setupFiles: 'test/support/fast-check.ts',
    // A mutant that hangs is stopped soon. Instrumented code is slow.
    testTimeout: 20_000,
  },
})
