import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Format } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import { createProject, entriesOf, PACKAGES, ROOT, sharedInstall } from '../support/packed.js'

// Projects of users. Each is a folder in consumers/ with the installed tarball. The tests check its types, run it, bundle it,
// and run the bundle.

const folder = createProject()
cpSync(fileURLToPath(new URL('consumers', import.meta.url)), folder, { recursive: true })
mkdirSync(join(folder, 'node_modules'))
symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'))
const bundles = mkdtempSync(join(tmpdir(), 'bundles-'))
// The entries of the stores share the names of some types.
const everyEntry = PACKAGES.flatMap((name) => [...entriesOf(sharedInstall(), name).keys()])
  .map((name, index) => `export * as entry${index} from '${name}'\n`)
  .join('')
for (const project of ['typescript', 'bare']) {
  writeFileSync(join(folder, project, 'every-entry.mts'), everyEntry)
  for (const file of ['main', 'every-entry']) {
    copyFileSync(join(folder, project, `${file}.mts`), join(folder, project, `${file}.cts`))
  }
}

afterAll(() => {
  rmSync(bundles, { recursive: true })
})

/** Returns what a program prints, even if it fails, because a compiler prints its errors. */
async function output(cwd: string, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, args, { cwd })
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
  return (stdout + stderr).trimEnd()
}

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

const TSC_7 = join(ROOT, 'node_modules/typescript-7/bin/tsc')

const SAID = 'true replayed_nonce signature_mismatch true ERR_NONCE_STORE ERR_NONCE_STORE_FULL ERR_INVALID_ARGUMENT'
const SAID_WHEN_MIXED = 'true ERR_NONCE_STORE ERR_NONCE_STORE_FULL\nERR_NONCE_STORE ERR_INVALID_ARGUMENT'

it.each([
  ['esm', SAID],
  ['cjs', SAID],
  ['mixed', SAID_WHEN_MIXED],
])('the project %s runs', async (project, said) => {
  expect(await output(join(folder, project), 'main.js')).toBe(said)
})

/** An ES module has no `require`, but bundled CommonJS code needs it for the modules of Node. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

describe.each([
  ['esm', 'main.js', SAID, ''],
  ['cjs', 'main.js', SAID, REQUIRE],
  ['mixed', 'main.js', SAID_WHEN_MIXED, REQUIRE],
  ['typescript', 'main.mts', SAID, ''],
])('the project %s', (project, main, said, banner) => {
  it.each<[Format, string]>([
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ])('runs when bundled to %s, without node_modules', async (format, ending) => {
    const { warnings } = await build({
      absWorkingDir: join(folder, project),
      entryPoints: [main],
      outfile: join(bundles, `${project}.${ending}`),
      bundle: true,
      minify: true,
      platform: 'node',
      target: 'node20',
      format,
      banner: { js: format === 'esm' ? banner : '' },
    })
    expect(warnings).toEqual([])
    expect(await output(bundles, `${project}.${ending}`)).toBe(said)
  })
})

describe('types hold', () => {
  it.each(['esm', 'cjs', 'mixed'])('in JavaScript: %s', async (project) => {
    expect(await output(join(folder, project), TSC, '--skipLibCheck')).toBe('')
  })

  // With `skipLibCheck`, the compiler checks less.
  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('under moduleResolution %s, module %s', async (moduleResolution, module) => {
    const options = ['--moduleResolution', moduleResolution, '--module', module, '--skipLibCheck', 'false']
    const project = join(folder, 'typescript')
    // Code that is resolved as a bundler does can only run after a bundler.
    const isBundled = moduleResolution === 'bundler'
    expect(await output(project, TSC, ...options, '--noEmit', String(isBundled))).toBe('')
    if (isBundled) return
    for (const built of ['built/main.mjs', 'built/main.cjs']) expect(await output(project, built)).toBe(SAID)
  })

  it('under moduleResolution node10, which does not read exports', async () => {
    const project = join(folder, 'typescript')
    const options = [
      ...['--moduleResolution', 'node10', '--module', 'commonjs', '--target', 'es2022', '--outDir', 'built10'],
    ]
    expect(await output(project, TSC, 'main.cts', 'every-entry.cts', '--strict', ...options)).toBe('')
    expect(await output(project, 'built10/main.cjs')).toBe(SAID)
  })

  it("without Node's types and the DOM's", async () => {
    expect(await output(join(folder, 'bare'), TSC)).toBe('')
  })

  it.each([
    ['5', TSC],
    ['7', TSC_7],
  ])('and the first line of an error names the argument: TypeScript %s', async (_, compiler) => {
    const project = join(folder, 'typescript')
    const calls = [
      ["{ request }, 'secret', store, () => {}", "Property 'webhookId' is missing in type"],
      ["{ webhookId: 42, request }, 'secret', store, () => {}", "Type 'number' is not assignable to type 'string'."],
      ["{ webhookId: '42', request }, process.env['SECRET'], store, () => {}", "Argument of type 'string | undefined'"],
      ["{ webhookId: '42', request, maxByte: 1 }, 'secret', store, () => {}", "'maxByte' does not exist in type"],
      [
        "{ webhookId: '42', request }, () => null, store, () => {}",
        "Type 'string' is not assignable to type 'undefined'.",
      ],
    ]
    const text = calls.map(([call]) => `void handle(${call})`).join('\n')
    const imports = "import { handle, MemoryNonceStore } from 'inbound-webhook-auth'"
    writeFileSync(
      join(project, 'wrong.mts'),
      `${imports}\ndeclare const request: Request\nconst store = new MemoryNonceStore()\n${text}\n`,
    )
    const errors = (await output(project, compiler, '--module', 'nodenext', '--noEmit', '--pretty', 'false')).split(
      /^(?=\S)/m,
    )
    rmSync(join(project, 'wrong.mts'))
    expect(errors.map((error) => error.trim().split('\n').length).filter((lines) => lines > 2)).toEqual([])
    expect(errors.map((error) => error.replace(/\s+/g, ' '))).toEqual(
      calls.map(([, message]) => expect.stringContaining(String(message))),
    )
  })

  it('of every entry, and of no other subpath', async () => {
    writeFileSync(join(folder, 'bare/absent.mts'), "export * from 'inbound-webhook-auth/absent'\n")
    expect(await output(join(folder, 'bare'), TSC)).toMatch(/^absent\.mts\(1,15\): error TS2307: .*$/)
    rmSync(join(folder, 'bare/absent.mts'))
  })
})
