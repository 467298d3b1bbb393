import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RedisNonceStore } from '../../src/stores/redis/index.js'
import { SimulatedTime } from '../support/simulated-time.js'

let time: SimulatedTime
const warnings: unknown[][] = []
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
  warnings.length = 0
  vi.spyOn(process, 'emitWarning').mockImplementation((...args: unknown[]) => void warnings.push(args))
})
afterEach(() => {
  time.stop()
  vi.restoreAllMocks()
})

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** A store with a time-out of 1000 ms. Its server behaves as `respond` says. */
function open() {
  const server = { respond: (): Promise<unknown> => new Promise(() => {}) }
  const store = new RedisNonceStore({
    async sendCommand(args) {
      await server.respond()
      return `reserved ${args.at(-2)}`
    },
  })
  let nonce = 0
  const reserve = () => void store.reserve('42', `nonce ${nonce++}`, 600).catch(() => {})
  /** Sends one reservation per `interval` milliseconds. */
  async function load(milliseconds: number, interval = 1000): Promise<number> {
    for (const end = time.now + milliseconds; time.now < end; ) {
      reserve()
      await time.pass(interval)
    }
    return warnings.length
  }
  return { server, reserve, load }
}

describe('a database that does not respond', () => {
  it('is a warning with a code, 10 s after its first time-out', async () => {
    const { reserve, load } = open()
    // The first time-out comes after 1 s.
    await load(10_000)
    reserve()
    await time.pass(999)
    expect(warnings).toEqual([])
    await time.pass(1)
    expect(warnings).toEqual([
      [
        'No response from the database for 10 s. If the server works, this client cannot recover by itself. See node_modules/inbound-webhook-auth/docs/operate/failures.md',
        { type: 'WebhookWarning', code: 'NO_DATABASE_RESPONSE' },
      ],
    ])
  })

  it('is one warning per outage', async () => {
    const { server, load } = open()
    expect(await load(60_000)).toBe(1)
    const { respond } = server
    server.respond = async () => {}
    expect(await load(3000)).toBe(1)
    server.respond = respond
    expect(await load(10_000)).toBe(1)
    expect(await load(10_000)).toBe(2)
  })

  it('is no warning before three statements timed out', async () => {
    const { load } = open()
    expect(await load(12_000, 6000)).toBe(0)
    expect(await load(6000, 6000)).toBe(1)
  })

  it.each([
    ['pg', 'Query read timeout'],
    ['mysql2', 'Query inactivity timeout'],
  ])('counts each statement once if the client has the same time-out: %s', async (_, message) => {
    const { server, load } = open()
    server.respond = async () => {
      await pause(999)
      throw new Error(message)
    }
    expect(await load(10_000)).toBe(0)
    expect(await load(2000)).toBe(1)
    // Two statements within 20 s are two time-outs, not four, if the client gives up later than the store.
    const second = open()
    second.server.respond = () => pause(1500).then(() => Promise.reject(new Error(message)))
    expect(await second.load(20_000, 10_000)).toBe(1)
  })
})

describe('is no warning', () => {
  it('if one statement had a response meanwhile', async () => {
    const { server, load } = open()
    const { respond } = server
    for (let round = 0; round < 5; round++) {
      server.respond = respond
      expect(await load(9000)).toBe(0)
      server.respond = async () => {}
      // While the server is silent, the next statement is sent when the last one is given up, after 2 s.
      expect(await load(3000)).toBe(0)
    }
  })

  it('if the responses are late', async () => {
    const { server, load } = open()
    server.respond = () => pause(1500)
    expect(await load(60_000)).toBe(0)
  })

  it.each([
    ['a lock that the server waited for', Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205 })],
    ['no server', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ])('if the client answers with an error: %s', async (_, error) => {
    const { server, load } = open()
    server.respond = () => pause(900).then(() => Promise.reject(error))
    expect(await load(60_000)).toBe(0)
  })
})
