import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { pathsBelow } from '../support/files.js'
import { entriesOf, ROOT, sharedInstall } from '../support/packed.js'

// Each entry of the package is exported, built per module format, typed and documented.

const folder = sharedInstall()
const installed = join(folder, 'node_modules/inbound-webhook-auth')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const entries = entriesOf(folder)

/** The file that `bin` runs, which nobody imports. */
const programs: string[] = Object.values<string>(manifest.bin ?? {}).map((path) => path.replace(/^(\.\/)?dist\//, ''))

it('every entry has a page that imports it', () => {
  const guides = pathsBelow(join(ROOT, 'docs')).map((path) => `docs/${path}`)
  const documents = ['README.md', ...guides]
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/site/'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n')
  expect([...entries.keys()].filter((name) => !new RegExp(`['\`]${name}['\`]`).test(documents))).toEqual([])
})

const declarations = [...entries.values()].flatMap((targets) =>
  [targets.import, targets.require].map(({ types }) => join(installed, types)),
)
const program = ts.createProgram(declarations, { module: ts.ModuleKind.NodeNext, types: [], noLib: true })

/** The exports of a declaration file that exist at run time, which types do not. */
function valuesDeclaredIn(path: string): string[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${path} is no module`)
  return checker
    .getExportsOfModule(module)
    .filter((symbol) => {
      const named = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      return named.flags & ts.SymbolFlags.Value
    })
    .map(({ name }) => name)
    .sort()
}

describe.each([...entries])('%s', (name, targets) => {
  const file = name === manifest.name ? 'index' : name.slice(manifest.name.length + 1)

  it('has the file of its own name behind each way to import it', () => {
    expect(targets).toEqual({
      import: { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
      require: { types: `./dist/${file}.d.cts`, default: `./dist/${file}.cjs` },
    })
    for (const target of Object.values(targets).flatMap((paths) => Object.values(paths))) {
      expect(existsSync(join(installed, target))).toBe(true)
    }
  })

  it('has types for a TypeScript that does not read exports', () => {
    const options = { moduleResolution: ts.ModuleResolutionKind.Node10 }
    const { resolvedModule } = ts.resolveModuleName(name, join(folder, 'main.ts'), options, ts.sys)
    expect(realpathSync(resolvedModule?.resolvedFileName ?? '')).toBe(
      realpathSync(join(installed, `dist/${file}.d.cts`)),
    )
  })

  it('exports the same imported, required and declared', async () => {
    const imported = Object.keys(await import(pathToFileURL(join(installed, targets.import.default)).href)).sort()
    const required = Object.keys(createRequire(import.meta.url)(join(installed, targets.require.default))).sort()
    expect(imported).not.toEqual([])
    expect(required).toEqual(imported)
    expect(valuesDeclaredIn(join(installed, targets.import.types))).toEqual(imported)
    expect(valuesDeclaredIn(join(installed, targets.require.types))).toEqual(imported)
  })
})

describe('the core', () => {
  it('exports only these names', () => {
    const core = valuesDeclaredIn(join(installed, 'dist/index.d.ts'))
    expect(core).toEqual([
      'BodyError',
      'MemoryNonceStore',
      'NonceStoreError',
      'WebhookRejectedError',
      'generateSecret',
      'readBody',
      'receive',
      'refusal',
      'refuse',
      'sign',
      'verify',
      'withTimeout',
    ])
  })
})

describe('dist', () => {
  it('has nothing but entries, the declarations that they share, and programs', () => {
    const code = [...entries.values()].flatMap((targets) => Object.values(targets)).map((paths) => paths.default)
    const files = [
      ...code.map((path) => join(installed, path)),
      ...program.getSourceFiles().map(({ fileName }) => fileName),
      ...[...programs, 'workbench.html'].map((file) => join(installed, 'dist', file)),
    ]
    expect(readdirSync(join(installed, 'dist')).sort()).toEqual(files.map((path) => basename(path)).sort())
  })

  it('has one copy of what the command line shares with the entries', () => {
    const source = readFileSync(join(installed, 'dist/cli.js'), 'utf8')
    const loaded = source.match(/(?<=(?:from |import\()")\.\/[\w-]+\.js(?=")/g) ?? []
    expect([...new Set(loaded)].sort()).toEqual(['./diagnose.js', './index.js', './testing.js'])
  })
})

describe('package.json', () => {
  it('gives tools that do not read exports the core', () => {
    const core = entries.get(manifest.name)
    const { main, module, types } = manifest
    expect({ main, module, types }).toEqual({
      main: core?.require.default,
      module: core?.import.default,
      types: core?.require.types,
    })
  })

  it('runs programs that were built', () => {
    for (const program of programs) expect(existsSync(join(installed, 'dist', program))).toBe(true)
  })
})
