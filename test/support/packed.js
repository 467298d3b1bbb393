import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Packs what was built, and installs the tarball into an empty folder as a user does.
 *
 * @returns {string} the folder, which the caller removes.
 */
export function installPacked() {
  const folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))
  const [packed] = JSON.parse(npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename))
  return folder
}

/**
 * What is imported, and from which file by each way of importing it.
 *
 * @typedef {{ types: string, default: string }} Target
 * @param {string} folder - where the package is installed.
 * @returns {Map<string, { import: Target, require: Target }>} by name: `inbound-webhook-auth/redis`
 */
export function entriesOf(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/inbound-webhook-auth/package.json'), 'utf8'))
  const { './package.json': _, ...entries } = manifest.exports
  return new Map(Object.entries(entries).map(([subpath, targets]) => [`${manifest.name}${subpath.slice(1)}`, targets]))
}

/**
 * @param {string} cwd
 * @param {string[]} args
 */
function npm(cwd, ...args) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
