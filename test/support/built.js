import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Returns the path of a file of the build, such as `cli.js`. A test of an old build would pass although the source is wrong, so
 * it throws if a source is newer.
 *
 * @param {string} name
 * @param {string} [root]
 */
export function built(name, root = ROOT) {
  const file = join(root, 'dist', name)
  if (!existsSync(file)) throw new Error(`dist/${name} is missing. Run: npm run build`)
  const builtAt = statSync(file).mtimeMs
  const newer = sourcesOf(root).find((source) => statSync(join(root, source)).mtimeMs > builtAt)
  if (newer !== undefined) throw new Error(`dist/${name} is older than ${newer}. Run: npm run build`)
  return file
}

/** @param {string} root */
function sourcesOf(root) {
  const sources = ['src', 'tools/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  return ['package.json', 'tsup.config.ts', ...sources]
}
