import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { prepare, restore } from '../../docs/generate/packed-links.js'
import { built, ROOT } from './built.js'

export { ROOT }

/**
 * The program `npm`, with its first arguments. On Windows it is a script, which needs a shell, so Node runs its source there.
 *
 * @type {readonly [string, ...string[]]}
 */
export const NPM =
  process.platform === 'win32'
    ? [process.execPath, join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js')]
    : ['npm']

/** The packages of this repository. */
export const PACKAGES = ['inbound-webhook-auth', 'inbound-webhook-tools']

/** Their folders. */
const FOLDERS = ['.', 'tools']

/**
 * Installs the tarballs of both packages into an empty folder, as a user does. `PACKAGE.tgz` in the folder is the tarball of a package.
 *
 * It packs what is built. A release tests the very tarballs that it publishes: `PACKAGE_TARBALLS` is the path of their folder.
 *
 * @returns {string} the folder. The caller removes it.
 */
export function installPacked() {
  const folder = mkdtempSync(join(tmpdir(), 'inbound-webhook-auth-'))
  const tarballs = process.env['PACKAGE_TARBALLS'] ?? folder
  if (tarballs === folder) packInto(folder)
  else for (const name of PACKAGES) copyFileSync(join(tarballs, `${name}.tgz`), join(folder, `${name}.tgz`))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', ...PACKAGES.map((name) => `./${name}.tgz`))
  return folder
}

/** @param {string} folder */
function packInto(folder) {
  for (const path of ['dist/index.js', 'tools/dist/index.js']) built(path)
  const options = [
    ...['--workspaces', '--include-workspace-root', '--ignore-scripts', '--json', '--pack-destination', folder],
  ]
  try {
    for (const path of FOLDERS) prepare(path)
    for (const { name, filename } of JSON.parse(npm(ROOT, 'pack', ...options))) {
      renameSync(join(folder, filename), join(folder, `${name}.tgz`))
    }
  } finally {
    for (const path of FOLDERS) restore(path)
  }
}

/**
 * The folder that the global setup of this test run made with {@link installPacked}. All tests share it: write to a
 * folder of {@link createProject} instead.
 */
export function sharedInstall() {
  const folder = process.env['PACKED_INSTALL']
  if (folder === undefined) throw new Error('No packed install. Add packed-install.ts to globalSetup of this project.')
  return folder
}

/**
 * A new folder inside the shared install, so that Node and TypeScript find the package in `node_modules` above it. The run
 * removes it with the install.
 */
export function createProject() {
  return mkdtempSync(join(sharedInstall(), 'project-'))
}

/**
 * The entries of an installed package that have both module formats, by import name, such as `inbound-webhook-auth/redis`.
 *
 * @typedef {{ types: string, default: string }} Target
 * @param {string} folder - where the package is installed.
 * @param {string} name - the name of the package.
 * @returns {Map<string, { import: Target, require: Target }>} the files behind `import` and `require`.
 */
export function entriesOf(folder, name = 'inbound-webhook-auth') {
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  const entries = Object.entries(manifest.exports).filter(([, targets]) => targets.require)
  return new Map(entries.map(([subpath, targets]) => [`${name}${subpath.slice(1)}`, targets]))
}

/**
 * @param {string} cwd
 * @param {string[]} args
 */
function npm(cwd, ...args) {
  const [program, ...first] = NPM
  return execFileSync(program, [...first, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
