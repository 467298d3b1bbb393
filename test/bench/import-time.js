import { execFileSync } from 'node:child_process'
import { FULL } from '../nightly/packages/packages.js'
import { quantile } from './rounds.js'

const ROUNDS = 15

/** Measures the time of each import in new processes, in turns. `node:crypto` is loaded before. */
export function importTimes() {
  const modules = [
    { name: 'inbound-webhook-auth', specifier: new URL('../../dist/index.js', import.meta.url).href },
    ...['stripe', 'standardwebhooks', 'svix', '@octokit/webhooks-methods', 'hawk'].map((name) => ({
      name,
      specifier: name,
    })),
  ]
  const times = modules.map(() => /** @type {number[]} */ ([]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { specifier }] of modules.entries()) times[index]?.push(timeOf(specifier))
  }
  return modules.map(({ name }, index) => ({ name, milliseconds: quantile(times[index] ?? [], 0.5) }))
}

/** @param {string} specifier */
function timeOf(specifier) {
  const script = `
    await import('node:crypto')
    const start = performance.now()
    await import(${JSON.stringify(specifier)})
    console.log(performance.now() - start)`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: FULL, encoding: 'utf8' }),
  )
}
