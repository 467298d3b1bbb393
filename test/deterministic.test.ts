import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { pathsBelow } from './support/files.js'
import { ROOT } from './support/packed.js'

// A slow machine must not fail a test that runs on a commit. So no such test measures time or memory, and none runs twice.

/** Folders whose tests run at night. */
const NIGHTLY = /^(tools\/)?test\/(nightly|bench)\//

const MEASURES =
  'measures. Count steps, or pass a clock, or use SimulatedTime. If the test must measure, move it to test/nightly/.'

/** What no code of a test may have. The second pattern finds a statement with `expect`: its line, deeper lines, and closing brackets. */
const RULES: readonly { pattern: RegExp; fix: string }[] = [
  { pattern: /\b(performance\.now|process\.(hrtime|cpuUsage|memoryUsage|resourceUsage))\b/g, fix: MEASURES },
  {
    pattern: /^( *).*\bexpect\b.*(\n\1( |[)\]}.]).*)*/gm,
    fix: 'Date.now inside an expect depends on the time that the test takes. Pass a clock, or use vi.setSystemTime().',
  },
  {
    pattern: /[{,\n] *retry:/g,
    fix: 'retry hides a test that fails by chance. Remove it, and make the test wait for an event instead of a time.',
  },
]

/** Returns each broken rule of a file, with its line. */
function findBroken(file: string, text: string): string[] {
  const code = text.replace(/(['"`])(?:(?!\1).)*\1|\/\/.*|^ *\/?\*.*$/gm, '')
  return RULES.flatMap(({ pattern, fix }) =>
    [...code.matchAll(pattern)]
      .filter(([found]) => !found.includes('expect') || found.includes('Date.now'))
      .map(
        ({ 0: found, index }) =>
          `${file}:${code.slice(0, index).split('\n').length}: ${fix === MEASURES ? `${found} ` : ''}${fix}`,
      ),
  )
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Returns the files of the tests that a file imports. */
function importsOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
    .map(([, path = '']) => relative(ROOT, join(ROOT, dirname(file), path)))
    .map((path) => (existsSync(join(ROOT, path)) ? path : path.replace(/\.js$/, '.ts')))
    .filter((path) => /^(tools\/)?test\/.*\.[jt]s$/.test(path) && !NIGHTLY.test(path) && existsSync(join(ROOT, path)))
}

/** The suites that run on a commit, and all files of the tests that they import. */
const SUITES = new Set(
  ['test', 'tools/test']
    .flatMap((folder) => pathsBelow(join(ROOT, folder)).map((path) => `${folder}/${path}`))
    .filter((path) => path.endsWith('.test.ts') && !NIGHTLY.test(path)),
)
for (const file of SUITES) for (const path of importsOf(file)) SUITES.add(path)

it('no test that runs on a commit measures time or memory, or runs twice', () => {
  expect(SUITES.size).toBeGreaterThan(100)
  expect(['vitest.config.ts', ...SUITES].flatMap((file) => findBroken(file, read(file)))).toEqual([])
})

it.each([
  ['const start = performance.now()', 'performance.now measures'],
  ['const before = process.memoryUsage().heapUsed', 'process.memoryUsage measures'],
  ['expect(\n  Date.now() - start,\n).toBeLessThan(5)', 'Date.now inside an expect depends'],
  ['const check = () => expect(time).toBeGreaterThan(Date.now())', 'Date.now inside an expect depends'],
  ["it('a', { retry: 2 }, () => {})", 'retry hides'],
  ['export default { test: { retry: 2 } }', 'retry hides'],
  ['export default {\n  test: {\n    retry: 2,\n  },\n}', 'retry hides'],
])('finds %j', (text, problem) => {
  expect(findBroken('a.test.ts', `\n${text}`)).toEqual([expect.stringMatching(`^a\\.test\\.ts:\\d: ${problem}`)])
})

it('allows the time of a request, and texts', () => {
  const text =
    "const seconds = Math.floor(Date.now() / 1000) // not performance.now\nexpect('Date.now()').toBe(seconds)"
  expect(findBroken('a.test.ts', text)).toEqual([])
})
