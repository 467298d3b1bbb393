// The packages that are installed in this folder, not in the root.
import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this file. */
export const FULL = fileURLToPath(new URL('./', import.meta.url))

export const PACKAGES = join(FULL, 'node_modules')

/** A folder for what the tests write. Node and TypeScript find the packages above it. */
export const BUILD = join(FULL, 'build')

/** Loads a package of this folder. */
export const requirePackage = createRequire(import.meta.url)

/**
 * Imports a package of this folder.
 *
 * @param {string} name
 * @returns {Promise<any>}
 */
export function importPackage(name) {
  return import(name)
}

/** @param {string} name - the name of a package. */
export function hasPackage(name) {
  return existsSync(join(PACKAGES, name))
}

/** Installs the packages, unless those of the lock file are installed. */
export function installPackages() {
  const installed = join(PACKAGES, '.package-lock.json')
  const lock = join(FULL, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  console.log('Installing the packages of test/nightly/packages: 2 GB in about three minutes.')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FULL, stdio: ['ignore', 'ignore', 'inherit'] })
}
