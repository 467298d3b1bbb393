import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { built } from './built.js'

const root = mkdtempSync(join(tmpdir(), 'built-'))
afterAll(() => rmSync(root, { recursive: true }))

/** Writes a file that was last changed at this second. */
function write(path: string, second: number): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), '')
  utimesSync(join(root, path), second, second)
}

beforeEach(() => {
  for (const path of ['package.json', 'tsup.config.ts', 'src/stores/sqlite.ts', 'tools/src/text.ts']) write(path, 1000)
  for (const folder of ['src/stores', 'tools/src']) utimesSync(join(root, folder), 1000, 1000)
  write('dist/redis.js', 2000)
})

it('finds a file of a build that is newer than all sources', () => {
  expect(built('redis.js', root)).toBe(join(root, 'dist/redis.js'))
})

it.each(['package.json', 'tsup.config.ts', 'src/stores/sqlite.ts', 'tools/src/text.ts'])(
  'refuses a build that is older than %s',
  (path) => {
    write(path, 2001)
    expect(() => built('redis.js', root)).toThrow(`dist/redis.js is older than ${path}. Run: npm run build`)
  },
)

it('refuses a build that is missing', () => {
  expect(() => built('mysql.js', root)).toThrow('dist/mysql.js is missing. Run: npm run build')
})
