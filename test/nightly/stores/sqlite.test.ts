import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { SqliteNonceStore } from '../../../src/stores/sqlite.js'
import { nonceStoreContract } from '../../../tools/src/testing/index.js'
import { isInstalled } from '../../support/programs.js'
import { temporaryFolder } from '../../support/servers.js'
import { type LoadRequest, newRequest, send } from '../../support/stores/load.js'
import { sqliteOpener } from './sqlite-database.js'
import { startWorker } from './workers.js'

const opener = sqliteOpener()

describe.runIf(isInstalled('better-sqlite3 or node:sqlite', opener !== undefined))('a database file', () => {
  const folder = temporaryFolder()
  let files = 0
  const newPath = () => join(folder, `${files++}.db`)
  const open = (path: string) => {
    if (opener === undefined) throw new Error('no SQLite')
    return opener(path)
  }
  const newFile = () => {
    const path = newPath()
    const database = open(path)
    new SqliteNonceStore(database)
    database.close()
    return path
  }
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const shared = newPath()
  it.concurrent.each(nonceStoreContract(() => new SqliteNonceStore(open(shared))))('$name', ({ run }) => run())

  it('is in WAL mode, and outlives its process', () => {
    const path = newPath()
    const first = open(path)
    new SqliteNonceStore(first).reserve('42', 'nonce', 600)
    expect(first.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(first.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
    first.close()
    expect(new SqliteNonceStore(open(path)).reserve('42', 'nonce', 600)).toBe(false)
  })

  it('is opened by eight processes at once, many times', async () => {
    for (let round = 0; round < 5; round++) {
      const path = newPath()
      const workers = Array.from({ length: 8 }, () => startWorker('sqlite', path, 'open'))
      const codes = await Promise.all(workers.map((worker) => once(worker, 'exit')))
      expect(codes.map(([code]) => code)).toEqual(Array(8).fill(0))
    }
  })

  it('of a process that is killed while it writes keeps all confirmed nonces', async () => {
    const path = newPath()
    const worker = startWorker('sqlite', path, 'reserve')
    onTestFinished(() => void worker.kill('SIGKILL'))
    let printed = ''
    worker.stdout.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk
    })
    // Each reservation waits for the disk, which may be slow.
    while (printed.split('\n').length < 120) await sleep(5)
    worker.kill('SIGKILL')
    await once(worker.stdout, 'close')
    const confirmed = printed.split('\n').slice(0, -1)
    const store = new SqliteNonceStore(open(path))
    expect(confirmed.filter((nonce) => store.reserve('42', nonce, 600))).toEqual([])
    expect(confirmed.length).toBeGreaterThan(100)
  })

  it('that may not grow throws, and works again when there is room', async () => {
    const path = newPath()
    const database = open(path)
    const store = new SqliteNonceStore(database)
    database.exec('PRAGMA max_page_count = 10')
    const accepted = await sendUntilFull(store)
    database.exec('PRAGMA max_page_count = 1000000')
    expect(await send(newRequest(), store)).toBe('accepted')
    for (const request of accepted) expect(await send(request, store)).toBe('replayed_nonce')
  })

  it.each([
    ['removed', (path: string) => rmSync(path)],
    [
      'replaced',
      (path: string) => {
        // SQLite would read the log of the old file into the new one.
        for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`)
        renameSync(newFile(), path)
      },
    ],
  ])('that was %s while it is open: an error, so that no other process accepts the request too', async (_, act) => {
    const path = newPath()
    const store = new SqliteNonceStore(open(path))
    expect(await send(newRequest(), store)).toBe('accepted')
    act(path)
    const request = newRequest()
    expect(await send(request, store)).toBe('ERR_NONCE_STORE')
    expect(() => store.reserve('42', 'another nonce', 600)).toThrow(/was removed or replaced\. Restart/)
    expect(await send(request, new SqliteNonceStore(open(path)))).toBe('accepted')
  })

  it('that is opened for reading only is refused at once', () => {
    const path = newPath()
    const writer = open(path)
    new SqliteNonceStore(writer)
    const reader = open(path)
    reader.exec('PRAGMA query_only = ON')
    expect(() => new SqliteNonceStore(reader)).toThrow(/readonly/)
  })
})

/** Sends new requests until the store fails. Returns the requests that were accepted before. */
async function sendUntilFull(store: SqliteNonceStore): Promise<LoadRequest[]> {
  const accepted: LoadRequest[] = []
  for (;;) {
    const request = newRequest()
    const outcome = await send(request, store)
    if (outcome !== 'accepted') {
      expect(outcome).toBe('ERR_NONCE_STORE')
      return accepted
    }
    accepted.push(request)
  }
}
