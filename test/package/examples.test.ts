import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transformSync } from 'esbuild'
import { expect, it } from 'vitest'
import { codeBlocks } from '../support/code-blocks.js'
import { pathsBelow } from '../support/files.js'
import { createProject, ROOT } from '../support/packed.js'
import { STRICT } from '../support/strict.js'

// The examples in the docstrings of src/ and in the guides, in a project that has the packed package.

const EXAMPLES: Record<string, string> = {}
for (const [folder, ending] of [
  ['src', '.ts'],
  ['tools/src', '.ts'],
  ['docs', '.md'],
] as const) {
  for (const path of pathsBelow(join(ROOT, folder))) {
    if (!path.endsWith(ending) || path.startsWith('site/')) continue
    const name = `${`${folder}/${path}`.replaceAll('/', ' ').replace(ending, '')}`
    for (const [index, code] of codeBlocks(readFileSync(join(ROOT, folder, path), 'utf8'), 'ts').entries()) {
      // Recipes and store set-ups are separate files with their own tests.
      if (
        folder === 'docs' &&
        (importsOthers(code) || /\.listen\(|\b(Bun|Deno)\.|WEBHOOK_SECRET is not set|defineEventHandler/.test(code))
      )
        continue
      EXAMPLES[`${name} ${index + 1}.mts`] = code
    }
  }
}

function importsOthers(code: string): boolean {
  return [...code.matchAll(/(?:from|import) '([^']+)'/g)].some(
    ([, name = '']) => !/^(node:|inbound-webhook-auth)/.test(name),
  )
}

const folder = createProject()
// Some examples import a database client, which a user has installed.
mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
for (const name of ['ioredis', 'mariadb', 'mysql2', 'pg', 'postgres', 'redis', '@types/pg']) {
  symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
}

it('there are examples', () => {
  expect(Object.keys(EXAMPLES).length).toBeGreaterThanOrEqual(5)
})

for (const [name, code] of Object.entries(EXAMPLES)) {
  writeFileSync(join(folder, name), code)
  writeFileSync(join(folder, name.replace('.mts', '.mjs')), transformSync(code, { loader: 'ts' }).code)
}
writeFileSync(
  join(folder, 'run.mjs'),
  `import { writeFileSync } from 'node:fs'
  import { format } from 'node:util'
  const outcomes = []
  for (const name of process.argv.slice(2)) {
    const lines = []
    console.log = (...values) => lines.push(...format(...values).split('\\n'))
    const thrown = await import('./' + name).then(() => null, String)
    outcomes.push({ lines, thrown })
  }
  writeFileSync('outcomes.json', JSON.stringify(outcomes))
  // The clients of the examples keep trying to connect.
  process.exit()`,
)

it.concurrent('the examples have no type errors', async () => {
  const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
  const compilerOptions = { ...STRICT, ...types, module: 'nodenext' }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(EXAMPLES) }))
  // The compiler prints what is wrong and ends with an error.
  const tsc = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript-7/bin/tsc')], { cwd: folder })
  expect((await tsc.catch((error: { stdout: string }) => error)).stdout).toBe('')
})

/** The examples that run. A client or a database that an example only declares does not exist. */
const RUN = Object.entries(EXAMPLES).filter(([, code]) => !/^declare const/m.test(code))

/** What each example printed and threw. One process imports them all: starting one takes longer than an example. */
const outcomes: Promise<{ lines: string[]; thrown: string | null }[]> = (async () => {
  const files = RUN.map(([name]) => name.replace('.mts', '.mjs'))
  await promisify(execFile)(process.execPath, ['run.mjs', ...files], { cwd: folder })
  return JSON.parse(readFileSync(join(folder, 'outcomes.json'), 'utf8'))
})()

it.each(RUN)('prints what its comments say: %s', async (name, code) => {
  const { lines, thrown } = (await outcomes)[RUN.findIndex(([other]) => other === name)] ?? {}
  expect(thrown).toBe(null)
  const expected = [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, printed]) => printed)
  if (expected.length > 0) expect(lines).toEqual(expected)
})
