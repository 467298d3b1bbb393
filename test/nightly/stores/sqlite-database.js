// Opens a database file with better-sqlite3 or `node:sqlite`, if one of them is installed.
import { requirePackage } from '../packages/packages.js'

/** @returns {((path: string) => any) | undefined} */
export function sqliteOpener() {
  try {
    const Database = requirePackage('better-sqlite3')
    return (path) => new Database(path)
  } catch {}
  try {
    const { DatabaseSync } = requirePackage('node:sqlite')
    return (path) => new DatabaseSync(path)
  } catch {}
  return undefined
}
