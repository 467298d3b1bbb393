import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NonceStore } from '../../../src/index.js'
import { nonceStoreContract } from '../../../tools/src/testing/index.js'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { send } from '../../support/raw-client.js'
import { Server } from '../../support/server-process.js'
import { bundleWorker } from './recipes.js'

// Runs the contract of every nonce store on the Durable Object of the recipe, through the recipe's own line.

const ASKED_FROM_OUTSIDE = `
export default {
  async fetch(request) {
    if (request.method !== 'POST') return new Response()
    const [method, webhookId, ...args] = await request.json()
    if (method in nonceStore) return Response.json((await nonceStore[method](webhookId, ...args)) ?? null)
    return Response.json(await nonces.getByName(webhookId)[method](...args))
  },
}`

/** More methods for the object. */
const METHODS = `
  fill(rows) {
    this.#sql.exec(\`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO nonces SELECT 'expired ' || i, 0, NULL FROM n\`, rows)
  }
  count() {
    return this.#sql.exec('SELECT count(*) AS n FROM nonces').one().n
  }
  /** Calls the object with a fixed time. */
  at(call) {
    const { now } = Date
    const time = now()
    Date.now = () => time
    try {
      return call(time)
    } finally {
      Date.now = now
    }
  }
  millisecondsKept(key, ttlSeconds) {
    return this.at((time) => {
      this.reserve(key, ttlSeconds)
      return this.#sql.exec('SELECT expires_at AS at FROM nonces WHERE key = ?', key).one().at - time
    })
  }
  isFree(key, millisecondsAfterExpiry) {
    return this.at((time) => {
      this.#sql.exec('INSERT INTO nonces VALUES (?, ?, NULL)', key, time - millisecondsAfterExpiry)
      return this.reserve(key, 600)
    })
  }
`

describe('the Durable Object', () => {
  let server: Server
  beforeAll(async () => {
    const project = createProject()
    const nonces = sourceOf({ file: 'webhook-nonces.ts' }).replace('extends DurableObject {', `$&${METHODS}`)
    const worker = sourceOf({ file: 'worker.ts' }).replace('export default', 'export const recipe =')
    const source = worker.concat(ASKED_FROM_OUTSIDE)
    server = await Server.start(bundleWorker(project, source, nonces), project)
  })
  afterAll(async () => {
    await server?.stop()
    removeProjects()
  })

  async function ask(...asked: unknown[]): Promise<string> {
    const body = Buffer.from(JSON.stringify(asked))
    const { status, text } = await send(server.port, { path: '/', headers: [], body })
    if (status !== 200) throw new Error(text)
    return text
  }

  const store: NonceStore = {
    async reserve(...asked) {
      return (await ask('reserve', ...asked)) === 'true'
    },
    async release(...asked) {
      await ask('release', ...asked)
    },
  }

  for (const { name, run } of nonceStoreContract(() => store)) it.concurrent(name, run)

  it('keeps a key for one millisecond more than its TTL', async () => {
    expect(await ask('millisecondsKept', 'exact', 'kept', 600)).toBe('600001')
    expect(await ask('isFree', 'exact', 'just expiring', 0)).toBe('false')
    expect(await ask('isFree', 'exact', 'just expired', 1)).toBe('true')
  })

  it('deletes at most 10 of 500 000 expired rows per reservation', async () => {
    await ask('fill', 'full', 500_000)
    expect(await store.reserve('full', 'new', 600)).toBe(true)
    expect(Number(await ask('count', 'full'))).toBe(500_000 - 10 + 1)
    expect(await store.reserve('full', 'new', 600)).toBe(false)
  })

  it('reserves a key only once although its expired row is still there', async () => {
    await ask('fill', 'left over', 100)
    const keys = [1, 50, 100].map((row) => `expired ${row}`)
    const reserve = () => Promise.all(keys.map((key) => store.reserve('left over', key, 600)))
    expect(await reserve()).toEqual([true, true, true])
    expect(await reserve()).toEqual([false, false, false])
  })
})
