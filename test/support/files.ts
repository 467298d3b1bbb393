import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the paths of all files below a folder, relative to it, without installed packages. They have `/` on Windows too. */
export function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [entry.name]
    if (entry.name === 'node_modules') return []
    return pathsBelow(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
  })
}
