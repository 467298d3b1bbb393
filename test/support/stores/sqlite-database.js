// Opens a database file with better-sqlite3 or `node:sqlite`, if one of them is installed.
import { createRequire } from 'node:module'

const load = createRequire(new URL('../../integration/package.json', import.meta.url))

/** @returns {((path: string) => any) | undefined} */
export function sqliteOpener() {
  try {
    const Database = load('better-sqlite3')
    return (path) => new Database(path)
  } catch {}
  try {
    const { DatabaseSync } = load('node:sqlite')
    return (path) => new DatabaseSync(path)
  } catch {}
  return undefined
}
