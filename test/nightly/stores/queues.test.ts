import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { transformSync } from 'esbuild'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, removeProjects, sourceOf } from '../../docs/recipes/recipes.js'
import { isInstalled } from '../../support/programs.js'
import { send, signedHeaders } from '../../support/raw-client.js'
import { Server } from '../../support/server-process.js'
import { eventually, PostgresServer, postgresIsInstalled, RedisServer } from '../../support/servers.js'

// The recipes of docs/operate/queue.md and events.md, unchanged but for planned failures, with the real queues and servers.

const EVENTS = 200
/** So many events are sent at the same time. */
const WAVE = 20

const isReady = postgresIsInstalled() && isInstalled('redis-server')

let postgres: PostgresServer
let redis: RedisServer
beforeAll(async () => {
  if (!isReady) return
  postgres = await PostgresServer.start()
  redis = await RedisServer.start()
})
afterAll(async () => {
  await postgres?.stop()
  await redis?.stop()
  removeProjects()
})

function replaced(text: string, from: string, to: string): string {
  expect(text.split(from)).toHaveLength(2)
  return text.replace(from, () => to)
}

/** Makes one of seven calls fail, half of them before and half of them after the job was added. */
const FAILING = `
let calls = 0
const failing = async (...args) => {
  calls += 1
  if (calls % 14 === 7) throw new Error('planned, before')
  await addJob(...args)
  if (calls % 14 === 0) throw new Error('planned, after')
}`

/** Each tenth job fails at first. */
const SLOW_WORK = (data: string) => `
  if (${data}.id.endsWith('0') && !globalThis[${data}.id]) {
    globalThis[${data}.id] = true
    throw new Error('planned')
  }
  console.log('JOB ' + ${data}.id + '.')`

function compile(project: string, name: string, source: string): void {
  writeFileSync(join(project, name), transformSync(source, { loader: 'ts', target: 'node20' }).code)
}

/** Returns the expression that the slow work prints. */
function dataIn(slowWork: string): string {
  const [, data = ''] = /console\.log\((.+)\)/.exec(slowWork) ?? []
  return data
}

interface Recipe {
  /** The server, and what is replaced in it by a function that adds a job. */
  server: string
  work: string
  queue: string
  slowWork: string
  edit?: readonly [from: string, to: string]
}

/** Starts the server of one recipe with the queue of another. */
async function start({ server, work, queue, slowWork, edit }: Recipe): Promise<Server> {
  const project = createProject()
  const slow = replaced(sourceOf({ file: queue }), slowWork, SLOW_WORK(dataIn(slowWork)))
  compile(project, 'queue.mjs', edit ? replaced(slow, ...edit) : slow)
  compile(
    project,
    'server.mjs',
    `import { addJob } from './queue.mjs'${FAILING}\n${replaced(sourceOf({ file: server }), work, 'failing)\n')}`,
  )
  const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  return Server.start([process.execPath, 'server.mjs'], project, env)
}

/** Sends one event as three differently signed attempts at once, and again until one gets 2xx. */
async function deliver(port: number, id: string, times: number[]): Promise<void> {
  const body = Buffer.from(JSON.stringify({ id, type: 'invoice.paid' }))
  for (;;) {
    const answers = await Promise.all(
      [1, 2, 3].map(async () => {
        const start = performance.now()
        const answer = await send(port, { path: '/hooks/billing', headers: signedHeaders({ body }), body })
        if (answer.status === 204) times.push(performance.now() - start)
        return answer.status
      }),
    )
    if (answers.includes(204)) return
    await sleep(50)
  }
}

/** Returns how often each event's job ran. */
function jobsIn(output: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, id = ''] of output.matchAll(/^JOB (\S+)\.$/gm)) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

async function storm(server: Server): Promise<{ lost: number; doubled: number }> {
  const times: number[] = []
  const run = randomUUID()
  for (let first = 0; first < EVENTS; first += WAVE) {
    await Promise.all(
      Array.from({ length: WAVE }, (_, index) => deliver(server.port, `${run}_${first + index}`, times)),
    )
  }
  await eventually(() => expect(jobsIn(server.output).size).toBe(EVENTS)).catch(() => {})
  await sleep(3000)
  const jobs = jobsIn(server.output)
  const median = times.sort((one, other) => one - other)[Math.floor(times.length / 2)]
  console.log(`${times.length} responses of 204, median ${median?.toFixed(0)} ms`)
  return { lost: EVENTS - jobs.size, doubled: [...jobs.values()].filter((count) => count > 1).length }
}

const ONCE = { server: 'events/exactly-once.ts', work: 'work)\n' }
const GRAPHILE = {
  ...ONCE,
  queue: 'events/graphile-worker.ts',
  slowWork: 'console.log(event) // your slow work',
}
const BULLMQ = {
  server: 'express.ts',
  work: '({ body }) => {\n      console.log(body.toString()) // your code\n    })\n',
  queue: 'events/bullmq.ts',
  slowWork: 'console.log(data) // your slow work',
}
const PG_BOSS = { ...ONCE, queue: 'events/pg-boss.ts', slowWork: 'console.log(job?.data) // your slow work' }

describe.runIf(isReady)('the recipe for', () => {
  it.each([
    ['pg-boss', PG_BOSS],
    ['graphile-worker', GRAPHILE],
    ['BullMQ', BULLMQ],
  ])('%s loses and doubles no job', async (_, recipe) => {
    const server = await start(recipe)
    try {
      expect(await storm(server)).toEqual({ lost: 0, doubled: 0 })
      expect(server.output).toContain('planned, after')
    } finally {
      await server.stop()
    }
  })

  it('pg-boss doubles jobs that are added outside of the transaction, so this test can fail', async () => {
    const server = await start({ ...PG_BOSS, edit: [', { db })', ')'] })
    try {
      expect((await storm(server)).doubled).toBeGreaterThan(0)
    } finally {
      await server.stop()
    }
  })
})

/** The edits of docs/operate/events.md in the server. */
const EVENT_EDITS = [
  ["import express from 'express'", "import { parse, refuseEvent, updateInvoice } from './invoices.mjs'\n$&"],
  [
    '({ body }: { body: Buffer }): string => JSON.parse(body.toString()).id',
    '(webhook: { body: Buffer }) => parse(webhook).id',
  ],
  ['secret, store, work)', 'secret, store, updateInvoice)'],
  ['    refuse(response, error)', '    refuseEvent(response, error)'],
] as const

describe.runIf(isReady)('the recipe for events out of order', () => {
  let server: Server
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client(postgres.url)
    await client.connect()
    await client.query(
      'CREATE TABLE invoices (id text PRIMARY KEY, status text NOT NULL, event_at timestamptz NOT NULL)',
    )
    const project = createProject()
    compile(project, 'invoices.mjs', sourceOf({ file: 'events/invoices.ts' }))
    const edited = EVENT_EDITS.reduce(
      (text, [from, to]) => replaced(text, from, to.replace('$&', from)),
      sourceOf({ file: 'events/exactly-once.ts' }),
    )
    compile(project, 'server.mjs', edited)
    server = await Server.start([process.execPath, 'server.mjs'], project, { DATABASE_URL: postgres.url })
  })
  afterAll(async () => {
    await server?.stop()
    await client?.end()
  })

  async function post(event: object | string): Promise<number> {
    const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))
    return (await send(server.port, { path: '/hooks/billing', headers: signedHeaders({ body }), body })).status
  }

  /** Version 0 is the oldest. */
  const eventOf = (invoice: string, version: number) => ({
    id: randomUUID(),
    type: 'invoice.updated',
    created: new Date(Date.UTC(2026, 0, 1, 0, version)).toISOString(),
    data: { invoice, status: ['open', 'void', 'open', 'void', 'paid'][version] },
  })

  it('keeps the newest state of each of 200 invoices', async () => {
    const invoices = Array.from({ length: 200 }, () => randomUUID())
    const events = invoices
      .flatMap((invoice) => [0, 1, 2, 3, 4].map((version) => eventOf(invoice, version)))
      .map((event) => ({ event, order: Math.random() }))
      .sort((one, other) => one.order - other.order)
    for (let first = 0; first < events.length; first += WAVE) {
      const wave = events.slice(first, first + WAVE).map(async ({ event }) => {
        while ((await post(event)) !== 204) await sleep(50)
      })
      await Promise.all(wave)
    }
    const { rows } = await client.query('SELECT status, count(*)::int FROM invoices GROUP BY status')
    expect(rows).toEqual([{ status: 'paid', count: 200 }])
  })
})

it.runIf(postgresIsInstalled())('the table of webhooks is cached, and the last record survives an outage', async () => {
  const own = await PostgresServer.start()
  const project = createProject()
  const many = sourceOf({ file: 'many-webhooks.ts' })
  const table = replaced(sourceOf({ file: 'webhooks-table.ts' }), '+ 60_000', '+ 1000')
  compile(project, 'webhooks-table.mjs', table)
  const withoutFind = many.slice(0, many.indexOf('/** Replace this with a look-up'))
  compile(project, 'server.mjs', `import { findWebhook } from './webhooks-table.mjs'\n${withoutFind}`)
  const server = await Server.start([process.execPath, 'server.mjs'], project, { DATABASE_URL: own.url })
  const post = async (name: string, secret: string) => {
    const body = Buffer.from('{}')
    return (await send(server.port, { path: `/hooks/${name}`, headers: signedHeaders({ body, secret }), body })).status
  }
  try {
    const secrets = ['the first secret of this test', 'the second secret of this test']
    expect(await post('billing', secrets[0] as string)).toBe(401)
    await own.sql(`INSERT INTO webhooks (name, secrets) VALUES ('billing', '{${secrets[0]}}')`)
    expect(await post('Billing', secrets[0] as string)).toBe(204)
    await own.sql(`UPDATE webhooks SET secrets = '{${secrets[1]}}'`)
    expect(await post('billing', secrets[0] as string)).toBe(204)
    await sleep(1100)
    expect([await post('billing', secrets[0] as string), await post('billing', secrets[1] as string)]).toEqual([
      401, 204,
    ])
    // A server that is silent, and one that refuses connections.
    for (const [begin, end] of [
      [() => own.signal('SIGSTOP'), () => own.signal('SIGCONT')],
      [() => own.kill(), () => own.restart()],
    ] as const) {
      await begin()
      await sleep(1100)
      const statuses = [await post('billing', secrets[1] as string), await post('other', secrets[1] as string)]
      await end()
      expect(statuses).toEqual([204, 500])
    }
  } finally {
    await server.stop()
    await own.stop()
  }
})
