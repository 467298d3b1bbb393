import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathsBelow } from '../support/files.js'
import { ROOT } from '../support/packed.js'

/** The guide whose table has the options of each exported type. */
const GUIDES: { readonly [type: string]: string } = {
  ConnectOptions: 'operate/redis.md',
  ConnectPostgresOptions: 'operate/postgres.md',
  ConnectRedisOptions: 'operate/redis.md',
  ConnectSqlOptions: 'operate/mysql.md',
  DynamoDBNonceStoreOptions: 'operate/dynamodb.md',
  MemoryNonceStoreOptions: 'operate/memory.md',
  MySqlNonceStoreOptions: 'operate/mysql.md',
  NonceStoreContractOptions: 'operate/your-own.md',
  PostgresNonceStoreOptions: 'operate/postgres.md',
  ReadBodyOptions: 'receive/index.md',
  RedisNonceStoreOptions: 'operate/redis.md',
  SignOptions: 'send/node.md',
  SqliteNonceStoreOptions: 'operate/sqlite.md',
}

/** What a connect function passes to the client. Users pass them on, and set none of them. */
const OF_CLIENTS = /^(Ioredis|Mariadb|Mysql2|NodeRedis|NodeRedisSocket|Pg|PostgresJs)Options$/

/** The exported types of options, and the names of their own options. */
const TYPES = pathsBelow(join(ROOT, 'src'))
  .filter((file) => file.endsWith('.ts') && (!file.startsWith('tools/') || file.startsWith('tools/diagnose/')))
  .flatMap((file) => {
    const source = readFileSync(join(ROOT, 'src', file), 'utf8')
    const interfaces = source.matchAll(/^export interface (\w+Options)\b.*\{\n([\s\S]*?)^\}/gm)
    return Array.from(interfaces, ([, type = '', members = '']) => ({
      type,
      options: Array.from(members.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:]/gm), ([, name = '']) => name),
    }))
  })
  .filter(({ type }) => !OF_CLIENTS.test(type))

describe('the options of', () => {
  it('every type stand in a guide', () => {
    expect(TYPES.map(({ type }) => type).sort()).toEqual(Object.keys(GUIDES))
  })

  it.each(TYPES)('$type have a row each in the table of the guide', ({ type, options }) => {
    const guide = readFileSync(join(ROOT, 'docs', GUIDES[type] ?? ''), 'utf8')
    expect(options.length).toBeGreaterThan(0)
    expect(options.filter((name) => !new RegExp(`^\\| \`${name}\\b`, 'm').test(guide))).toEqual([])
  })
})
