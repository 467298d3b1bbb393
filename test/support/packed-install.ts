import { rmSync } from 'node:fs'
import { installPacked } from './packed.js'

// A global setup of vitest: packs and installs the package once per run, for all projects and files that need it.

export function setup(): void {
  // Another project of this run may have made it.
  if (process.env['PACKED_INSTALL'] !== undefined) return
  const folder = installPacked()
  process.env['PACKED_INSTALL'] = folder
  // This is not a teardown, so that an interrupted run removes the folder too.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}
