// `npm run test:nightly speed`: does a call need more instructions than before? valgrind counts them, so other work on the machine
// changes nothing. Each figure is the difference between two processes, which leaves out the start.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/**
 * The instructions of a call, as a multiple of those of an HMAC and a comparison. A kind fails if it needs 2 % more: a repeated count
 * differs by 0.5 %. Then mend it, or write the new figure and say why in the commit.
 */
const RATIOS = {
  accepted: 2.805,
  steady: 2.842,
  receive: 3.414,
  handle: 4.249,
  standard: 3.687,
  forged: 1.975,
  stale: 0.775,
  replayed: 2.581,
}
const ROOM = 1.02

/** The calls of the two processes. The first ones fill the caches of V8. */
const [FEWER, MORE] = [500, 1500]

const CALLS = fileURLToPath(new URL('calls.js', import.meta.url))
const VALGRIND = ['--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null']
/**
 * With these options, V8 does the same work in each process. V8 optimizes nothing, because an optimization during the counted calls would
 * add instructions. The space is 128 MB, so that V8 collects no garbage.
 */
const REPEATABLE = [
  ...['--predictable', '--single-threaded', '--hash-seed=1', '--random-seed=1', '--no-opt'],
  ...['--min-semi-space-size=128', '--max-semi-space-size=128'],
]

/**
 * Returns the instructions of a process.
 *
 * @param {string} kind
 * @param {number} calls
 */
async function countInstructions(kind, calls) {
  const args = [...VALGRIND, process.execPath, ...REPEATABLE, CALLS, kind, String(calls)]
  const { stderr } = await promisify(execFile)('valgrind', args)
  const [, counted = ''] = /I +refs: +([\d,]+)/.exec(stderr) ?? []
  return Number(counted.replaceAll(',', ''))
}

/** @param {string} kind */
async function instructionsPerCall(kind) {
  const [fewer, more] = await Promise.all([countInstructions(kind, FEWER), countInstructions(kind, MORE)])
  return (more - fewer) / (MORE - FEWER)
}

const [baseline, ...measured] = await Promise.all(['baseline', ...Object.keys(RATIOS)].map(instructionsPerCall))
if (!baseline) throw new Error('valgrind counted no instructions.')
console.log(`${'baseline'.padEnd(10)} ${Math.round(baseline)} instructions`)
for (const [index, [kind, before]] of Object.entries(RATIOS).entries()) {
  const ratio = (measured[index] ?? Number.NaN) / baseline
  const passed = ratio <= before * ROOM
  console.log(
    `${kind.padEnd(10)} ${ratio.toFixed(3)} of the baseline, before ${before}: ${passed ? 'passed' : 'FAILED'}`,
  )
  if (!passed) process.exitCode = 1
}
