import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type Reporter, type TestSpecification } from 'vitest/node'

// The tests that run on a mutant are a choice of these: see parts.js.

process.env['FC_RUNS'] ??= '50'
// Not UTC, so that code which reads a time in the local zone fails.
process.env['TZ'] = 'America/St_Johns'

/** Stryker takes a test file that cannot be loaded for a file without tests, so its mutants would survive. */
const refuseUnloaded: Reporter = {
  onTestModuleEnd(file) {
    const [error] = file.errors()
    if (error === undefined) return
    // Stryker shows the output of a process that ends, but not an error that a reporter throws.
    console.error(`${file.relativeModuleId} cannot be loaded: ${error.message}`)
    process.exit(1)
  },
}

/** The durations of test files in the first run, which runs all tests. Later runs end with the first test that fails. */
const durations = new Map<string, number>()

/** Runs the quickest files first, because most mutants are found by them. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    for (const { project, moduleId } of files) {
      const key = `${project.name}:${relative(this.ctx.config.root, moduleId)}`
      const { duration = 0 } = this.ctx.cache.getFileTestResults(key) ?? {}
      if (duration > 0 && !durations.has(moduleId)) durations.set(moduleId, duration)
    }
    const durationOf = ({ moduleId }: TestSpecification) => durations.get(moduleId) ?? 0
    return files.toSorted((one, other) => durationOf(one) - durationOf(other))
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'tools/test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: 'tools/test/cli/program.ts',
    isolate: false,
    reporters: [refuseUnloaded],
    sequence: { sequencer: QuickestFirst },
    // Instrumented code is slow. On a busy processor, the test of 2^20 tokens takes more than 20 s.
    testTimeout: 60_000,
  },
})
