// `npm run test:full` runs every check that `npm test` leaves out, one after the other. It continues after a failure.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { hasPackage, PACKAGES } from './full/packages.js'
import { ROOT } from './support/packed.js'
import { isInstalled } from './support/programs.js'

const folder = mkdtempSync(join(tmpdir(), 'test-full-'))

/** The tests that run collect their coverage in this folder. CI sets it for `npm test` too, so that no test runs twice. */
const COVERAGE_PARTS = process.env['COVERAGE_PARTS'] || join(folder, 'coverage')

/** @typedef {{ name: string, command: string, env?: NodeJS.ProcessEnv, needs?: () => boolean }} Step */

/**
 * CI has done these in `npm test`.
 *
 * @type {Step[]}
 */
const DONE_IN_CI = [
  { name: 'build', command: 'npm run build -- --silent' },
  {
    name: 'the tests of npm test',
    command: 'npx vitest run --project unit --project mocking --project package',
    env: { COVERAGE_PARTS },
  },
]

/**
 * The steps of one list run at the same time.
 *
 * @type {(Step | Step[])[]}
 */
const STEPS = [
  ...(process.env['COVERAGE_PARTS'] ? [] : DONE_IN_CI),
  {
    name: 'documentation site',
    command: 'npm run docs',
    needs: () => isInstalled('the site', existsSync(join(ROOT, 'docs/site/node_modules'))),
  },
  {
    name: 'types of the browser tests',
    command: 'node node_modules/typescript-7/bin/tsc -p test/site',
    needs: () => isInstalled('the driver of the browser', hasPackage('playwright-core')),
  },
  [
    // These mostly wait.
    {
      name: 'stores with real servers',
      command: 'npx vitest run --project servers',
      env: { COVERAGE_PARTS },
    },
    // These mostly compute, and would be slower with coverage. They cover little that no other test covers.
    {
      name: 'all other tests',
      command: 'npx vitest run --project full --project whole --maxWorkers 3',
      env: { SITE_IS_BUILT: 'true' },
    },
  ],
  { name: 'coverage', command: `npx vitest run --merge-reports='${COVERAGE_PARTS}' --coverage` },
  { name: 'times of processes', command: 'npx vitest run --project alone' },
  {
    name: 'stores under faults',
    command: 'npx vitest run --project faults --exclude test/integration/overload-faults.test.ts',
  },
  // They count what a server does per second, so nothing else runs beside them.
  {
    name: 'stores beyond their capacity',
    command: 'npx vitest run --project faults test/integration/overload-faults.test.ts',
  },
  { name: 'properties, 1 000 runs each', command: 'npx vitest run test/property', env: { FC_RUNS: '1000' } },
  {
    name: 'runtimes',
    command: 'node test/runtimes/run.js',
    needs: () => isInstalled('the runtimes', existsSync(PACKAGES)),
  },
  { name: 'timing', command: 'npm run --silent test:timing' },
  { name: 'speed', command: 'node test/bench/guard.js' },
  { name: 'vectors', command: 'test/vectors/check.sh', needs: () => isInstalled('python3') && isInstalled('openssl') },
]

delete process.env['COVERAGE_PARTS']
const skippedList = join(folder, 'skipped')
process.env['SKIPPED_LIST'] = skippedList

/** @type {Record<'passed' | 'failed' | 'skipped', string[]>} */
const outcomes = { passed: [], failed: [], skipped: [] }
/**
 * The lines that name a failed test, and say why. They are repeated at the end.
 *
 * @type {Set<string>}
 */
const failures = new Set()
for (const steps of STEPS) await Promise.all([steps].flat().map(perform))

/** @param {Step} step */
async function perform(step) {
  console.log(`\n=== ${step.name}`)
  const start = performance.now()
  const outcome = await run(step)
  outcomes[outcome].push(step.name)
  console.log(`=== ${step.name}: ${outcome} in ${Math.round((performance.now() - start) / 1000)} s`)
}

/** @param {Step} step */
async function run({ command, env, needs }) {
  try {
    if (needs?.() === false) return 'skipped'
  } catch (error) {
    console.error(error)
    return 'failed'
  }
  const step = spawn(`(${command}) 2>&1`, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    shell: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(step, 'close')
  let output = ''
  for await (const chunk of step.stdout.setEncoding('utf8')) {
    process.stdout.write(chunk)
    output += chunk
  }
  const [status] = await closed
  if (status === 0) return 'passed'
  for (const line of stripVTControlCharacters(output).split('\n')) {
    if (/^ *(FAIL|ERROR|Unhandled|\w*Error)\b/.test(line)) failures.add(line.trim())
  }
  return 'failed'
}

const skipped = existsSync(skippedList) ? readFileSync(skippedList, 'utf8').trimEnd().split('\n') : []
rmSync(folder, { recursive: true })
console.log()
for (const line of new Set(skipped)) console.log(`SKIPPED: ${line}`)
for (const line of failures) console.log(line)
for (const name of outcomes.failed) console.log(`FAILED: ${name}`)
console.log(
  Object.entries(outcomes)
    .map(([outcome, names]) => `${names.length} ${outcome}`)
    .join(', '),
)
if (outcomes.failed.length > 0) process.exitCode = 1
