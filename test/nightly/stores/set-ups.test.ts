import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../support/packed.js'
import { isInstalled } from '../../support/programs.js'
import { eventually } from '../../support/servers.js'
import { STRICT } from '../../support/strict.js'
import { BUILD, hasPackage, PACKAGES } from '../packages/packages.js'
import { openGuide } from './guides.js'
import { type Server, STORES } from './shared-stores.js'

// The lines of the guides, with the current versions of the clients and those before them.

const STORE_FILES = join(ROOT, 'docs/stores')
const FILES = readdirSync(STORE_FILES).filter((file) => /\.ts$|^dynamodb(-shared)?\.js$/.test(file))
const textOf = (file: string) => readFileSync(join(STORE_FILES, file), 'utf8')

/** The major version before the current one of each client. Before version 3, postgres.js had no types and other functions. */
const OLDER = ['redis-5', 'ioredis-5', 'pg-7', 'mysql2-2', 'mariadb-2']
/** With Node 14 or later, version 7 of pg never connects. */
const CONNECTING = OLDER.filter((name) => name !== 'pg-7')
const nameOf = (older: string) => older.replace(/-\d$/, '')

describe.runIf(isInstalled('older clients', [...OLDER, '@aws-sdk/client-dynamodb'].every(hasPackage)))('types', () => {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it.each([
    ['current', []],
    ['older', OLDER],
  ] as const)('fit, under strict TypeScript: the %s clients', async (_, older) => {
    const folder = join(BUILD, randomUUID())
    folders.push(folder)
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
    symlinkSync(ROOT, join(folder, 'node_modules/inbound-webhook-auth'))
    for (const name of older) {
      // The types of pg are a package of their own.
      const path = hasPackage(`@types/${name}`) ? `@types/${name}` : name
      symlinkSync(join(PACKAGES, path), join(folder, 'node_modules', path.replace(name, nameOf(name))))
    }
    for (const file of FILES) writeFileSync(join(folder, file.replace(/\.[jt]s$/, '.mts')), textOf(file))
    const compilerOptions = { ...STRICT, module: 'nodenext', types: ['node'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }))
    const tsc = promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: folder })
    expect((await tsc.catch((error: { stdout: string }) => error)).stdout).toBe('')
  })
})

describe.concurrent.each(STORES.filter(({ installed }) => installed))('$store', ({ files, start }) => {
  let servers: Server[]
  let address: unknown
  beforeAll(async () => {
    ;({ servers, address } = await start())
  })
  afterAll(() => Promise.all(servers.map((server) => server.stop())))

  const rows = files.flatMap((file) => {
    const older = CONNECTING.filter((name) => hasPackage(name) && textOf(file).includes(` from '${nameOf(name)}`))
    return [
      { file, edits: {} },
      ...older.map((name) => ({ file, edits: { [` from '${nameOf(name)}`]: ` from '${name}` } })),
    ]
  })

  it.each(rows)('$file accepts a nonce once, with $edits', async ({ file, edits }) => {
    // The first call is slow on a machine under load.
    const { nonceStore, close } = await eventually(() => openGuide(file, address, edits))
    const nonce = randomUUID()
    expect(await nonceStore.reserve('42', nonce, 600)).toBe(true)
    expect(await nonceStore.reserve('42', nonce, 600)).toBe(false)
    await close()
  })
})

it('runs every file', () => {
  expect(STORES.flatMap(({ files }) => files).sort()).toEqual(FILES.toSorted())
})
