import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Driver, ReconnectingClient } from '../../../src/stores/connect/reconnecting-client.js'
import { SimulatedTime } from '../../support/simulated-time.js'

// The clients are fakes, because a real one cannot be made to hang at each step. test/integration has the real ones.

let time: SimulatedTime
beforeEach(() => {
  time = new SimulatedTime()
  time.start()
})
afterEach(() => time.stop())

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
const never = () => new Promise<never>(() => {})

interface FakeClient {
  number: number
  works: boolean
  closed: number
}

const TIMEOUT = 500
/** Between two attempts to replace a client. */
const RETRY_INTERVAL = 100

/** A driver of fakes. `steps` replaces some of its functions. */
function driverWith(steps: Partial<Driver<FakeClient>> = {}) {
  const clients: FakeClient[] = []
  const errors: string[] = []
  const driver: Driver<FakeClient> = {
    create() {
      const client = { number: clients.length, works: true, closed: 0 }
      clients.push(client)
      return client
    },
    async connect() {},
    async check({ works }) {
      if (!works) throw new Error('broken')
    },
    async close(client) {
      client.closed++
    },
    ...steps,
  }
  const onError = (error: unknown) => errors.push(Object(error).cause?.message ?? String(error))
  const open = async () => {
    const reconnecting = new ReconnectingClient(driver, { timeout: TIMEOUT, onError })
    await reconnecting.open()
    return reconnecting
  }
  return { open, clients, errors, closed: () => clients.map(({ closed }) => closed) }
}

/** Returns a step that fails for the clients with these numbers. */
const refuse =
  (...numbers: number[]) =>
  async ({ number }: FakeClient) => {
    if (numbers.includes(number)) throw new Error('refused')
  }

describe('a reconnecting client', () => {
  it('is replaced once if it breaks, and closed at once', async () => {
    const replaced = vi.fn()
    const { open, closed } = driverWith({ replaced })
    const reconnecting = await open()
    expect(replaced).toHaveBeenCalledTimes(0)
    const replacements = Array.from({ length: 3 }, () => reconnecting.replace(reconnecting.client, new Error('lost')))
    for (const replacement of replacements) expect((await replacement).number).toBe(1)
    expect(reconnecting.client.number).toBe(1)
    expect(replaced).toHaveBeenCalledTimes(1)
    expect(closed()).toEqual([1, 0])
    await reconnecting.close()
    expect(closed()).toEqual([1, 1])
  })

  it('stays if another one is reported, which was replaced before', async () => {
    const { open, clients } = driverWith()
    const reconnecting = await open()
    const old = reconnecting.client
    await reconnecting.replace(old, new Error('lost'))
    expect((await reconnecting.replace(old, new Error('lost, reported late'))).number).toBe(1)
    expect(clients).toHaveLength(2)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('broken')), 0],
    ['gets no answer', never, TIMEOUT],
  ])('is replaced when a check %s', async (_, failing, milliseconds) => {
    const { open } = driverWith({ check: async ({ works }) => (works ? undefined : failing()) })
    const reconnecting = await open()
    void reconnecting.watch(1000)
    reconnecting.client.works = false
    await time.pass(999 + milliseconds)
    expect(reconnecting.client.number).toBe(0)
    await time.pass(1)
    expect(reconnecting.client.number).toBe(1)
  })

  it('is replaced by the first client that works, and all others are closed', async () => {
    const { open, closed, errors } = driverWith({
      async connect(client) {
        if (client.number === 2) await never()
        await refuse(1)(client)
      },
    })
    const reconnecting = await open()
    void reconnecting.replace(reconnecting.client, new Error('lost')).catch(() => {})
    await time.pass(RETRY_INTERVAL + TIMEOUT + RETRY_INTERVAL)
    expect(reconnecting.client.number).toBe(3)
    await reconnecting.close()
    expect(closed()).toEqual([1, 1, 1, 1])
    expect(errors).toEqual(['Error: lost', 'refused', 'The server did not respond within 500 ms.'])
  })

  it('is waited for while no client works for a short time, and then no longer', async () => {
    const { open } = driverWith({ connect: refuse(1, 2, 3, 4, 5, 6, 7) })
    const reconnecting = await open()
    const old = reconnecting.client
    const refused = { code: 'ERR_NONCE_STORE', cause: new Error('refused') }
    const first = expect(reconnecting.replace(old, new Error('lost'))).rejects.toMatchObject(refused)
    const late = expect(
      pause(TIMEOUT + 1).then(() => reconnecting.replace(old, new Error('lost'))),
    ).rejects.toMatchObject(refused)
    await time.pass(TIMEOUT)
    expect(time.now).toBe(TIMEOUT)
    await time.pass(RETRY_INTERVAL)
    await Promise.all([first, late])
    expect(reconnecting.client).toBe(old)
    await time.pass(RETRY_INTERVAL)
    expect(reconnecting.client.number).toBe(8)
    expect((await reconnecting.replace(reconnecting.client, new Error('lost'))).number).toBe(9)
  })

  it('is waited for during an outage that is shorter than the time-out', async () => {
    const { open } = driverWith({ connect: refuse(1, 2, 3, 4) })
    const reconnecting = await open()
    const replaced = reconnecting.replace(reconnecting.client, new Error('lost'))
    await time.pass(4 * RETRY_INTERVAL)
    expect((await replaced).number).toBe(5)
  })

  it('is closed while it is replaced: nothing stays open, and who waits gets an error', async () => {
    const { open, clients, closed } = driverWith({
      async connect({ number }) {
        if (number > 0) await pause(10)
      },
    })
    const reconnecting = await open()
    const rejected = expect(reconnecting.replace(reconnecting.client, new Error('lost'))).rejects.toThrow(
      'The nonce store is closed',
    )
    await reconnecting.close()
    await time.pass(TIMEOUT)
    await rejected
    expect(closed()).toEqual([1, 1])
    expect(() => reconnecting.client).toThrow('The nonce store is closed. Connect a new store')
    await expect(reconnecting.replace(clients[0] as FakeClient, new Error())).rejects.toThrow('is closed')
    await reconnecting.close()
  })

  it('is closed while none can be opened: the attempts end', async () => {
    const { open, clients } = driverWith({ connect: refuse(1, 2, 3) })
    const reconnecting = await open()
    const rejected = expect(reconnecting.replace(reconnecting.client, new Error('lost'))).rejects.toThrow('is closed')
    await time.pass(RETRY_INTERVAL)
    await reconnecting.close()
    await time.pass(10 * RETRY_INTERVAL)
    await rejected
    expect(clients).toHaveLength(3)
  })

  it('is closed while a check has it replaced', async () => {
    const { open, closed } = driverWith({
      async connect({ number }) {
        if (number > 0) await never()
      },
    })
    const reconnecting = await open()
    void reconnecting.watch(1000)
    reconnecting.client.works = false
    await time.pass(1000)
    await reconnecting.close()
    await time.pass(4 * TIMEOUT)
    expect(closed()).toEqual([1, 1])
  })

  it('settles close() though a client never ends or fails to end', async () => {
    for (const close of [never, () => Promise.reject(new Error('cannot end'))]) {
      const { open, errors } = driverWith({ close })
      const reconnecting = await open()
      const closed = reconnecting.close()
      await time.pass(2 * TIMEOUT)
      await closed
      expect(errors).toHaveLength(1)
    }
  })

  it('waits for twice the time-out until a client is closed, and no longer', async () => {
    const { open } = driverWith({ close: never })
    const reconnecting = await open()
    let isClosed = false
    void reconnecting.close().then(() => {
      isClosed = true
    })
    await time.pass(2 * TIMEOUT - 1)
    expect(isClosed).toBe(false)
    await time.pass(1)
    expect(isClosed).toBe(true)
  })

  it('closes the first client if it cannot be opened, and says why', async () => {
    const { open, closed } = driverWith({ connect: refuse(0) })
    await expect(open()).rejects.toMatchObject({ code: 'ERR_NONCE_STORE', cause: new Error('refused') })
    expect(closed()).toEqual([1])
  })

  it('is not opened if its first check gets no answer', async () => {
    const { open, closed } = driverWith({ check: never })
    const rejected = expect(open()).rejects.toMatchObject({
      cause: new Error('The server did not respond within 500 ms.'),
    })
    await time.pass(TIMEOUT)
    await rejected
    expect(closed()).toEqual([1])
  })

  it('says why it cannot be opened, by what the client emitted before', async () => {
    const { open, errors } = driverWith({
      create(onError) {
        onError(new Error('WRONGPASS invalid username-password pair'))
        return { number: 0, works: true, closed: 0 }
      },
      connect: () => Promise.reject(new Error('None of the root nodes is available')),
    })
    await expect(open()).rejects.toThrow('The server refused the user name or the password.')
    expect(errors).toEqual(['Error: WRONGPASS invalid username-password pair'])
  })

  it.each(['closed', 'not opened'])('is no longer heard when the store is %s', async (state) => {
    let emit = (_: unknown) => {}
    const { open, errors } = driverWith({
      create(onError) {
        emit = onError
        return { number: 0, works: state === 'closed', closed: 0 }
      },
    })
    if (state === 'closed') await (await open()).close()
    else await expect(open()).rejects.toMatchObject({ cause: new Error('broken') })
    emit(new Error('Socket closed unexpectedly'))
    expect(errors).toEqual([])
  })

  it('has no timer that keeps the process running, before it is closed and after', async () => {
    const { open, clients } = driverWith({ connect: refuse(1) })
    const reconnecting = await open()
    void reconnecting.watch(10_000)
    const replacement = reconnecting.replace(reconnecting.client, new Error('lost'))
    await time.pass(20)
    // It waits for the next check, and for the next attempt to replace the client.
    expect(clients).toHaveLength(2)
    expect(time.refs).toBe(0)
    await time.pass(RETRY_INTERVAL)
    await replacement
    expect(time.refs).toBe(0)
    await reconnecting.close()
    expect(time.refs).toBe(0)
  })
})
