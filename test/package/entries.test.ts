import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { bundled } from '../support/bundled.js'
import { pathsBelow } from '../support/files.js'
import { entriesOf, ROOT, sharedInstall } from '../support/packed.js'

// Each entry of the package is exported, built per module format, typed and documented.

const folder = sharedInstall()
const installed = join(folder, 'node_modules/inbound-webhook-auth')
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const entries = entriesOf(folder)
const ofTools = entriesOf(folder, 'inbound-webhook-tools')
const allEntries = [...entries, ...ofTools]
/** Returns the path of a file of the package with this entry. */
const pathIn = (entry: string, file: string) => join(folder, 'node_modules', entry.replace(/\/.*/, ''), file)

it('every entry has a page that imports it', () => {
  const guides = pathsBelow(join(ROOT, 'docs')).map((path) => `docs/${path}`)
  const documents = ['README.md', ...guides]
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/site/'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n')
  expect(allEntries.map(([name]) => name).filter((name) => !new RegExp(`['\`]${name}['\`]`).test(documents))).toEqual(
    [],
  )
})

it('an entry of the library that is imported but not used adds nothing to a program', async () => {
  for (const name of entries.keys()) {
    const { minified } = await bundled(`import * as entry from '${name}'`, folder)
    expect([name, minified]).toEqual([name, 0])
  }
})

const declarations = allEntries.flatMap(([name, targets]) =>
  [targets.import, targets.require].map(({ types }) => pathIn(name, types)),
)
const program = ts.createProgram(declarations, { module: ts.ModuleKind.NodeNext, types: [], noLib: true })

const checker = program.getTypeChecker()

/** Returns the exports of a declaration file by name. They may be declared in another file. */
function exportsDeclaredIn(path: string): [name: string, symbol: ts.Symbol][] {
  const source = program.getSourceFile(path)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${path} is no module`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => [symbol.name, symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol])
}

/** Returns the names of exports. With `areValues`, only those that exist at run time, which types do not. */
function namesDeclaredIn(path: string, areValues: boolean): string[] {
  return exportsDeclaredIn(path)
    .filter(([, { flags }]) => !areValues || flags & ts.SymbolFlags.Value)
    .map(([name]) => name)
    .sort()
}

describe.each(allEntries)('%s', (name, targets) => {
  const [, file = 'index'] = name.split('/')

  it('has the file of its own name behind each way to import it', () => {
    expect(targets).toEqual({
      import: { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
      require: { types: `./dist/${file}.d.cts`, default: `./dist/${file}.cjs` },
    })
    for (const target of Object.values(targets).flatMap((paths) => Object.values(paths))) {
      expect(existsSync(pathIn(name, target))).toBe(true)
    }
  })

  it('has types for a TypeScript that does not read exports', () => {
    const options = { moduleResolution: ts.ModuleResolutionKind.Node10 }
    const { resolvedModule } = ts.resolveModuleName(name, join(folder, 'main.ts'), options, ts.sys)
    expect(realpathSync(resolvedModule?.resolvedFileName ?? '')).toBe(realpathSync(pathIn(name, `dist/${file}.d.cts`)))
  })

  it('exports the same imported, required and declared', async () => {
    const imported = Object.keys(await import(pathToFileURL(pathIn(name, targets.import.default)).href)).sort()
    const required = Object.keys(createRequire(import.meta.url)(pathIn(name, targets.require.default))).sort()
    expect(imported).not.toEqual([])
    expect(required).toEqual(imported)
    expect(namesDeclaredIn(pathIn(name, targets.import.types), true)).toEqual(imported)
    expect(namesDeclaredIn(pathIn(name, targets.require.types), true)).toEqual(imported)
  })
})

// The list is the one diff that shows a public name come or go.
it('the names of each entry are those of names.txt', async () => {
  const lines = allEntries.map(([entry, targets]) => {
    const path = pathIn(entry, targets.import.types)
    const values = namesDeclaredIn(path, true)
    const types = namesDeclaredIn(path, false).filter((one) => !values.includes(one))
    return {
      entry,
      names: [...values, ...types],
      text: `${entry}\n  ${values.join(' ')}\n  types: ${types.join(' ')}\n`,
    }
  })
  const names = new Set(lines.flatMap(({ entry, names }) => (entries.has(entry) ? names : [])))
  const text = [...lines.map((line) => line.text), `${names.size} names in the library\n`].join('\n')
  await expect(text).toMatchFileSnapshot('names.txt')
})

/** The guide whose table has the options of each exported type, those that it inherits included. */
const GUIDES: { readonly [type: string]: string } = {
  DynamoDBNonceStoreOptions: 'operate/dynamodb.md',
  EndpointContractOptions: 'receive/test-your-handler.md',
  MemoryNonceStoreOptions: 'operate/memory-sqlite.md',
  NonceStoreContractOptions: 'operate/your-own.md',
  ReadBodyOptions: 'receive/index.md',
  RedisNonceStoreOptions: 'operate/redis.md',
  RefusalOptions: 'reference/errors.md',
  SignMessageOptions: 'send/index.md',
  SignOptions: 'send/index.md',
  SqlNonceStoreOptions: 'operate/sql.md',
  SqlTransactionStoreOptions: 'operate/transactions.md',
  SqliteNonceStoreOptions: 'operate/memory-sqlite.md',
}

/** The exported types of options by name, and the names of their options. */
const OPTIONS = new Map(
  allEntries
    .flatMap(([name, targets]) => exportsDeclaredIn(pathIn(name, targets.import.types)))
    .filter(([name]) => name.endsWith('Options'))
    .map(([name, symbol]) => [
      name,
      checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).map(({ name }) => name),
    ]),
)

describe('the options of', () => {
  it('every type stand in a guide', () => {
    expect([...OPTIONS.keys()].sort()).toEqual(Object.keys(GUIDES))
  })

  it.each([...OPTIONS])('%s have a row each in the table of the guide', (type, options) => {
    const guide = readFileSync(join(ROOT, 'docs', GUIDES[type] ?? ''), 'utf8')
    expect(options.length).toBeGreaterThan(0)
    expect(options.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(guide))).toEqual([])
  })
})

describe('dist', () => {
  const dist = join(installed, 'dist')

  /** Returns the file names of modules, and of all modules that they load. */
  function loadedBy(files: readonly string[]): Set<string> {
    const loaded = new Set(files)
    for (const file of loaded) {
      const source = readFileSync(join(dist, file), 'utf8')
      for (const [, name = ''] of source.matchAll(/(?:\bfrom |\bimport |\b(?:require|import)\()"\.\/([\w.-]+)"/g)) {
        loaded.add(name)
      }
    }
    return loaded
  }

  it('has nothing but entries, and what they share', () => {
    const code = [...entries.values()]
      .flatMap((targets) => Object.values(targets))
      .map((paths) => basename(paths.default))
    const shared = program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(realpathSync(dist)))
      .map(({ fileName }) => basename(fileName))
    expect(loadedBy(code).size).toBeGreaterThan(code.length)
    expect(readdirSync(dist).sort()).toEqual([...loadedBy(code), ...shared].sort())
  })

  it.each(['js', 'cjs'])('has each class once in its .%s files, and loads only files of that format', (format) => {
    const files = readdirSync(dist).filter((file) => file.endsWith(`.${format}`))
    expect([...loadedBy(files)].sort()).toEqual(files.sort())
    const classes = files.flatMap((file) =>
      [...readFileSync(join(dist, file), 'utf8').matchAll(/\bclass (\w+)|\b(\w+) = class\b/g)].map(
        ([, declared, assigned]) => declared ?? assigned,
      ),
    )
    expect(classes).toContain('NonceStoreError')
    expect(classes.filter((name, index) => classes.indexOf(name) !== index)).toEqual([])
  })
})

describe('the contracts of the tools', () => {
  it.each([
    [
      'ES modules',
      'module',
      `import { MemoryNonceStore, verify } from 'inbound-webhook-auth'
      import { endpointContract, nonceStoreContract } from 'inbound-webhook-tools/testing'`,
    ],
    [
      'CommonJS, where `require` loads no ES module, as in Jest',
      'commonjs',
      `const { MemoryNonceStore, verify } = require('inbound-webhook-auth')
      const { endpointContract, nonceStoreContract } = require('inbound-webhook-tools/testing')`,
    ],
  ])('pass the library, and throw errors with a code: %s', (_, type, imports) => {
    const source = `${imports}
      const [nonceStore, secret] = [new MemoryNonceStore(), 'the signing secret of webhook 42']
      const post = async (headers, body) => {
        const { ok } = await verify({ webhookId: '42', headers, body }, secret, nonceStore)
        return { status: ok ? 204 : 401 }
      }
      const isFast = ({ name }) => !/TTL|expire|frees|replay-late/.test(name)
      const cases = [...nonceStoreContract(() => nonceStore), ...endpointContract({ secret, post })].filter(isFast)
      Promise.all(cases.slice(0, -1).map(({ run }) => run())).then(() => {
        try {
          nonceStoreContract(nonceStore)
        } catch (error) {
          console.log(cases.length > 60, error instanceof TypeError, error.code)
        }
      })`
    expect(run(type, source)).toBe('true true ERR_INVALID_ARGUMENT\n')
  })
})

/** Returns what a program in this format prints. `require` loads no ES module, as in Jest. */
function run(type: string, input: string): string {
  const flags = [`--input-type=${type}`, '--no-experimental-require-module']
  return execFileSync(process.execPath, flags, { cwd: folder, input, encoding: 'utf8' })
}

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
})
