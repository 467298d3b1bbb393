import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { pathsBelow } from './test/support/files.js'
import { LATE } from './test/support/late.js'

// Vitest reads this file once per project. All property tests of a run share one seed, so that any run can be repeated.
const { env } = process
env['FC_RUNS'] ??= '100'
// Not UTC, so that code which reads a time in the local zone fails.
env['TZ'] = 'America/St_Johns'
if (env['FC_SEED'] === undefined) {
  env['FC_SEED'] = String(Date.now() % 2 ** 31)
  console.log(`fast-check: repeat with FC_SEED=${env['FC_SEED']} FC_RUNS=${env['FC_RUNS']}`)
}

const PACKAGE = ['test/package/**/*.test.ts']
/** These need the time that stores take under faults, so `npm run test:full` runs them alone. */
const FAULTS = [
  'test/integration/*-faults.test.ts',
  'test/integration/left-sockets.test.ts',
  'test/integration/linearizable.test.ts',
]
/** These measure the time of processes, so little else runs beside them. */
const ALONE = ['test/integration/set-ups.test.ts', 'tools/test/nightly/processor-time.test.ts']
/** These need servers, and mostly wait for them. */
const SERVERS = ['test/integration/**/*.test.ts']
/** These need other programs or minutes. `npm test` leaves them to `npm run test:full`, as all of the above. */
const FULL = [
  'test/recipes/**/*.test.ts',
  'test/docs/senders.test.ts',
  'test/site/**/*.test.ts',
  'tools/test/workbench/*.test.ts',
  'test/package/checks.test.ts',
  'test/package/consumers.test.ts',
  'test/package/reproducible.test.ts',
  'test/package/sbom.test.ts',
  'tools/test/nightly/*.test.ts',
  'tools/test/cli/large-captures.test.ts',
  'test/rules/largest-body.test.ts',
  'test/stores/memory/size.test.ts',
]

/** Returns the test files whose text matches. */
const filesWith = (text: RegExp) =>
  ['test', 'tools/test']
    .flatMap((folder) => pathsBelow(folder).map((path) => join(folder, path)))
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => text.test(readFileSync(path, 'utf8')))

/** These replace a module by a mock. Other files of the same thread would get the mock too, or the module that they loaded before. */
const MOCKING = filesWith(/^vi\.mock\(/m)

/** `npm test` runs a part of the cases of these, or searches briefly. `npm run test:full` runs them again, whole. */
const LONG = filesWith(/\/(brief-search|whole)\.js'/)

/** These mostly wait for time to pass, so other files can run meanwhile. */
const WAITING = [
  'testing/contract.test.ts',
  'testing/endpoint-contract.test.ts',
  'stores/connect/clients.test.ts',
  'package/examples.test.ts',
  'runtimes/suite.test.ts',
]

/** The projects of `npm test`, in the order in which they start. A worker is used again only for the next file of the same project. */
const QUICK = ['package', 'unit', 'mocking']

/** Three more than two processors: some files only wait for time to pass. */
const QUICK_WORKERS = Math.max(5, availableParallelism())

/** Starts the files that wait early, but only one of them per four files, so that the others use the processors meanwhile. */
class WaitingEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...QUICK, undefined].flatMap((name) =>
      spread(sorted.filter(({ project }) => QUICK.find((quick) => quick === project.name) === name)),
    )
  }
}

function spread(files: TestSpecification[]): TestSpecification[] {
  const isWaiting = ({ moduleId }: TestSpecification) => WAITING.some((name) => moduleId.endsWith(name))
  const waiting = files.filter(isWaiting)
  const others = files.filter((file) => !isWaiting(file))
  return [
    ...waiting.flatMap((file, index) => [file, ...others.slice(3 * index, 3 * index + 3)]),
    ...others.slice(3 * waiting.length),
  ]
}

/** The folder in which several runs collect their coverage, which `test/full.js` then merges. */
const { COVERAGE_PARTS } = env
const PART = COVERAGE_PARTS ? { outputFile: join(COVERAGE_PARTS, `${process.pid}.json`) } : undefined

export default defineConfig({
  test: {
    reporters: [
      'default',
      ...(env['GITHUB_ACTIONS'] ? ['github-actions'] : []),
      ...(PART === undefined ? [] : [['blob', PART] satisfies [string, object]]),
    ],
    sequence: process.argv.some((argument) => argument.startsWith('--sequence.shuffle'))
      ? {}
      : { sequencer: WaitingEarly },
    // A thread, other than a process, ends with the run even if its test never yields.
    pool: 'threads',
    maxWorkers: Math.max(3, availableParallelism()),
    // The cases of a store's contract wait for real time to pass: run all of them at once.
    maxConcurrency: 60,
    // Enough for a machine under load: no test needs more than 10 s of its own.
    testTimeout: Math.max(120_000, Number(env['FC_RUNS']) * 60),
    hookTimeout: 120_000,
    setupFiles: 'test/support/fast-check.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          maxWorkers: QUICK_WORKERS,
          include: ['test/**/*.test.ts', 'tools/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...PACKAGE, ...SERVERS, ...FULL, ...FAULTS, ...ALONE, ...MOCKING],
          // The files of a thread load each module once, which saves a third of the time.
          isolate: false,
          globalSetup: ['test/support/run-limit.ts', 'tools/test/cli/program.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'mocking',
          maxWorkers: QUICK_WORKERS,
          include: MOCKING,
          exclude: FULL,
          globalSetup: 'test/support/run-limit.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          maxWorkers: QUICK_WORKERS,
          include: PACKAGE,
          exclude: FULL,
          isolate: false,
          globalSetup: ['test/support/run-limit.ts', 'test/support/packed-install.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'full',
          include: FULL,
          // Compilers and builds of frameworks are slow on a machine under load.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          exclude: ['**/node_modules/**', ...ALONE],
          globalSetup: ['test/support/run-limit.ts', 'test/support/packed-install.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: SERVERS,
          exclude: ['**/node_modules/**', ...FAULTS, ...ALONE],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
          globalSetup: ['test/support/run-limit.ts', 'test/support/fresh-build.ts', 'test/support/prepared.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: LONG,
          exclude: FULL,
          env: { WHOLE: 'true' },
          isolate: false,
          globalSetup: 'test/support/run-limit.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          maxWorkers: 1,
          maxConcurrency: 3,
          globalSetup: ['test/support/run-limit.ts', 'test/support/fresh-build.ts', 'test/support/prepared.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: FAULTS,
          // One more than two processors: most of the time, these wait.
          maxWorkers: Math.max(3, availableParallelism()),
          // A machine that stalls for a second answers late. A store that does not heal fails each time.
          retry: { count: 2, condition: new RegExp(`^${LATE}`) },
          globalSetup: ['test/support/run-limit.ts', 'test/support/fresh-build.ts', 'test/support/prepared.ts'],
        },
      },
    ],
    coverage: {
      include: ['src/**/*.ts', 'tools/src/**/*.ts'],
      // This code runs in a browser, in the tests of the workbench.
      exclude: ['tools/src/workbench/**'],
      reportOnFailure: true,
      ...(PART === undefined
        ? // The rest are guards that no test reaches, such as an answer to a request that was refused a moment before.
          { thresholds: { lines: 99.5, branches: 99, functions: 99.5, statements: 99.5 } }
        : { enabled: true, reporter: [] }),
    },
  },
})
