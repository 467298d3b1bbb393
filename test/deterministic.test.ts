import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { pathsBelow } from './support/files.js'
import { ROOT } from './support/packed.js'

// A slow machine must not fail a test that runs on a commit. So no such test measures time or memory, and none runs twice.

/** Folders whose tests run at night. */
const NIGHTLY = /^(tools\/)?test\/(nightly|bench)\//

const MEASURES =
  'measures. Count steps, or pass a clock, or use SimulatedTime. If the test must measure, move it to test/nightly/.'

const RULES: readonly { what: string; fix: string; matches: (node: ts.Node) => boolean }[] = [
  ...['performance.now', 'process.hrtime', 'process.cpuUsage', 'process.memoryUsage', 'process.resourceUsage'].map(
    (what) => ({
      what,
      fix: MEASURES,
      matches: (node: ts.Node) => isPropertyAccess(node, what),
    }),
  ),
  {
    what: 'Date.now inside an expect',
    fix: 'depends on the time that the test takes. Pass a clock, or use vi.setSystemTime().',
    matches: (node) => isPropertyAccess(node, 'Date.now') && isInsideExpect(node),
  },
  {
    what: 'retry',
    fix: 'hides a test that fails by chance. Remove it, and make the test wait for an event instead of a time.',
    matches: (node) => ts.isPropertyAssignment(node) && node.name.getText() === 'retry' && isOptionOfTest(node),
  },
]

function isPropertyAccess(node: ts.Node, text: string): boolean {
  return ts.isPropertyAccessExpression(node) && node.name.text === text.split('.')[1] && node.getText() === text
}

/** Returns whether a node belongs to the expression of an `expect`, with all that is called on its result. */
function isInsideExpect(node: ts.Node): boolean {
  if (ts.isStatement(node)) return false
  if (ts.isCallExpression(node) && /^expect(\.\w+)?\(/.test(node.getText())) return true
  return isInsideExpect(node.parent)
}

function isOptionOfTest({ parent }: ts.Node): boolean {
  const call = parent.parent
  return ts.isCallExpression(call) ? /^(it|test|describe)\b/.test(call.getText()) : ts.isPropertyAssignment(call)
}

/** A file without these words needs no look at its syntax, which takes longer. */
const WORDS = /performance\.now|hrtime|cpuUsage|memoryUsage|resourceUsage|Date\.now|\bretry\b/

/** Returns each broken rule of a file, with its line. */
function findBroken(file: string, text: string): string[] {
  if (!WORDS.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const broken: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) || ts.isPropertyAssignment(node)) {
      for (const { what, fix, matches } of RULES) {
        if (!matches(node)) continue
        const { line } = source.getLineAndCharacterOfPosition(node.getStart())
        broken.push(`${file}:${line + 1}: ${what} ${fix}`)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return broken
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

it('no test that runs on a commit measures time or memory, or runs twice', { timeout: 60_000 }, () => {
  expect(SUITES.size).toBeGreaterThan(100)
  expect(['vitest.config.ts', ...SUITES].flatMap((file) => findBroken(file, read(file)))).toEqual([])
})

it.each([
  ['const start = performance.now()', 'performance.now measures'],
  ['const before = process.memoryUsage().heapUsed', 'process.memoryUsage measures'],
  ['expect(\n  Date.now() - start,\n).toBeLessThan(5)', 'Date.now inside an expect depends'],
  ['expect(time).toBeGreaterThan(Date.now())', 'Date.now inside an expect depends'],
  ["it('a', { retry: 2 }, () => {})", 'retry hides'],
  ['export default { test: { retry: 2 } }', 'retry hides'],
])('finds %j', (text, problem) => {
  expect(findBroken('a.test.ts', `\n${text}`)).toEqual([expect.stringMatching(`^a\\.test\\.ts:\\d: ${problem}`)])
})

it('allows the time of a request, and texts', () => {
  const text =
    "const seconds = Math.floor(Date.now() / 1000) // not performance.now\nexpect('Date.now()').toBe(seconds)"
  expect(findBroken('a.test.ts', text)).toEqual([])
})
