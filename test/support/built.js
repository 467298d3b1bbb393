import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Returns the absolute path of a file of the build, such as `tools/dist/cli.js`. A test of an old build would pass although the source is
 * wrong, so it throws if a source is newer.
 *
 * @param {string} path
 * @param {string} [root]
 */
export function built(path, root = ROOT) {
  const file = join(root, path)
  if (!existsSync(file)) throw new Error(`${path} is missing. Run: npm run build`)
  const builtAt = statSync(file).mtimeMs
  const newer = sourcesOf(path, root).find((source) => statSync(join(root, source)).mtimeMs > builtAt)
  if (newer !== undefined) throw new Error(`${path} is older than ${newer}. Run: npm run build`)
  return file
}

/**
 * Returns the paths of what a file of the build is made of. The tools bundle parts of the library.
 *
 * @param {string} path
 * @param {string} root
 */
function sourcesOf(path, root) {
  const folders = path.startsWith('tools/') ? ['src', 'tools/src'] : ['src']
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  return ['package.json', 'tsup.config.ts', ...sources]
}
