import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

// Folders that take seconds to create, such as the data of an empty database. All threads of a process share them.

const FOLDER = join(tmpdir(), `nonce-store-prepared-${process.pid}`)
const created = new Map<string, Promise<string>>()

/** A global setup of vitest: the threads of a run cannot remove what they share. */
export function setup(): void {
  process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))
}
if (isMainThread) setup()

/**
 * Returns a folder with what `create` writes into it. Copy it, and do not change it.
 *
 * @param name - what is in the folder. The first call for a name creates it.
 */
export function prepared(name: string, create: (folder: string) => Promise<void>): Promise<string> {
  const known = created.get(name) ?? createOnce(name, create)
  created.set(name, known)
  return known
}

async function createOnce(name: string, create: (folder: string) => Promise<void>): Promise<string> {
  await mkdir(FOLDER, { recursive: true })
  const own = await mkdtemp(join(FOLDER, 'new-'))
  // A server runs as a user of its own.
  await chmod(own, 0o777)
  await create(own)
  const shared = join(FOLDER, name)
  // Another thread may have created it meanwhile.
  await rename(own, shared).catch(() => rm(own, { recursive: true }))
  return shared
}
