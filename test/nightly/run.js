// `npm run test:nightly` runs everything that CI leaves out, one part after the other. It continues after a failure.
// `npm run test:nightly stores faults` runs these parts. `npm run test:nightly mutation core` passes `core` to the last command of the part.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/packed.js'
import { installPackages } from './packages/packages.js'

/**
 * @typedef {object} Part
 * @property {string[]} commands
 * @property {number} minutes - the part fails if it takes longer.
 */

/**
 * A part that is a folder of tests.
 *
 * @param {string} folder
 * @param {number} minutes
 * @param {string} [options]
 * @returns {Part}
 */
const tests = (folder, minutes, options = '') => ({
  commands: [`npx vitest run --project nightly test/nightly/${folder}/ ${options}`],
  minutes,
})

/** Properties and fuzzers begin with another seed each night. */
const RANDOM = `FC_SEED=${Date.now() % 2 ** 31}`

/** @type {Record<string, Part>} */
const PARTS = {
  // Some of them count what a server does per second, so nothing else runs beside them.
  stores: tests('stores', 40, '--maxWorkers 1'),
  faults: tests('faults', 40, '--maxWorkers 1'),
  memory: tests('memory', 10, '--maxWorkers 1'),
  frameworks: tests('frameworks', 40),
  senders: tests('senders', 20),
  runtimes: { commands: ['node test/nightly/runtimes/run.js'], minutes: 10 },
  package: tests('package', 10),
  site: {
    // The build fails for a dead link or anchor.
    commands: [
      'npm run docs',
      'node node_modules/typescript-7/bin/tsc -p test/nightly/site',
      ...tests('site', 0).commands.map((command) => `SITE_IS_BUILT=true ${command}`),
    ],
    minutes: 20,
  },
  workbench: { commands: ['npx vitest run --project nightly tools/test/nightly/workbench'], minutes: 20 },
  diagnose: {
    commands: [
      'npx vitest run --project nightly tools/test/nightly/ --exclude tools/test/nightly/workbench/** --maxWorkers 1',
    ],
    minutes: 30,
  },
  properties: {
    commands: [`${RANDOM} FC_RUNS=1000 npx vitest run test/property test/standard-webhooks --testTimeout 300000`],
    minutes: 20,
  },
  fuzz: { commands: tests('fuzz', 0).commands.map((command) => `${RANDOM} FC_RUNS=1000 ${command}`), minutes: 20 },
  mutation: { commands: ['node test/nightly/mutation/run.js'], minutes: 240 },
  timing: { commands: ['node test/nightly/timing/run.js'], minutes: 10 },
  speed: { commands: ['node test/nightly/speed/run.js'], minutes: 15 },
  coverage: {
    commands: [
      'npx vitest run --project unit --project mocking --project tools --project programs --project ci --coverage',
    ],
    minutes: 30,
  },
}

const given = process.argv.slice(2)
const names = given.filter((name) => Object.hasOwn(PARTS, name))
const options = given.filter((name) => !Object.hasOwn(PARTS, name))
if (options.length > 0 && names.length !== 1) {
  throw new Error(`${options.join(' ')} needs one part before it. Use one of: ${Object.keys(PARTS).join(', ')}.`)
}

/**
 * Runs a command without a terminal. Resolves to whether it succeeded in time.
 *
 * @param {string} command
 * @param {number} minutes
 */
async function succeeds(command, minutes) {
  // The timer ends the command and its children, which are in a process group of their own.
  const child = spawn(command, { cwd: ROOT, shell: true, stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const timer = setTimeout(() => {
    console.error(`Stopped after ${minutes} minutes: ${command}`)
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, minutes * 60_000)
  const [status] = await once(child, 'close')
  clearTimeout(timer)
  return status === 0
}

installPackages()
if (!existsSync(join(ROOT, 'docs/site/node_modules'))) await succeeds('npm ci --prefix docs/site', 10)
const isBuilt = await succeeds('npm run --silent build -- --silent', 5)

if (!isBuilt) throw new Error('The build failed.')

/** @type {string[]} */
const failed = []
const chosen = names.length > 0 ? names : Object.keys(PARTS)
for (const name of chosen) {
  const { commands = [], minutes = 0 } = PARTS[name] ?? {}
  const start = performance.now()
  console.log(`\n=== ${name}`)
  let passed = true
  for (const [index, command] of commands.entries()) {
    const isLast = index === commands.length - 1
    passed = passed && (await succeeds([command, ...(isLast ? options : [])].join(' '), minutes))
  }
  if (!passed) failed.push(name)
  console.log(`=== ${name}: ${passed ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - start) / 1000)} s`)
}

for (const name of failed) console.log(`FAILED: ${name}`)
console.log(`${chosen.length - failed.length} passed, ${failed.length} failed`)
if (failed.length > 0) process.exitCode = 1
