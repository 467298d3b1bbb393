import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The entries of the package, from the `exports` of package.json, which are the only list of them.

const ROOT = new URL('../../', import.meta.url)

/** The source of each entry by the name of its file in `dist`, such as `redis`. The build and the reference use it. */
export const SOURCES = Object.fromEntries(
  Object.keys(JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => subpath.slice(2) || 'index')
    .map((name) => [name, sourceOf(name)]),
)

/** @param {string} name */
function sourceOf(name) {
  const sources = [`src/${name}.ts`, `src/stores/${name}.ts`, `src/${name}/index.ts`]
  const source = sources.find((path) => existsSync(fileURLToPath(new URL(path, ROOT))))
  if (source === undefined) throw new Error(`package.json exports ${name}, but there is none of ${sources.join(', ')}`)
  return source
}
