import { execFileSync } from 'node:child_process'
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
    expect(namesDeclaredIn(join(installed, targets.import.types), true)).toEqual(imported)
    expect(namesDeclaredIn(join(installed, targets.require.types), true)).toEqual(imported)
  })
})

it('all entries together have at most 75 names', async () => {
  const lines = [...entries].map(([name, targets]) => {
    const path = join(installed, targets.import.types)
    const values = namesDeclaredIn(path, true)
    const types = namesDeclaredIn(path, false).filter((one) => !values.includes(one))
    return { names: [...values, ...types], text: `${name}\n  ${values.join(' ')}\n  types: ${types.join(' ')}\n` }
  })
  const names = new Set(lines.flatMap((line) => line.names))
  const text = [...lines.map((line) => line.text), `${names.size} names\n`].join('\n')
  await expect(text).toMatchFileSnapshot('names.txt')
  expect(names.size).toBeLessThanOrEqual(75)
})

/** The guide whose table has the options of each exported type, those that it inherits included. */
const GUIDES: { readonly [type: string]: string } = {
  ConnectOptions: 'operate/redis.md',
  ConnectPostgresOptions: 'operate/postgres.md',
  ConnectRedisOptions: 'operate/redis.md',
  ConnectSqlOptions: 'operate/mysql.md',
  DynamoDBNonceStoreOptions: 'operate/dynamodb.md',
  EndpointContractOptions: 'receive/test-your-handler.md',
  MemoryNonceStoreOptions: 'operate/memory-sqlite.md',
  NonceStoreContractOptions: 'operate/your-own.md',
  ReadBodyOptions: 'receive/index.md',
  RedisNonceStoreOptions: 'operate/redis.md',
  RefusalOptions: 'reference/errors.md',
  SignMessageOptions: 'send/index.md',
  SignOptions: 'send/index.md',
  SqlNonceStoreOptions: 'operate/postgres.md',
  SqlTransactionStoreOptions: 'operate/nothing-lost.md',
  SqliteNonceStoreOptions: 'operate/memory-sqlite.md',
}

/** What a connect function passes to the client. Users pass them on, and set none of them. */
const OF_CLIENTS = /^(Ioredis|Mariadb|Mysql2|NodeRedis|NodeRedisSocket|Pg|PostgresJs)Options$/

/** The exported types of options by name, and the names of their options. */
const OPTIONS = new Map(
  [...entries.values()]
    .flatMap((targets) => exportsDeclaredIn(join(installed, targets.import.types)))
    .filter(([name]) => name.endsWith('Options') && !OF_CLIENTS.test(name))
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
    const shared = program.getSourceFiles().map(({ fileName }) => basename(fileName))
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

  it.each([
    ['ES modules', `import { MAIN } from 'inbound-webhook-auth'\nimport { REDIS } from 'inbound-webhook-auth/redis'`],
    [
      'CommonJS',
      `const { MAIN } = require('inbound-webhook-auth')\nconst { REDIS } = require('inbound-webhook-auth/redis')`,
    ],
  ])('%s: an error of one entry is an instance of the class of another', (format, imports) => {
    const source = `${imports.replace('MAIN', 'NonceStoreError').replace('REDIS', 'connectIoredis')}
      const call = async () => { throw new Error('WRONGPASS') }
      const client = { status: 'ready', on() {}, connect: async () => {}, disconnect() {}, call }
      connectIoredis((options) => ({ ...options, ...client })).catch((error) => {
        console.log(error.message, error instanceof NonceStoreError)
      })`
    const type = format === 'CommonJS' ? 'commonjs' : 'module'
    const options = { cwd: folder, input: source, encoding: 'utf8' } as const
    expect(execFileSync(process.execPath, [`--input-type=${type}`], options)).toMatch(/password.* true\n$/)
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
})
