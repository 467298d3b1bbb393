import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { defineConfig, type Options } from 'tsup'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

/** The options of both packages. */
export const COMMON: Options = {
  platform: 'node',
  target: 'node20',
  // Entries share their code, so that a class exists once.
  splitting: true,
  // Deno and workerd know Node's modules by their `node:` names only.
  removeNodeProtocol: false,
  silent: true,
}

/** Returns the entries of a package by their names: `src/stores/redis/index.ts` as `redis`. `files` of its `tsconfig.json` lists them. */
export function entriesIn(folder: string): Record<string, string> {
  const { files }: { files: string[] } = JSON.parse(readFileSync(join(ROOT, folder, 'tsconfig.json'), 'utf8'))
  return Object.fromEntries(
    files.map((file) => [basename(file.replace(/\/index\.ts$/, ''), '.ts'), join(ROOT, folder, file)]),
  )
}

/**
 * Writes the declarations of the source into a temporary folder, and returns the options for tsup to join them to one file per entry. tsup
 * does not read the source itself, because its TypeScript 5 needs three times as long for the same declarations.
 */
export function declarationsOf(folder: string) {
  const target = mkdtempSync(join(tmpdir(), 'declarations-'))
  process.on('exit', () => rmSync(target, { recursive: true }))
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(ROOT, folder), '--outDir', target], { stdio: 'inherit' })
  const entry = Object.fromEntries(
    Object.entries(entriesIn(folder)).map(([name, source]) => [
      name,
      join(target, source.slice(ROOT.length).replace(/\.ts$/, '.d.ts')),
    ]),
  )
  // Declarations need no types of the platform to be joined.
  return { entry, compilerOptions: { noLib: true, types: [] } }
}

/**
 * Writes each ES module of `dist` as CommonJS beside it. tsup can split CommonJS too, but it rewrites every call and every optional chain
 * for that, so that nobody could read what is published.
 */
async function writeCommonJs(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['dist/*.js'],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    plugins: [
      {
        name: 'import-commonjs',
        setup({ onResolve }) {
          onResolve({ filter: /^\.\/.*\.js$/ }, ({ path, kind }) =>
            kind === 'entry-point' ? undefined : { path: path.replace(/js$/, 'cjs'), external: true },
          )
        },
      },
    ],
  })
}

export default defineConfig(() => [
  { ...COMMON, entry: entriesIn('src'), format: 'esm', onSuccess: writeCommonJs },
  { ...COMMON, entry: entriesIn('src'), format: ['esm', 'cjs'], dts: { only: true, ...declarationsOf('src') } },
])
