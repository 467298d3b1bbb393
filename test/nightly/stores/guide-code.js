import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ROOT } from '../../support/packed.js'
import { BUILD } from '../packages/packages.js'

/**
 * Imports code of the guides: a copy of the file and its neighbours, below test/nightly/packages, where Node finds the packages.
 *
 * @param {string} path - relative to the root of the repository.
 * @returns {Promise<any>}
 */
export async function importGuideCode(path) {
  const folder = join(BUILD, randomUUID())
  cpSync(join(ROOT, dirname(path)), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'), 'junction')
  try {
    return await import(join(folder, basename(path)))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
