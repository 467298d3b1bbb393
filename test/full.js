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

const TESTS = {
  name: 'the tests of npm test',
  command: 'npx vitest run --project unit --project mocking --project package',
  env: { COVERAGE_PARTS },
}

/** @type {{ name: string, command: string, env?: NodeJS.ProcessEnv, needs?: () => boolean }[]} */
const STEPS = [
  { name: 'build', command: 'npm run build -- --silent' },
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
  ...(process.env['COVERAGE_PARTS'] ? [] : [TESTS]),
  {
    name: 'all other tests',
    command: 'npx vitest run --project full --project whole',
    env: { COVERAGE_PARTS, SITE_IS_BUILT: 'true' },
  },
  { name: 'coverage of all tests', command: `npx vitest run --merge-reports='${COVERAGE_PARTS}' --coverage` },
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
for (const { name, command, env, needs } of STEPS) {
  console.log(`\n=== ${name}`)
  const start = performance.now()
  const outcome = await run(command, env, needs)
  outcomes[outcome].push(name)
  console.log(`=== ${name}: ${outcome} in ${Math.round((performance.now() - start) / 1000)} s`)
}

/**
 * @param {string} command
 * @param {NodeJS.ProcessEnv} [env]
 * @param {() => boolean} [needs]
 */
async function run(command, env, needs) {
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
