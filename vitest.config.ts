import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { pathsBelow } from './test/support/files.js'

// Not UTC, so that code which reads a time in the local zone fails.
process.env['TZ'] = 'America/St_Johns'

/** These replace a module. Other files of the same thread would get the replacement too. */
const MOCKING = ['test', 'tools/test']
  .flatMap((folder) => pathsBelow(folder).map((path) => `${folder}/${path}`))
  .filter((path) => path.endsWith('.test.ts') && !path.includes('/nightly/'))
  .filter((path) => /^vi\.mock\(/m.test(readFileSync(path, 'utf8')))
/** CI runs these in steps of their own: they need servers, frameworks, programs of other languages, or much time. */
const CI = [
  'test/integration/*.test.ts',
  'test/docs/recipes/http.test.ts',
  'test/docs/readme/*.test.ts',
  'test/docs/senders/*.test.ts',
  'test/package/{checks,consumers}.test.ts',
  'tools/test/diagnose/captured-search.test.ts',
]
const PACKAGE = ['test/package/*.test.ts']
const NIGHTLY = ['test/nightly/**/*.test.ts', 'tools/test/nightly/**/*.test.ts']
const NOT_TESTS = ['**/node_modules/**']

const PACKED = 'test/support/packed-install.ts'
/** These start processes or push many MiB, which takes long on a busy machine. */
const PROGRAMS = ['tools/test/cli/**/*.test.ts', 'tools/test/{curl,diagnose/fixes}.test.ts']
/** Bundles the command line from the source. */
const COMMAND_LINE = 'tools/test/cli/program.ts'

export default defineConfig({
  test: {
    // A thread, other than a process, ends with the run even if its test never yields.
    pool: 'threads',
    // Some tests wait for a process, so there is one worker more than processors.
    maxWorkers: availableParallelism() + 1,
    // Most cases of a store's contract only wait.
    maxConcurrency: 60,
    testTimeout: 10_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...NOT_TESTS, ...MOCKING, ...CI, ...PACKAGE, ...NIGHTLY],
          // The files of a thread load each module once, which saves a third of the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          include: ['tools/test/**/*.test.ts'],
          exclude: [...NOT_TESTS, ...MOCKING, ...CI, ...PROGRAMS, ...NIGHTLY],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: PROGRAMS,
          isolate: false,
          testTimeout: 60_000,
          globalSetup: COMMAND_LINE,
        },
      },
      { extends: true, test: { name: 'mocking', include: MOCKING } },
      {
        extends: true,
        test: {
          name: 'package',
          include: PACKAGE,
          exclude: CI,
          isolate: false,
          // Each starts processes.
          testTimeout: 60_000,
          globalSetup: PACKED,
        },
      },
      {
        extends: true,
        test: {
          name: 'ci',
          include: CI,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: [PACKED, 'test/support/prepared.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'nightly',
          include: NIGHTLY,
          exclude: NOT_TESTS,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          globalSetup: [PACKED, 'test/support/prepared.ts', COMMAND_LINE],
        },
      },
    ],
    coverage: {
      include: ['src/**/*.ts', 'tools/src/**/*.ts'],
      // This code runs in a browser, in the nightly tests of the workbench.
      exclude: ['tools/src/workbench/**'],
      reportOnFailure: true,
    },
  },
})
