import { readdirSync } from 'node:fs'
import { sep } from 'node:path'

/** Returns the paths of all files and folders below a folder, relative to it. They have `/` on Windows too. */
export function pathsBelow(folder: string | URL): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll(sep, '/'))
}
