import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a program that writes its argument to a file, as if it were `xdg-open`. Returns the file. */
export function createOpener(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\nprintf %s "$1" > '${path}.opened'\n`)
  chmodSync(path, 0o755)
  return `${path}.opened`
}
