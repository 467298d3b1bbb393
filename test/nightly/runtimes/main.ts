import { createRequire } from 'node:module'
import process from 'node:process'
import type { SqliteNonceStore } from '../../../src/stores/sqlite.js'
import { outcomeOf } from './suite.js'

// Node, Bun and Deno: `main.js import NAME …` or `main.js require NAME …`.

const [how, ...names] = process.argv.slice(2)
const require = createRequire(import.meta.url)

async function load(name: string): Promise<[string, object]> {
  return [name, how === 'require' ? require(name) : await import(name)]
}

/** A database in memory, if the runtime has `node:sqlite`. */
async function openDatabase(): Promise<ConstructorParameters<typeof SqliteNonceStore>[0] | undefined> {
  const name = 'node:sqlite'
  try {
    const { DatabaseSync } = await import(name)
    return new DatabaseSync(':memory:')
  } catch {
    return undefined
  }
}

const loaded = new Map(await Promise.all(names.map(load)))
console.log(JSON.stringify(await outcomeOf(loaded, await openDatabase())))
