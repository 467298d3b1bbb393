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

/** Returns what is wrong with the use of a name. */
function problemOf({ text, parent }: ts.Identifier): string | undefined {
  if (/^(hrtime|cpuUsage|memoryUsage|resourceUsage)$/.test(text)) return `${text} ${MEASURES}`
  // A call may replace this clock, as vi.spyOn(performance, 'now') does.
  if (text === 'performance' && !ts.isCallExpression(parent)) return `${text} ${MEASURES}`
  if ((text === 'retry' || text === 'repeats') && ts.isObjectLiteralElement(parent))
    return `${text} hides a test that fails by chance. Remove it, and make the test wait for an event instead of a time.`
  const readsTime = ts.isNewExpression(parent) ? parent.arguments?.length === 0 : parent.getText() === 'Date.now'
  if (text !== 'Date' || !readsTime) return undefined
  if (isInExpect(parent)) return 'Date.now inside an expect depends on the time that the test takes. Pass a clock.'
  const sum = parent.parent.parent
  const isDifference = ts.isBinaryExpression(sum) && / - [a-z]\w*$/i.test(sum.getText())
  return isDifference ? `a difference of Date.now ${MEASURES}` : undefined
}

/** Returns whether a node is in an `expect`, or in what is called on its result. */
function isInExpect(node: ts.Node): boolean {
  return (
    node.parent !== undefined &&
    ((ts.isCallExpression(node) && /^expect\b/.test(node.getText())) || isInExpect(node.parent))
  )
}

/** A file without these words needs no look at its syntax, which takes longer. */
const WORDS = /performance|hrtime|cpuUsage|memoryUsage|resourceUsage|Date\.now|Date\(\)|\b(retry|repeats)\b/

/** Returns each problem of a file, with its line. */
function findProblems(file: string, text: string): string[] {
  if (!WORDS.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const problems: string[] = []
  const visit = (node: ts.Node): void => {
    const problem = ts.isIdentifier(node) ? problemOf(node) : undefined
    if (problem) problems.push(`${file}:${text.slice(0, node.getStart()).split('\n').length}: ${problem}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return problems
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
  expect(['vitest.config.ts', ...SUITES].flatMap((file) => findProblems(file, read(file)))).toEqual([])
})

it.each([
  ['const start = performance.now()', 'performance measures'],
  ['const { now } = performance', 'performance measures'],
  ['const { hrtime: clock } = process', 'hrtime measures'],
  ['expect(\n  Date.now() - start,\n).toBeLessThan(5)', 'Date.now inside an expect depends'],
  ['const check = () => expect(time).toBeGreaterThan(+new Date())', 'Date.now inside an expect depends'],
  [`expect.soft(\`\${Date.now() - start}\`).toBe('1')`, 'Date.now inside an expect depends'],
  ['const took = Date.now() - start', 'a difference of Date.now measures'],
  ["it('a', { retry: 2 }, () => {})", 'retry hides'],
  ['export default { test: { repeats } }', 'repeats hides'],
])('finds %j', (text, problem) => {
  expect(findProblems('a.test.ts', `\n${text}`)).toContainEqual(expect.stringMatching(`^a\\.test\\.ts:\\d: ${problem}`))
})

it('allows the time of a request, and texts', () => {
  const text =
    "const seconds = Math.floor(Date.now() / 1000) // not performance.now\nexpect('Date.now()').toBe(seconds)"
  expect(findProblems('a.test.ts', text)).toEqual([])
})
