// Runs the built package on every runtime, and prints a line for each. The package is packed and installed as a user does.
import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { PACKAGES as BOTH, entriesOf, installPacked } from '../../support/packed.js'
import { warnSkipped } from '../../support/programs.js'
import { installPackages, PACKAGES } from '../packages/packages.js'
import { workerdConfig } from './workerd.js'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const NODES = [20, 22, 24, 26]
/** The first date with the full `nodejs_compat`, and the last date that this workerd supports. */
const COMPATIBILITY_DATES = ['2024-09-23', '2026-11-17']

/**
 * @typedef {{ name: string, program: string, runs: { label: string, args: string[] }[] }} Runtime
 */

/**
 * @param {string} folder - the folder of the package and the suite.
 * @returns {Runtime[]}
 */
function runtimes(folder) {
  const names = BOTH.flatMap((name) => [...entriesOf(folder, name).keys()])
  const main = join(folder, 'main.mjs')
  /** @param {string[]} before */
  const importAndRequire = (...before) =>
    ['import', 'require'].map((label) => ({ label, args: [...before, main, label, ...names] }))
  return [
    ...NODES.map((major) => ({ name: 'Node', program: `node${major}/bin/node`, runs: importAndRequire() })),
    { name: 'Bun', program: '@oven/bun-linux-x64/bin/bun', runs: importAndRequire('--no-install') },
    // Deno runs without any permission.
    { name: 'Deno', program: '@deno/linux-x64-glibc/deno', runs: importAndRequire('run', '--no-prompt') },
    {
      name: 'workerd',
      program: '@cloudflare/workerd-linux-64/bin/workerd',
      runs: COMPATIBILITY_DATES.map((date) => {
        const config = join(folder, `${date}.capnp`)
        writeFileSync(config, workerdConfig(folder, date))
        return { label: `import as of ${date}`, args: ['test', config] }
      }),
    },
  ]
}

/** @param {string} folder */
async function bundleSuite(folder) {
  await build({
    entryPoints: ['main', 'worker'].map((name) => join(HERE, `${name}.ts`)),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: BOTH,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  })
}

/**
 * @param {string} folder
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<string>} what it prints
 */
async function output(folder, program, args) {
  const env = { ...process.env, NO_COLOR: '1', DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' }
  return (await promisify(execFile)(program, args, { cwd: folder, env, timeout: 120_000 })).stdout
}

/**
 * @param {string} folder
 * @param {Runtime} runtime
 * @returns {Promise<boolean>} whether all cases passed
 */
async function passes(folder, { name, program, runs }) {
  const path = join(PACKAGES, program)
  if (!existsSync(path)) {
    warnSkipped(`${name}. There is no ${program} for ${process.platform} ${process.arch}`)
    return !process.env['SKIP_NOTHING']
  }
  const [version] = (await output(folder, path, ['--version'])).match(/\d[\d.-]+/) ?? []
  const outcomes = await Promise.all(
    runs.map(async ({ label, args }) => {
      try {
        const printed = await output(folder, path, args)
        /** @type {import('./suite.js').Outcome} */
        const { passed, failed } = JSON.parse(printed.match(/^\{.*\}$/m)?.[0] ?? '')
        return { label, passed, failed }
      } catch (error) {
        return { label, passed: 0, failed: [String(error)] }
      }
    }),
  )
  const counts = outcomes.map(({ label, passed, failed }) => `${label}: ${passed} passed, ${failed.length} failed`)
  console.log(`${`${name} ${version}`.padEnd(20)}${counts.join('; ')}`)
  for (const { failed } of outcomes) for (const fault of failed) console.log(`  ${fault.replaceAll('\n', '\n  ')}`)
  return outcomes.every(({ passed, failed }) => passed > 0 && failed.length === 0)
}

installPackages()
const folder = installPacked()
try {
  await bundleSuite(folder)
  for (const runtime of runtimes(folder)) if (!(await passes(folder, runtime))) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
