import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/packed.js'

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

/** The exported types of options, and the names of their options. */
const TYPES = exportedOptions().filter(([type]) => !OF_CLIENTS.test(type))

describe('the options of', () => {
  it('every type stand in a guide', () => {
    expect(TYPES.map(([type]) => type)).toEqual(Object.keys(GUIDES))
  })

  it.each(TYPES)('%s have a row each in the table of the guide', (type, options) => {
    const guide = readFileSync(join(ROOT, 'docs', GUIDES[type] ?? ''), 'utf8')
    expect(options.length).toBeGreaterThan(0)
    expect(options.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(guide))).toEqual([])
  })
})

/** Returns each type that an entry of the package exports and whose name ends with `Options`, sorted by name. */
function exportedOptions(): [type: string, options: string[]][] {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'src/tsconfig.json'), 'utf8'))
  const entries: string[] = files.map((file: string) => join(ROOT, 'src', file))
  // Only names are read, so the types of the language and of Node are not loaded.
  const program = ts.createProgram(entries, { module: ts.ModuleKind.NodeNext, noLib: true, types: [] })
  const checker = program.getTypeChecker()
  const types = entries.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol
    return checker.getExportsOfModule(module).filter(({ name }) => name.endsWith('Options'))
  })
  const optionsOf = (symbol: ts.Symbol) => {
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared)).map(({ name }) => name)
  }
  return [...new Map(types.map((symbol) => [symbol.name, optionsOf(symbol)]))].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )
}
