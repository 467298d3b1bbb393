// Imports code of the guides. Its packages are installed only in test/integration.
import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { ROOT } from './packed.js'

const INTEGRATION = join(ROOT, 'test/integration')

/** Loads a package of test/integration. */
export const requireIntegration = createRequire(join(INTEGRATION, 'package.json'))

/** @param {string} name - the name of a package. */
export function isInIntegration(name) {
  return existsSync(join(INTEGRATION, 'node_modules', name))
}

/**
 * Imports a copy of the file and its neighbours, below test/integration, where Node finds the packages.
 *
 * @param {string} path - relative to the root of the repository.
 * @returns {Promise<any>}
 */
export async function importGuideCode(path) {
  const folder = join(INTEGRATION, 'build', randomUUID())
  cpSync(join(ROOT, dirname(path)), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'), 'junction')
  try {
    return await import(join(folder, basename(path)))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
