import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// npm packs only some files of the repository. Before npm packs a folder, `node docs/generate/packed-links.js` rewrites the links to the
// other files. Afterwards, `--restore` writes the documents back.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** @param {string} name - the name of a package. */
const backupOf = (name) => join(ROOT, 'node_modules/.packed-links', name)

/**
 * Returns a document in which each link leads to a packed file, to the web, or to an anchor of the document. A link to another file of the
 * repository leads to the repository on the web. Without its address, only the text of the link is left.
 *
 * @param {string} path - the path of the document in its package.
 * @param {string} text
 * @param {ReadonlySet<string>} packed - the paths of all packed files.
 * @param {((path: string) => string) | undefined} addressOf - returns the address on the web of a path in the package.
 */
export function rewriteLinks(path, text, packed, addressOf) {
  // Code blocks have no links.
  const pieces = text.split(/^(```[\s\S]*?^```.*$)/m)
  return pieces
    .map((piece, index) =>
      index % 2 === 1
        ? piece
        : piece.replace(
            /!?\[([^[\]]*)\]\((?![a-z]+:|#)([^()\s#]+)(#[^()\s]*)?\)/g,
            (link, label, target, anchor = '') => {
              const file = posix.join(posix.dirname(path), target).replace(/\/$/, '')
              if ([...packed].some((name) => name === file || name.startsWith(`${file}/`))) return link
              return addressOf ? `[${label}](${addressOf(file)}${anchor})` : label
            },
          ),
    )
    .join('')
}

/**
 * Rewrites the documents of a package.
 *
 * @param {string} folder - the path of the package in the repository.
 */
export function prepare(folder) {
  restore(folder)
  const { name, version, repository } = manifestOf(folder)
  const options = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [{ files }] = JSON.parse(
    execFileSync('npm', options, { cwd: join(ROOT, folder), encoding: 'utf8', shell: process.platform === 'win32' }),
  )
  const packed = new Set(files.map((/** @type {{ path: string }} */ { path }) => path))
  const base = repository && `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}`
  // The build copies guides into the folder of the tools.
  const pathOf = (/** @type {string} */ path) => posix.join(folder, path).replace(/^tools\/docs\//, 'docs/')
  const addressOf = base && ((/** @type {string} */ path) => `${base}/${pathOf(path)}`)
  for (const path of packed) {
    if (!path.endsWith('.md')) continue
    const file = join(ROOT, folder, path)
    const backup = join(backupOf(name), path)
    mkdirSync(dirname(backup), { recursive: true })
    cpSync(file, backup)
    writeFileSync(file, rewriteLinks(path, readFileSync(file, 'utf8'), packed, addressOf))
  }
}

/**
 * Writes the documents of a package back as they were.
 *
 * @param {string} folder - the path of the package in the repository.
 */
export function restore(folder) {
  const backup = backupOf(manifestOf(folder).name)
  if (!existsSync(backup)) return
  cpSync(backup, join(ROOT, folder), { recursive: true })
  rmSync(backup, { recursive: true })
}

/** @param {string} folder */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = '.', option] = process.argv.slice(2)
  if (option === '--restore') restore(folder)
  else prepare(folder)
}
