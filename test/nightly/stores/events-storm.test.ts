import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInstalled } from '../../support/programs.js'
import { temporaryFolder } from '../../support/servers.js'
import { Receiver, type SignedText, signed } from './receiver.js'
import { MARIADB, POSTGRES, REDIS } from './shared-stores.js'
import { sqliteOpener } from './sqlite-database.js'

// A sender signs each of 200 events twice, and sends both attempts at once to two processes, with a copy of each to the other process. A
// process is killed every 3 s, and a tenth of the work fails. Each attempt is repeated until its response is 2xx, or until it is 401, which
// senders take as final.

const EVENTS = 200
const PROGRAM = fileURLToPath(new URL('events-worker.js', import.meta.url))

/** How long after its effect a process can die, in milliseconds, so that the record of the effect was not written. */
const UNRECORDED = 1500

interface Effect {
  id: string
  pid: number
  at: number
}

const sqlite = {
  installed: isInstalled('better-sqlite3 or node:sqlite', sqliteOpener() !== undefined),
  start: async () => ({ url: join(temporaryFolder(), 'nonces.db'), stop: async () => {} }),
}

describe.each(
  [
    { client: 'redis', ...REDIS },
    { client: 'pg', ...POSTGRES },
    { client: 'mysql2', ...MARIADB },
    { client: 'sqlite', ...sqlite },
  ].filter(({ installed }) => installed),
)('a storm of events over $client', ({ client, start }) => {
  let server: { url: string; stop(): Promise<unknown> }
  const file = join(temporaryFolder(), 'effects')
  beforeAll(async () => {
    server = await start()
  })
  afterAll(async () => server?.stop())

  async function storm(mode: 'once' | 'again') {
    writeFileSync(file, '')
    const receivers = [0, 1].map(() => new Receiver(PROGRAM, [client, JSON.stringify(server.url), file, mode]))
    // The first process creates the table.
    for (const receiver of receivers) await receiver.start()
    let isOver = false
    const kills: { pid: number | undefined; at: number }[] = []
    const killing = (async () => {
      while (!isOver) {
        await sleep(3000)
        const receiver = receivers[kills.length % 2] as Receiver
        kills.push({ pid: receiver.pid, at: Date.now() })
        await receiver.kill()
        await receiver.start()
      }
    })()

    /** Repeats an attempt, and resolves to its last status. */
    async function repeat(attempt: SignedText, receiver: Receiver): Promise<number> {
      for (;;) {
        const status = await receiver.send(attempt)
        if (status === 204 || status === 401) return status
        await sleep(200 + Math.random() * 300)
      }
    }
    const results = new Map<string, number[]>()
    const ids = Array.from({ length: EVENTS }, () => randomUUID())
    await Promise.all(
      Array.from({ length: 10 }, async (_, sender) => {
        for (let index = sender; index < EVENTS; index += 10) {
          const id = ids[index] as string
          const attempts = [signed(id), signed(id)]
          const sent = attempts.flatMap((attempt) => receivers.map((receiver) => repeat(attempt, receiver)))
          results.set(id, await Promise.all(sent))
        }
      }),
    )
    isOver = true
    await killing
    for (const receiver of receivers) await receiver.kill()

    const effects: Effect[] = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const effectsOf = (id: string) => effects.filter((effect) => effect.id === id)
    const isExplained = ({ pid, at }: Effect) =>
      kills.some((kill) => kill.pid === pid && kill.at >= at - 50 && kill.at < at + UNRECORDED)
    const count = (condition: (statuses: number[], id: string) => boolean) =>
      [...results].filter(([id, statuses]) => condition(statuses, id)).length
    const summary = {
      acceptedWithoutEffect: count((statuses, id) => statuses.includes(204) && effectsOf(id).length === 0),
      refusedWithoutEffect: count((statuses, id) => statuses.includes(401) && effectsOf(id).length === 0),
      withoutAcceptance: count((statuses) => !statuses.includes(204)),
      // All effects but the last belong to a process that died before it recorded the effect.
      unexplainedDoubles: count((_, id) =>
        effectsOf(id)
          .slice(0, -1)
          .some((effect) => !isExplained(effect)),
      ),
    }
    const doubles = count((_, id) => effectsOf(id).length > 1)
    console.log(client, mode, { ...summary, doubles, kills: kills.length })
    return { ...summary, doubles }
  }

  it('loses no event, and repeats none without a kill', async () => {
    expect(await storm('once')).toMatchObject({
      acceptedWithoutEffect: 0,
      refusedWithoutEffect: 0,
      withoutAcceptance: 0,
      unexplainedDoubles: 0,
    })
  })

  it('repeats events without eventId', async () => {
    expect((await storm('again')).unexplainedDoubles).toBeGreaterThan(0)
  })
})
