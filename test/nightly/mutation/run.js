// `npm run test:nightly mutation -- core memory`: changes the sources, one place at a time, and checks that a test fails each time.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { ROOT } from '../../support/packed.js'
import { PARTS } from './parts.js'

/** @typedef {Awaited<ReturnType<Stryker['runMutationTest']>>[number]} Mutant */

const names = process.argv.slice(2)
for (const name of names.length > 0 ? names : Object.keys(PARTS)) await run(name)

/** @param {string} name */
async function run(name) {
  const part = PARTS[name]
  if (part === undefined) throw new Error(`no part ${name}. Use ${Object.keys(PARTS).join(', ')}.`)
  const { mutate, testFiles, score } = part
  const mutants = await new Stryker({
    mutate,
    testFiles,
    testRunner: 'vitest',
    vitest: { configFile: 'test/nightly/mutation/vitest.config.ts' },
    ignorePatterns: ['/dist', '/bench', '/reports', '/coverage', '/test/nightly/packages'],
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    incremental: true,
    incrementalFile: `reports/mutation/${name}.json`,
    reporters: ['progress-append-only'],
    timeoutMS: 3000,
    timeoutFactor: 1.2,
  }).runMutationTest()

  const tested = mutants.filter(({ status }) => status !== 'Ignored')
  const survivors = tested.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const found = tested.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const percent = (100 * found) / (found + survivors.length)
  for (const mutant of survivors) console.log(describe(mutant))
  console.log(`${name}: ${tested.length} mutants, ${found} found: ${percent.toFixed(2)} %`)
  if (score === undefined || percent >= score) return
  console.log(`FAILED: ${name} needs ${score} %`)
  process.exitCode = 1
}

/** Returns where a mutant is, and what it replaces. Lines and columns start at 1. @param {Mutant} mutant */
function describe({ status, fileName, location: { start, end }, replacement }) {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  const text = lines.join('\n').slice(start.column - 1)
  const code = text.slice(0, text.length - (lines.at(-1) ?? '').length + end.column - 1)
  return `${status}: ${relative(ROOT, fileName)}:${start.line}\n- ${code}\n+ ${replacement}\n`
}
