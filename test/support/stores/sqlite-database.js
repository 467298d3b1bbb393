// Opens a database file with what there is: better-sqlite3, else the running Node's own, else nothing.
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
