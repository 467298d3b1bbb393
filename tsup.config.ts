import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { licenceNotices } from './tools/src/licence-notices.js'

/** The entries of the package: the source of each by the name of its file in `dist`. The reference reads the same list. */
const ENTRIES = Object.fromEntries(manifest.typedocOptions.entryPoints.map((source) => [nameOf(source), source]))

/** Returns `redis` for `src/stores/redis/index.ts`, and `sqlite` for `src/stores/sqlite.ts`. */
function nameOf(source: string): string {
  return source === 'src/index.ts' ? 'index' : (/([\w-]+)(\/index)?\.ts$/.exec(source)?.[1] ?? '')
}

/** The command line loads the entries next to it, so that the package has one copy of the library. */
const loadEntries: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'load-entries',
  setup(build) {
    const loaded = new Map(
      ['index', 'diagnose', 'testing'].map((name) => [resolve(String(ENTRIES[name])), `./${name}.js`]),
    )
    build.onResolve({ filter: /\/index\.js$/ }, ({ resolveDir, path }) => {
      const entry = loaded.get(resolve(resolveDir, path.replace(/\.js$/, '.ts')))
      return entry === undefined ? undefined : { path: entry, external: true }
    })
  },
}

/**
 * Writes the declarations of the source into a temporary folder, and returns the paths of those of the entries. tsup joins them to one
 * file per entry. It does not read the source itself, because its TypeScript 5 needs three times as long for the same declarations.
 */
function declareEntries(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'declarations-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
  execFileSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', 'src', '--outDir', folder], {
    stdio: 'inherit',
  })
  const declared = (source: string) => join(folder, source.replace(/\.ts$/, '.d.ts'))
  return Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, declared(source)]))
}

/** Declarations need no types of the platform to be joined. */
const NO_TYPES = { noLib: true, types: [] }

const common: Options = {
  platform: 'node',
  target: 'node20',
  // Each entry is one file of code.
  splitting: false,
  // Deno and workerd know Node's modules by their `node:` names only.
  removeNodeProtocol: false,
}

export default defineConfig([
  { ...common, entry: ENTRIES, format: ['esm', 'cjs'], dts: { entry: declareEntries(), compilerOptions: NO_TYPES } },
  {
    ...common,
    // Nobody imports the command line, so it needs no types and no CommonJS.
    entry: { cli: 'tools/src/cli/main.ts' },
    format: 'esm',
    esbuildPlugins: [loadEntries, licenceNotices],
  },
])
